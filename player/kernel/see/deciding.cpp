#include "see/deciding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/interrupt.hpp"
#include "count/counted_component.hpp"
#include "logic/closure.hpp"

namespace mines {
namespace {

constexpr double kDensity = 0.18;   // of mines, before the clues are known
constexpr double kOutOfPlace = 10;  // the cost of an open cell on the ground of closed ones, or the reverse
constexpr double kMargin = 7;       // assignments worse by this logarithm are ignored
constexpr double kClueCredit = 1.5, kZeroCredit = 0.2,
                 kShownCredit = 0.8;   // what an open cell costs on average, so that none is preferred
constexpr double kAnotherGround = 10;  // the cost of each further ground of blank cells of one kind
constexpr double kAnotherGlyph = 5;    // the cost of each further kind of glyph of one clue
constexpr double kMarkedOpen =
    1.5;  // the cost of a question mark on the ground of open cells: some programs draw it so
constexpr double kFewMarks = 4, kManyMarks = 1;  // usual marks of the player, and the cost of each further one
constexpr double kMarkedClosed = 2;    // the cost of a glyph without a meaning on the ground of blank closed cells
constexpr double kGameOver = 3;        // the cost of mines shown, once
constexpr double kUnclearMine = 15;    // the cost of a mine shown by a glyph that looks more like something else
constexpr double kMineOnClosed = 1.5;  // the cost of mines shown on the ground of closed cells
constexpr double kWrongFlag = 2;       // the cost of a clue with too many flags
constexpr double kBrokenClue = 7;      // the cost of a clue that fits no layout
constexpr double kMostCost = 300;      // of an assignment, above the best meaning of each group
constexpr int kMostTrials = 12'000;
constexpr std::size_t kMostLeaves = 400;
constexpr std::uint8_t kUndecided = 255;

bool may_be_mine(int symbol) { return symbol >= kCovered; }

// The logarithm of the probability that random mines give these clues, and the range of the number of mines.
class Evidence {
  public:
    // Returns false if no layout fits.
    bool weigh(const GridRef& grid, const std::vector<std::uint8_t>& symbols) {
        const double mine = std::log(kDensity), safe = std::log(1 - kDensity);
        closure_.reset(grid, grid->size());
        int open = 0;
        double credit = 0;
        closure_.field().each_cell([&](Index number, Index cell) {
            if (symbols[number] <= 8) closure_.open(cell, symbols[number]), ++open;
            if (symbols[number] <= 8) credit += symbols[number] == 0 ? kZeroCredit : kClueCredit;
            // A mine that is shown costs little: others are only counted where a clue needs them.
            if (symbols[number] == kShownMine) closure_.mark(cell, true), credit -= kShownCredit * mine;
        });
        closure_.apply_few_clues();
        if (closure_.inconsistent()) return false;
        const Field& field = closure_.field();
        fewest = most = 0;
        log_weight = open * safe + credit;
        int unconstrained = 0;
        field.each_cell([&](Index, Index cell) {
            unconstrained += field.state[cell] == kUnknown;
            if (field.state[cell] == kMine) ++fewest, ++most, log_weight += mine;
            if (field.state[cell] == kSafe) log_weight += safe;
        });
        finder_.restart(field);
        bool fits = true;
        field.each_cell([&](Index, Index cell) {
            if (!fits || field.state[cell] != kOpen || field.mask[cell] == 0 || finder_.visited(cell)) return;
            component_.forget();
            const Fit fit = component_.find(field, cell, finder_, builder_, {300, 20'000, 2'000'000});
            if (fit == Fit::inconsistent) fits = false;
            const auto cells = static_cast<int>(component_.component().cells.size());
            unconstrained -= cells;
            if (fit != Fit::ok) {  // too wide to count
                most += cells;
                return;
            }
            const CountWeights& weights = component_.weights();
            double sum = 0;
            for (int k = 0; k < weights.length(); ++k)
                sum += weights.numbers[k] * std::exp((weights.low + k) * (mine - safe) + cells * safe);
            log_weight += std::log(std::max(sum, 1e-300));
            fewest += weights.low;
            most += weights.high();
        });
        most += unconstrained;
        return fits;
    }

    double log_weight = 0;
    int fewest = 0, most = 0;

  private:
    Closure closure_;
    ComponentFinder finder_;
    TrellisBuilder builder_;
    CountedComponent component_;
};

// Searches the assignments of meanings to groups, most probable first, and drops those that break a rule of the game.
class MeaningSearch {
  public:
    MeaningSearch(const GridRef& grid, const std::vector<LookAlike>& groups, bool tolerant)
        : grid_(grid), groups_(groups), tolerant_(tolerant) {
        const auto cells = static_cast<std::size_t>(grid->size());
        symbols_.assign(cells, kUndecided);
        sure_.assign(cells, 0);
        maybe_.assign(cells, 0);
        closed_.assign(cells, 0);
        for (int cell = 0; cell < grid->size(); ++cell)
            grid->each_around(
                cell, [&](int near) { maybe_[cell] = static_cast<std::uint8_t>(maybe_[cell] + (near != cell)); });
        int grounds = 0;
        for (const LookAlike& group : groups) grounds = std::max(grounds, group.ground + 1);
        roles_.assign(static_cast<std::size_t>(grounds), {0, 0});
        has_plain_.assign(static_cast<std::size_t>(grounds), false);
        for (const LookAlike& group : groups)
            if (group.plain) has_plain_[group.ground] = true;
        order_.resize(groups.size());
        std::iota(order_.begin(), order_.end(), 0);
        // Large groups settle most; certain ones first.
        const auto weight = [&](int number) {
            std::array<double, kSymbols> logs = groups[number].logs;
            std::sort(logs.begin(), logs.end(), std::greater<>());
            return std::min(10.0, logs[0] - logs[1]) + 2 * std::log(static_cast<double>(groups[number].cells.size()));
        };
        std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return weight(a) > weight(b); });
        rest_.assign(groups.size() + 1, 0);
        for (std::size_t i = groups.size(); i-- > 0;)
            rest_[i] = rest_[i + 1] + *std::max_element(groups[order_[i]].logs.begin(), groups[order_[i]].logs.end());
    }

