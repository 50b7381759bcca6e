#include "explain/closed_sets.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "base/interrupt.hpp"

namespace mines {
namespace {

// The numbers of mines in the groups of a block.
using Numbers = std::u16string;

struct Clue {
    std::vector<int> cells;
    int need = 0;
};

// Groups of cells, and the possible numbers of mines in them; within a group any arrangement is possible.
struct Block {
    std::vector<std::vector<int>> groups;
    std::vector<Numbers> numbers;

    std::vector<int> cells() const {
        std::vector<int> all;
        for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
        return all;
    }
};

// `cells` are sorted.
bool has(const std::vector<int>& cells, int cell) { return std::binary_search(cells.begin(), cells.end(), cell); }

int total(const Numbers& numbers) {
    int sum = 0;
    for (const int mines : numbers) sum += mines;
    return sum;
}

std::pair<int, int> range_of_totals(const Block& block) {
    int least = total(block.numbers.front()), most = least;
    for (const Numbers& numbers : block.numbers) {
        least = std::min(least, total(numbers));
        most = std::max(most, total(numbers));
    }
    return {least, most};
}

double count_layouts(const Block& block) {
    double sum = 0;
    for (const Numbers& numbers : block.numbers) {
        double ways = 1;
        for (std::size_t g = 0; g < numbers.size(); ++g) {
            const double size = static_cast<double>(block.groups[g].size());
            double choices = 1;
            for (int k = 1; k <= numbers[g]; ++k) choices = choices * (size - numbers[g] + k) / k;
            ways *= choices;
        }
        sum += ways;
    }
    return sum;
}

// List the possible numbers of mines in the groups of a component. Returns false if there are more than `most`.
bool list_numbers(const std::vector<Clue>& clues, std::size_t most, Block& out) {
    std::vector<int> room, needs;
    std::vector<std::vector<std::size_t>> touched;  // by each group, in the order of first occurrence
    for (std::size_t place = 0; place < clues.size(); ++place) {
        room.push_back(static_cast<int>(clues[place].cells.size()));
        needs.push_back(clues[place].need);
        for (const int cell : clues[place].cells) {
            std::vector<std::size_t> places;
            for (std::size_t other = 0; other < clues.size(); ++other)
                if (has(clues[other].cells, cell)) places.push_back(other);
            if (places.front() < place) continue;
            const auto group =
                static_cast<std::size_t>(std::find(touched.begin(), touched.end(), places) - touched.begin());
            if (group == touched.size()) {
                touched.push_back(std::move(places));
                out.groups.emplace_back();
            }
            out.groups[group].push_back(cell);
        }
    }
    std::vector<std::pair<Numbers, std::vector<int>>> begun{{{}, needs}}, longer;
    std::size_t listed = 0;
    for (std::size_t g = 0; g < touched.size(); ++g) {
        check_interrupt();
        const int size = static_cast<int>(out.groups[g].size());
        for (const std::size_t clue : touched[g]) room[clue] -= size;
        longer.clear();
        for (const auto& [numbers, left] : begun) {
            for (int mines = 0; mines <= size; ++mines) {
                const bool fits = std::all_of(touched[g].begin(), touched[g].end(), [&, &left = left](auto clue) {
                    return left[clue] >= mines && left[clue] - mines <= room[clue];
                });
                if (!fits) continue;
                longer.emplace_back(numbers + static_cast<char16_t>(mines), left);
                for (const std::size_t clue : touched[g]) longer.back().second[clue] -= mines;
            }
        }
        std::swap(begun, longer);
        listed += begun.size();
        if (listed > most) return false;
    }
    for (auto& one : begun) out.numbers.push_back(std::move(one.first));
    return true;
}

// Combine blocks that hold `mines` mines together. Returns false if there are more than `most` combinations.
bool join(const std::vector<Block>& blocks, int mines, std::size_t most, Block& out) {
    out.numbers = {Numbers()};
    int least_after = 0, most_after = 0;
    for (const Block& block : blocks) {
        least_after += range_of_totals(block).first;
        most_after += range_of_totals(block).second;
    }
    for (const Block& block : blocks) {
        least_after -= range_of_totals(block).first;
        most_after -= range_of_totals(block).second;
        out.groups.insert(out.groups.end(), block.groups.begin(), block.groups.end());
        std::vector<Numbers> longer;
        for (const Numbers& before : out.numbers)
            for (const Numbers& numbers : block.numbers) {
                const int left = mines - total(before) - total(numbers);
                if (least_after <= left && left <= most_after) longer.push_back(before + numbers);
            }
        out.numbers = std::move(longer);
        if (out.numbers.size() > most) return false;
    }
    return true;
}

// The distinct numbers of some groups.
std::set<Numbers> project(const Block& block, const std::vector<std::size_t>& places) {
    std::set<Numbers> found;
    for (const Numbers& numbers : block.numbers) {
        Numbers part;
        for (const std::size_t place : places) part += numbers[place];
        found.insert(std::move(part));
    }
    return found;
}

// Split a block into the smallest independent blocks, and append them to `out`.
void split(const Block& block, std::vector<Block>& out) {
    std::vector<std::vector<std::size_t>> parts;
    std::vector<std::size_t> every;
    for (std::size_t place = 0; place < block.groups.size(); ++place) {
        check_interrupt();
        every.push_back(place);
        const std::size_t number = project(block, every).size();
        std::vector<std::size_t> joined{place};
        std::vector<std::vector<std::size_t>> stay;
        for (const auto& part : parts) {
            std::vector<std::size_t> rest;
            for (const std::size_t other : every)
                if (std::find(part.begin(), part.end(), other) == part.end()) rest.push_back(other);
            const bool stays = project(block, part).size() * project(block, rest).size() == number;
            if (stays)
                stay.push_back(part);
            else
                joined.insert(joined.end(), part.begin(), part.end());
        }
        stay.push_back(joined);
        parts = stay;
    }
    for (const auto& part : parts) {
        Block one;
        for (const std::size_t place : part) one.groups.push_back(block.groups[place]);
        for (const Numbers& numbers : project(block, part)) one.numbers.push_back(numbers);
        out.push_back(std::move(one));
    }
}

// An unavoidable guess: its cells in reading order, and the mines among them in two layouts. The first has a mine in
// the first cell, the second has none there.
struct ClosedSet {
    std::vector<int> cells;
    std::vector<int> mines[2];
};

class Search {
  public:
    Search(const View& view, const CellBytes& known, std::size_t most) : view_(view), known_(known), most_(most) {}

