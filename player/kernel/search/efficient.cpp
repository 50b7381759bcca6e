#include "search/efficient.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace mines {
namespace {

// Chosen for the fewest clicks per 3BV on expert boards.
constexpr double kFlagValue = 0.12;  // clicks that a flag saves at each other clue next to it
constexpr double kPrice = 0.85;      // the share of the click on a cell that is left to save: other chords may open it
constexpr double kNext = 0.75;       // the share of the value of the next chord that counts

// Up to a cell and all its neighbours.
struct FewCells {
    int list[1 + kNeighbours];
    int count = 0;

    void add(int cell) { list[count++] = cell; }
    const int* begin() const { return list; }
    const int* end() const { return list + count; }
    bool has(int cell) const { return std::find(begin(), end(), cell) != end(); }
};

class ClickValues {
  public:
    ClickValues(const KnownView& position, const std::vector<std::uint8_t>& flagged)
        : known_(position), flagged_(flagged) {
        const auto size = static_cast<std::size_t>(position.grid->size());
        square_.resize(size);
        mines_.resize(size);
        others_.resize(size);
        zero_.assign(size, NAN);
        price_.assign(size, NAN);
        for (std::size_t cell = 0; cell < size; ++cell) {
            position.grid->each_around(static_cast<int>(cell), [&](int near) {
                square_[cell].add(near);
                if (is_hidden(near) && near != static_cast<int>(cell))
                    (known_.mine[near] ? mines_ : others_)[cell].add(near);
            });
        }
    }

    EfficientClick best() {
        EfficientClick best;
        const auto weigh = [&best](EfficientClick click) {
            const auto key = [](const EfficientClick& one) { return std::make_pair(one.saves, one.zero); };
            if (best.place < 0 || key(best) < key(click)) best = std::move(click);
        };
        for (int cell = 0; cell < known_.grid->size(); ++cell) {
            if (known_.safe[cell]) {
                weigh({cell, false, {}, {cell}, price(cell) - 1 + kNext * next_chord(cell, {}, {}), zero(cell)});
            } else if (!is_hidden(cell) && can_be_chorded(cell)) {
                weigh(chord(cell));
            }
        }
        return best;
    }

  private:
    bool is_hidden(int cell) const { return known_.cells[cell] < 0; }
    double chance(int cell) const { return known_.chances[cell]; }

    // Whether all hidden neighbours of a clue are known, and both mines and safe cells.
    bool can_be_chorded(int clue) const {
        const FewCells &mines = mines_[clue], &others = others_[clue];
        return mines.count > 0 && others.count > 0 &&
               std::all_of(others.begin(), others.end(), [this](int cell) { return known_.safe[cell]; });
    }

    EfficientClick chord(int clue) {
        const FewCells& opens = others_[clue];
        const FewCells flags = without_flags(mines_[clue], {});
        double following = 0;
        for (const int cell : opens) following = std::max(following, next_chord(cell, opens, flags));
        EfficientClick click{clue, true, {flags.begin(), flags.end()}, {opens.begin(), opens.end()}, 0, 0};
        std::sort(click.flags.begin(), click.flags.end());
        std::sort(click.opens.begin(), click.opens.end());
        click.saves = saved(clue, opens, flags) + kNext * following;
        return click;
    }

    FewCells without_flags(const FewCells& mines, const FewCells& flags) const {
        FewCells left;
        for (const int mine : mines)
            if (flagged_[mine] == 0 && !flags.has(mine)) left.add(mine);
        return left;
    }

    // The clicks that a chord saves which opens these cells and needs these flags.
    double saved(int clue, const FewCells& opens, const FewCells& flags) {
        double prices = 0, costs = 0;
        for (const int cell : opens) prices += price(cell);
        for (const int mine : flags) costs += 1 - flag_value(mine, clue);
        return prices - 1 - costs;
    }

    // The clicks that a chord on a safe cell is expected to save once it is open, 0 or more. `opened` and `flagged` are
    // the cells and the mines of the click that opens it.
    double next_chord(int cell, const FewCells& opened, const FewCells& flagged) {
        FewCells opens;
        for (const int other : others_[cell])
            if (!opened.has(other)) opens.add(other);
        if (mines_[cell].count == 0 || opens.count == 0) return 0;
        const double saves = saved(cell, opens, without_flags(mines_[cell], flagged));
        if (saves <= 0) return 0;
        double known = 1;
        for (const int other : others_[cell]) known *= 1 - chance(other);
        return saves * known;
    }

    // The value of a flag at other clues that have hidden cells left after this chord.
    double flag_value(int mine, int chorded) const {
        double clues = 0;
        for (const int clue : square_[mine]) {
            if (clue == chorded || clue == mine || known_.mine[clue]) continue;
            const FewCells& others = others_[clue];
            const bool is_done = std::all_of(others.begin(), others.end(),
                                             [this, chorded](int cell) { return square_[chorded].has(cell); });
            if (!is_done) clues += is_hidden(clue) ? 1 - chance(clue) : 1;
        }
        return kFlagValue * clues;
    }

    // Estimate the probability that a cell is a zero, as if the chances of its neighbours were independent.
    double zero(int cell) {
        if (!std::isnan(zero_[cell])) return zero_[cell];
        double zero = is_hidden(cell) ? 1 - chance(cell) : known_.cells[cell] == 0;
        for (const int near : square_[cell])
            if (near != cell && is_hidden(cell) && is_hidden(near)) zero *= 1 - chance(near);
        return zero_[cell] = zero;
    }

    // Estimate the value of opening a cell by a chord: the probability that it is a zero or borders none.
    double price(int cell) {
        if (!std::isnan(price_[cell])) return price_[cell];
        const double safe = 1 - chance(cell), own_zero = safe != 0 ? zero(cell) / safe : 0;
        double alone = 1;
        for (const int near : square_[cell])
            if (near != cell) alone *= 1 - zero(near);
        return price_[cell] = kPrice * (own_zero + (1 - own_zero) * alone);
    }

    const KnownView& known_;
    const std::vector<std::uint8_t>& flagged_;
    std::vector<FewCells> square_;          // each cell and its neighbours
    std::vector<FewCells> mines_, others_;  // the hidden neighbours: known mines, and all others
    std::vector<double> zero_, price_;      // NaN until they are needed
};

}  // namespace

EfficientClick efficient_click(const KnownView& position, const std::vector<std::uint8_t>& flagged) {
    return ClickValues(position, flagged).best();
}

}  // namespace mines