    struct Leaf {
        std::vector<std::uint8_t> symbols;  // of the groups
        double log_weight, evidence;
        int fewest, most;
        std::vector<std::uint8_t> broken_cells;
    };

    // Widens the search until the best assignment and those little worse are found: a wrong meaning of a large group
    // would take all nodes.
    std::vector<Leaf> run() {
        double cost = kMargin;
        do {
            cost += kMargin / 2;
            leaves_.clear();
            best_ = rest_[0] - cost + kMargin;
            nodes_ = 0;
            descend(0, 0, 0);
        } while (complete() && best_logs_ < rest_[0] - cost + kMargin && cost < kMostCost);
        return std::move(leaves_);
    }
    bool complete() const { return nodes_ < kMostTrials && leaves_.size() < kMostLeaves; }

  private:
    // The depth of the recursion is the number of groups, which `group_looks` limits.
    void descend(std::size_t depth, double logs, int broken) {
        if (nodes_ >= kMostTrials || leaves_.size() >= kMostLeaves) return;
        check_interrupt();
        ++nodes_;
        if (depth == groups_.size()) {
            finish(logs);
            return;
        }
        const LookAlike& group = groups_[order_[depth]];
        std::array<int, kSymbols> by_chance;
        std::iota(by_chance.begin(), by_chance.end(), 0);
        std::stable_sort(by_chance.begin(), by_chance.end(),
                         [&](int a, int b) { return group.logs[a] > group.logs[b]; });
        for (const int symbol : by_chance) {
            if (group.logs[symbol] < kImpossible + 1) break;
            std::array<int, 2>& role = roles_[group.ground];
            const int closed = is_closed(symbol), has_ground = symbol != kShownMine && symbol != kQuestion;
            double cost = symbol != kShownMine && role[1 - closed] > 0 ? kOutOfPlace : 0;
            const bool is_plain = group.plain && (symbol == 0 || symbol == kCovered);
            // The look of blank cells may say by itself that they are closed.
            const bool is_raised = symbol == kCovered && group.logs[kCovered] > group.logs[0] + 2;
            if (is_plain && !is_raised && plain_[closed] > 0 && roles_[group.ground][closed] == 0)
                cost += group.cells.size() > 2 ? kAnotherGround : kAnotherGround / 2;
            if (is_clue(symbol) && is_another_kind(symbol, group.kind)) cost += kAnotherGlyph;
            if (symbol == kCovered && !group.plain && role[1] > 0) cost += kMarkedClosed;
            if (symbol == kQuestion && role[0] > 0 && by_chance[0] == kQuestion) cost = kMarkedOpen;
            // Marks of the player are few, or they lie on the ground of blank cells.
            const double many = kManyMarks * std::max(0.0, static_cast<double>(group.cells.size()) - kFewMarks);
            const bool is_apart = group.exact && !group.plain && !has_plain_[group.ground];
            const bool is_marked = symbol == kCovered && is_apart;
            if ((symbol == kQuestion && is_apart) || (is_marked && plain_[1] > 0)) cost += many;
            if (symbol == kCovered && group.plain && plain_[1] == 0) cost += marked_;
            if (symbol == kShownMine)
                cost = (shown_ == 0 ? kGameOver : 0) + (role[1] > 0 ? kMineOnClosed : 0) +
                       (by_chance[0] != symbol ? kUnclearMine : 0);
            const double next = logs + group.logs[symbol] - cost;
            if (next + rest_[depth + 1] < best_ - kMargin) continue;
            const int worse = assign(group, symbol);
            if (worse == 0 || (tolerant_ && broken + worse <= most_broken())) {
                role[closed] += has_ground;
                shown_ += symbol == kShownMine;
                plain_[closed] += is_plain;
                marked_ += is_marked ? many : 0;
                if (is_clue(symbol)) kinds_[symbol].push_back(group.kind);
                descend(depth + 1, next - kBrokenClue * worse, broken + worse);
                if (is_clue(symbol)) kinds_[symbol].pop_back();
                marked_ -= is_marked ? many : 0;
                plain_[closed] -= is_plain;
                shown_ -= symbol == kShownMine;
                role[closed] -= has_ground;
            }
            withdraw(group, symbol);
        }
    }