    std::vector<ClosedSet> run() {
        list_blocks();
        std::vector<std::vector<int>> reached;
        for (std::size_t block = 0; block < blocks_.size(); ++block)
            reached.push_back(reached_from(static_cast<int>(block)));
        std::vector<ClosedSet> guesses;
        std::vector<char> done(blocks_.size(), 0);
        for (const int block : block_of_) {
            if (block < 0 || done[block] != 0) continue;
            done[block] = 1;
            const std::vector<int>& found = reached[block];
            const auto reaches_it = [&](int other) { return reached[other] == found; };
            if (found.empty() || !std::all_of(found.begin(), found.end(), reaches_it)) continue;
            for (const int other : found) done[other] = 1;
            ClosedSet guess;
            if (prove(found, guess)) guesses.push_back(std::move(guess));
        }
        return guesses;
    }

  private:
    bool is_hidden(int cell) const { return view_.cells[cell] == kHidden; }
    bool is_uncertain(int cell) const { return is_hidden(cell) && known_[cell] == kMaybe; }
    bool is_mine(int cell) const { return is_hidden(cell) && known_[cell] == kKnownMine; }

    // List a cell and its neighbours in order: `has` needs it.
    std::vector<int> around(int cell) const {
        std::vector<int> found;
        found.reserve(kNeighbours + 1);
        view_.grid->each_around(cell, [&](int near) { found.push_back(near); });
        std::sort(found.begin(), found.end());
        return found;
    }

    // Return the number of `cells` around a cell; `cells` need no order.
    int count_around(int cell, const std::vector<int>& cells) const {
        const auto is_near = [&](int other) { return view_.grid->are_neighbours(other, cell); };
        return static_cast<int>(std::count_if(cells.begin(), cells.end(), is_near));
    }

    void list_blocks() {
        const int size = view_.grid->size();
        std::vector<Clue> clues;
        std::vector<std::vector<int>> touching(size);
        std::vector<int> unconstrained;
        int left = view_.mines;
        for (int cell = 0; cell < size; ++cell) {
            left -= is_mine(cell);
            if (is_hidden(cell)) continue;
            Clue clue;
            clue.need = view_.cells[cell];
            for (const int near : around(cell)) {
                clue.need -= is_mine(near);
                if (is_uncertain(near)) clue.cells.push_back(near);
            }
            if (clue.cells.empty()) continue;
            for (const int near : clue.cells) touching[near].push_back(static_cast<int>(clues.size()));
            clues.push_back(std::move(clue));
        }
        for (int cell = 0; cell < size; ++cell)
            if (is_uncertain(cell) && touching[cell].empty()) unconstrained.push_back(cell);

        std::vector<Block> found, uneven;
        std::vector<char> visited(clues.size(), 0);
        int rest = left;
        bool is_listed = true;
        for (std::size_t start = 0; start < clues.size(); ++start) {
            if (visited[start] != 0) continue;
            visited[start] = 1;
            std::vector<int> component{static_cast<int>(start)};
            std::vector<Clue> chosen;
            for (std::size_t at = 0; at < component.size(); ++at) {
                chosen.push_back(clues[component[at]]);
                for (const int cell : chosen.back().cells)
                    for (const int near : touching[cell])
                        if (visited[near] == 0) {
                            visited[near] = 1;
                            component.push_back(near);
                        }
            }
            Block part;
            if (!list_numbers(chosen, most_, part)) {
                is_listed = false;
                continue;
            }
            std::vector<Block> split_part;
            split(part, split_part);
            for (Block& block : split_part) {
                const auto [least, most] = range_of_totals(block);
                if (least == most) rest -= least;
                (least == most ? found : uneven).push_back(std::move(block));
            }
        }
        if (!unconstrained.empty()) {
            Block block;
            const int most = std::min(static_cast<int>(unconstrained.size()), left);
            for (int mines = 0; mines <= most; ++mines) block.numbers.emplace_back(1, static_cast<char16_t>(mines));
            block.groups.push_back(std::move(unconstrained));
            uneven.push_back(std::move(block));
        }
        // The number of mines links these.
        Block joint;
        if (is_listed && join(uneven, rest, most_, joint)) split(joint, found);
        block_of_.assign(size, -1);
        for (Block& block : found) {
            if (count_layouts(block) <= 1) continue;
            for (const int cell : block.cells()) block_of_[cell] = static_cast<int>(blocks_.size());
            blocks_.push_back(std::move(block));
        }
    }

    // Whether the layouts of a block have different numbers of mines around a cell.
    bool affects(const Block& block, int cell) const {
        int sum = -1;
        for (const Numbers& numbers : block.numbers) {
            int mines = 0;
            for (std::size_t g = 0; g < numbers.size(); ++g) {
                const int size = static_cast<int>(block.groups[g].size());
                const int share = count_around(cell, block.groups[g]);
                if (0 < share && share < size && 0 < numbers[g] && numbers[g] < size) return true;
                // A group touched in part is all mines or all safe here.
                mines += std::min<int>(share, numbers[g]);
            }
            if (sum >= 0 && mines != sum) return true;
            sum = mines;
        }
        return false;
    }

    // Return a block and all blocks that it affects, directly or not, sorted; empty if it affects a cell outside all
    // blocks that may be opened.
    std::vector<int> reached_from(int start) const {
        std::vector<int> found{start};
        for (std::size_t at = 0; at < found.size(); ++at) {
            const Block& block = blocks_[found[at]];
            for (const int cell : block.cells())
                for (const int near : around(cell)) {
                    if (!is_hidden(near) || is_mine(near)) continue;
                    const int other = block_of_[near];
                    if (std::find(found.begin(), found.end(), other) != found.end() || !affects(block, near)) continue;
                    if (other < 0) return {};
                    found.push_back(other);
                }
        }
        std::sort(found.begin(), found.end());
        return found;
    }