    // Whether other kinds of glyphs have this meaning, and this kind not.
    bool is_another_kind(int symbol, int kind) const {
        const std::vector<int>& kinds = kinds_[symbol];
        return !kinds.empty() && std::find(kinds.begin(), kinds.end(), kind) == kinds.end();
    }

    int most_broken() const { return 2 + grid_->size() / 60; }

    // Give cells a meaning, and return how many clues break because of it.
    int assign(const LookAlike& group, int symbol) {
        int before = 0, after = 0;
        for (const int cell : group.cells) before += broken_around(cell);
        for (const int cell : group.cells) set(cell, symbol, 1);
        for (const int cell : group.cells) after += broken_around(cell);
        return after > before ? after - before : 0;
    }
    void withdraw(const LookAlike& group, int symbol) {
        for (const int cell : group.cells) set(cell, symbol, -1);
    }

    void set(int cell, int symbol, int sign) {
        symbols_[cell] = sign > 0 ? static_cast<std::uint8_t>(symbol) : kUndecided;
        grid_->each_around(cell, [&](int near) {
            if (near == cell) return;
            if (symbol == kShownMine) sure_[near] = static_cast<std::uint8_t>(sure_[near] + sign);
            if (!may_be_mine(symbol)) maybe_[near] = static_cast<std::uint8_t>(maybe_[near] - sign);
            // Programs open all neighbours of a zero, except those that the player marked.
            if (symbol == kCovered || symbol == kShownMine)
                closed_[near] = static_cast<std::uint8_t>(closed_[near] + sign);
        });
    }

    bool is_broken(int cell) const {
        const int symbol = symbols_[cell];
        if (symbol > 8) return false;
        if (symbol == 0) return closed_[cell] > 0;
        return symbol < sure_[cell] || symbol > maybe_[cell];
    }
    int broken_around(int cell) const {
        int count = 0;
        grid_->each_around(cell, [&](int near) { count += is_broken(near); });
        return count;
    }

    void finish(double logs) {
        int closed = 0;
        for (int cell = 0; cell < grid_->size(); ++cell) {
            closed += may_be_mine(symbols_[cell]);
            if (symbols_[cell] > 8) continue;
            int flags = 0;
            grid_->each_around(cell,
                               [&](int near) { flags += symbols_[near] == kFlag || symbols_[near] == kShownMine; });
            if (flags > symbols_[cell]) logs -= kWrongFlag;
        }
        if (closed == 0) return;  // a board has mines
        std::vector<std::uint8_t> readable = symbols_;
        std::vector<std::uint8_t> broken_cells(symbols_.size(), 0);
        for (int cell = 0; cell < grid_->size(); ++cell)
            if (is_broken(cell)) broken_cells[cell] = 1, readable[cell] = kQuestion;
        const bool fits = evidence_.weigh(grid_, readable);
        if (!fits && !tolerant_) return;
        if (!fits)
            for (int cell = 0; cell < grid_->size(); ++cell) broken_cells[cell] = symbols_[cell] <= 8;
        const double evidence = fits ? evidence_.log_weight : -50;
        Leaf leaf{{}, logs + evidence, evidence, evidence_.fewest, evidence_.most, std::move(broken_cells)};
        if (leaf.log_weight < best_leaf_ - kMargin) return;
        best_leaf_ = std::max(best_leaf_, leaf.log_weight);
        best_ = std::max(best_, logs), best_logs_ = std::max(best_logs_, logs);
        for (const LookAlike& group : groups_) leaf.symbols.push_back(symbols_[group.cells[0]]);
        leaves_.push_back(std::move(leaf));
    }

    const GridRef& grid_;
    const std::vector<LookAlike>& groups_;
    const bool tolerant_;
    std::vector<int> order_;
    std::vector<double> rest_;  // the best logarithms of the groups from each depth on
    std::vector<std::uint8_t> symbols_, sure_, maybe_, closed_;
    std::vector<std::array<int, 2>> roles_;  // per ground: groups of open and of closed cells
    std::vector<bool> has_plain_;            // per ground: whether cells without a glyph have it
    double best_ = 0, best_leaf_ = -std::numeric_limits<double>::infinity(), best_logs_ = best_leaf_;
    std::array<int, 2> plain_{};             // groups of zeros and of closed cells
    std::array<std::vector<int>, 9> kinds_;  // of the groups of each clue
    int nodes_ = 0, shown_ = 0;
    double marked_ = 0;  // the cost of the marks on closed cells
    std::vector<Leaf> leaves_;
    Evidence evidence_;
};

}  // namespace

Decision decide(const GridRef& grid, const std::vector<LookAlike>& groups, bool logic) {
    Decision out;
    std::vector<MeaningSearch::Leaf> leaves;
    if (logic) {
        for (const bool tolerant : {false, true}) {
            MeaningSearch search(grid, groups, tolerant);
            leaves = search.run();
            out.complete = search.complete();
            if (!leaves.empty()) break;
        }
    } else {
        MeaningSearch::Leaf leaf{{}, 0, 0, 0, 0, std::vector<std::uint8_t>(static_cast<std::size_t>(grid->size()), 0)};
        for (const LookAlike& group : groups)
            leaf.symbols.push_back(
                static_cast<std::uint8_t>(std::max_element(group.logs.begin(), group.logs.end()) - group.logs.begin()));
        leaves.push_back(leaf);
    }
    if (leaves.empty()) return out;
    const auto best = std::max_element(leaves.begin(), leaves.end(),
                                       [](const auto& a, const auto& b) { return a.log_weight < b.log_weight; });
    out.found = true;
    out.broken_cells = best->broken_cells;
    out.evidence = best->evidence;
    out.fewest_mines = best->fewest;
    out.most_mines = best->most;
    out.symbols.assign(static_cast<std::size_t>(grid->size()), kCovered);
    out.chances.assign(static_cast<std::size_t>(grid->size()), {});
    int closed = 0;
    bool is_over = true;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (may_be_mine(best->symbols[i])) closed += static_cast<int>(groups[i].cells.size());
        if (groups[i].plain && best->symbols[i] == kCovered) is_over = false;
    }
    is_over &= best->fewest == closed && best->most == closed;
    double total = 0;
    for (const MeaningSearch::Leaf& leaf : leaves) total += std::exp(leaf.log_weight - best->log_weight);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        std::array<float, kSymbols> chances{};
        for (const MeaningSearch::Leaf& leaf : leaves)
            chances[leaf.symbols[i]] += static_cast<float>(std::exp(leaf.log_weight - best->log_weight) / total);
        // Where every closed cell has a glyph and is a mine, the game is over and shows them.
        const bool is_mine = is_over && best->symbols[i] == kCovered;
        const std::uint8_t symbol = is_mine ? std::uint8_t{kShownMine} : best->symbols[i];
        for (const int mark : {int{kCovered}, int{kFlag}, int{kQuestion}})
            if (is_mine) chances[kShownMine] += std::exchange(chances[mark], 0.0f);
        for (const int cell : groups[i].cells) {
            out.symbols[cell] = symbol;
            out.chances[cell] = chances;
        }
    }
    return out;
}

}  // namespace mines