    // List the mines of the layouts of blocks together, each sorted.
    std::vector<std::vector<int>> list_ways(const std::vector<int>& found) const {
        std::vector<std::vector<int>> ways{{}};
        for (const int place : found) {
            std::vector<std::vector<int>> longer;
            for (const Numbers& numbers : blocks_[place].numbers) {
                std::vector<std::vector<int>> begun = ways;
                for (std::size_t g = 0; g < numbers.size(); ++g) {
                    const auto& group = blocks_[place].groups[g];
                    std::vector<std::vector<int>> next;
                    std::string picked = std::string(numbers[g], 'x') + std::string(group.size() - numbers[g], ' ');
                    do {
                        for (std::vector<int> way : begun) {
                            for (std::size_t i = 0; i < group.size(); ++i)
                                if (picked[i] == 'x') way.push_back(group[i]);
                            next.push_back(std::move(way));
                        }
                    } while (std::prev_permutation(picked.begin(), picked.end()));
                    begun = std::move(next);
                }
                longer.insert(longer.end(), begun.begin(), begun.end());
            }
            ways = std::move(longer);
        }
        for (auto& way : ways) std::sort(way.begin(), way.end());
        return ways;
    }

    // Fill in a guess. Returns false if its own cells reveal something, or its layouts are too many.
    bool prove(const std::vector<int>& found, ClosedSet& guess) const {
        double count = 1;
        for (const int place : found) {
            count *= count_layouts(blocks_[place]);
            const std::vector<int> cells = blocks_[place].cells();
            guess.cells.insert(guess.cells.end(), cells.begin(), cells.end());
        }
        if (count > static_cast<double>(most_)) return false;
        std::sort(guess.cells.begin(), guess.cells.end());
        const auto ways = list_ways(found);
        for (const int cell : guess.cells) {
            int clue = -1;
            for (const auto& way : ways) {
                if (has(way, cell)) continue;
                const int mines = count_around(cell, way);
                if (clue >= 0 && mines != clue) return false;
                clue = mines;
            }
            if (clue < 0) return false;
        }
        for (const auto& way : ways)
            if (has(way, guess.cells.front())) guess.mines[0] = way;
        std::ptrdiff_t fewest = -1;
        for (const auto& way : ways) {
            if (has(way, guess.cells.front())) continue;
            const auto shared = std::count_if(way.begin(), way.end(), [&](int c) { return has(guess.mines[0], c); });
            // All layouts of a closed set hold equally many mines.
            if (fewest >= 0 && shared >= fewest) continue;
            fewest = shared;
            guess.mines[1] = way;
        }
        return true;
    }

    const View& view_;
    const CellBytes& known_;
    const std::size_t most_;  // layouts of a part of the position
    std::vector<Block> blocks_;
    std::vector<int> block_of_;  // of each cell, or -1
};

}  // namespace

Fit find_unavoidable_guesses(const View& view, std::size_t most_layouts, std::vector<UnavoidableGuess>& out) {
    out.clear();
    Closure closure = closure_of(view);
    CellBytes known;
    Fit fit = complete(closure, known);
    if (fit != Fit::ok) return fit;
    for (const ClosedSet& found : Search(view, known, most_layouts).run()) {
        CellBytes pinned = known;
        for (const int cell : found.cells) pinned[cell] = kKnownSafe;
        for (const int cell : found.mines[0]) pinned[cell] = kKnownMine;
        Closure rest = closure_of(view, pinned);
        CellBytes layout;
        fit = draw_layout(rest, 0, 0, layout);
        if (fit != Fit::ok) return fit;
        UnavoidableGuess guess{found.cells, {layout, layout}};
        for (const int cell : found.cells) guess.layouts[1][cell] = 0;
        for (const int cell : found.mines[1]) guess.layouts[1][cell] = 1;
        out.push_back(std::move(guess));
    }
    return Fit::ok;
}

}  // namespace mines
