#include "prospects.hpp"

#include <algorithm>
#include <limits>

#include "pulse.hpp"

namespace mines {
namespace {

// Sums of doubles this close to 0 are certainties, as layouts that rare are never drawn.
constexpr double kCertain = 1e-12;
// Instead of the number of a part around the cell: none of them, and the sea.
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kSea = kNone - 1;

const Joint& unit() {
    static const Joint one = [] {
        Joint joint;
        joint.reset(0, 0, 1);
        joint.numbers[0] = 1;
        joint.near = 1;
        return joint;
    }();
    return one;
}

// The factor that brings the largest of these weights to 1: with it, products of many stay within the range of doubles.
double scale_of(const CountWeights& weights) {
    return 1 / *std::max_element(weights.numbers.begin(), weights.numbers.end());
}

// Multiply `product` with the weights of a part that has nothing to do with what it has so far.
void multiply(const CountWeights& weights, double scale, CountWeights& product) {
    std::vector<double> numbers(product.numbers.size() + weights.numbers.size() - 1, 0);
    for (int j = 0; j < product.length(); ++j)
        for (int k = 0; k < weights.length(); ++k)
            numbers[static_cast<std::size_t>(j + k)] += product.numbers[j] * weights.numbers[k] * scale;
    product.low += weights.low;
    product.numbers.swap(numbers);
}

// The numbers of mines that two can have together, one bit each.
unsigned sums(unsigned a, unsigned b) {
    unsigned all = 0;
    for (; a != 0; a &= a - 1) all |= b << lowest_bit(a);
    return all;
}

}  // namespace

void Prospects::begin(const Position& position) {
    position_ = &position;
    others_count_ = 0;
    mines_ = position.grid().mines_left;
    const int sea = static_cast<int>(position.sea().size());
    int low = 0;
    int high = 0;
    for (std::size_t i = 0; i < position.parts(); ++i) {
        low += position.part(i).weights().low;
        high += position.part(i).weights().high();
    }
    // Cells next to an opened one leave the sea with their mines.
    sea_low_ = std::max(0, mines_ - high - kNeighbours);
    sea_high_ = std::min(sea, mines_ - low);
    for (std::vector<double>& weights : sea_) weights.clear();
    std::vector<double>& all = sea_[0];
    all.assign(static_cast<std::size_t>(sea_high_ - sea_low_ + 1), 0);
    const int middle = std::clamp((sea + 1) / 2, sea_low_, sea_high_);
    all[middle - sea_low_] = 1;
    for (int j = middle; j < sea_high_; ++j) all[j + 1 - sea_low_] = all[j - sea_low_] * (sea - j) / (j + 1.0);
    for (int j = middle; j > sea_low_; --j) all[j - 1 - sea_low_] = all[j - sea_low_] * j / (sea - j + 1.0);
}

// In the same scale: of the ways to choose the mines, the share that leaves these cells without.
const std::vector<double>& Prospects::sea_without(int cells) {
    std::vector<double>& weights = sea_[cells];
    if (!weights.empty()) return weights;
    weights = sea_[0];
    const auto sea = static_cast<double>(position_->sea().size());
    for (int i = 0; i < cells; ++i)
        for (std::size_t j = 0; j < weights.size(); ++j)
            weights[j] *= std::max(0.0, (sea - i - sea_low_ - static_cast<double>(j)) / (sea - i));
    return weights;
}

void Prospects::suppose(Index cell, std::vector<Prospect>& out) {
    slow_pulse();
    out.clear();
    cell_ = cell;
    if (!look_around(cell)) return;
    choose_others();
    multiply_near();
    weigh_beyond();
    for (int near = 0; near <= joint_.most; ++near) {
        double total = 0;
        for (int k = 0; k < joint_.length; ++k) total += joint_.of(near)[k] * beyond_[k];
        totals_[near] = total;
        if (!(total > 0)) continue;
        Prospect prospect;
        prospect.clue = near - position_->grid().need[cell];
        prospect.chance = total / others_[rest_].total;
        if (count_cannot_bind(near)) {
            prospect.safe_cells = safe_cells(near);
        } else {
            weigh(prospect);
        }
        out.push_back(prospect);
    }
}

// Find the ways to fill the parts around the cell, which its clue would tie together.
bool Prospects::look_around(Index cell) {
    const Grid& grid = position_->grid();
    near_count_ = 0;
    near_sea_ = 0;
    int in_sea = 0;
    const auto touch = [&](Index one) -> Touched* {
        if (position_->part_of(one) < 0) return nullptr;
        Near& near = near_part(static_cast<std::size_t>(position_->part_of(one)));
        const int group = position_->group_of(one);
        const auto at = std::find_if(near.touched.begin(), near.touched.end(), [&](const Touched& it) { return it.group >= group; });
        if (at != near.touched.end() && at->group == group) return &*at;
        const int size = position_->part(near.part).component().groups[group].size;
        return &*near.touched.insert(at, Touched{group, 0, size});
    };
    if (Touched* const own = touch(cell)) {
        --own->far;
    } else {
        in_sea = 1;
    }
    for (unsigned bits = grid.mask[cell]; bits != 0; bits &= bits - 1) {
        if (Touched* const group = touch(cell + grid.step[lowest_bit(bits)])) {
            --group->far;
            ++group->near;
        } else {
            ++near_sea_;
        }
    }
    sea_left_ = static_cast<int>(position_->sea().size()) - near_sea_ - in_sea;
    sea_rest_ = &sea_without(near_sea_ + in_sea);
    std::size_t cells = 0;
    for (std::size_t i = 0; i < near_count_; ++i) {
        Part& part = position_->part(near_[i].part);
        cells += part.component().cells.size();
        if (cells > Part::kMostCells || !part.study() || !near_[i].window.look(part, near_[i].touched)) return false;
    }
    return true;
}

Prospects::Near& Prospects::near_part(std::size_t part) {
    for (std::size_t i = 0; i < near_count_; ++i)
        if (near_[i].part == part) return near_[i];
    if (near_.size() == near_count_) near_.emplace_back();
    Near& near = near_[near_count_++];
    near.part = part;
    near.touched.clear();
    return near;
}

// The parts that are not around the cell: they are the same for many cells.
void Prospects::choose_others() {
    affected_.assign(position_->parts(), 0);
    for (std::size_t i = 0; i < near_count_; ++i) affected_[near_[i].part] = 1;
    for (rest_ = 0; rest_ < others_count_; ++rest_)
        if (others_[rest_].affected == affected_) return;
    if (others_.size() == others_count_) others_.emplace_back();
    Others& others = others_[others_count_++];
    others.affected = affected_;
    others.without.assign(position_->parts(), {});
    others.most_spread = others.widest_gap = 0;
    others.open = true;
    others.weights = {0, {1}};
    CountWeights around{0, {1}};
    for (std::size_t i = 0; i < position_->parts(); ++i) {
        const Part& part = position_->part(i);
        if (affected_[i]) {
            multiply(part.weights(), 1, around);
            continue;
        }
        multiply(part.weights(), scale_of(part.weights()), others.weights);
        others.most_spread = std::max(others.most_spread, part.weights().length() - 1);
        others.widest_gap = std::max(others.widest_gap, part.widest_gap());
        if (position_->part_in_focus(i)) others.open &= !part.has_safe_group();
    }
    others.total = 0;
    for (int k = 0; k < around.length(); ++k)
        others.total += around.numbers[k] * beyond(others.weights, sea_[0], around.low + k);
}

// The weight of those parts and the sea, if all else has so many mines.
double Prospects::beyond(const CountWeights& others, const std::vector<double>& sea, int mines) const {
    const int in_sea = mines_ - mines - others.low;  // if the others have their fewest
    double sum = 0;
    const int last = std::min(others.length() - 1, in_sea - sea_low_);
    for (int k = std::max(0, in_sea - sea_high_); k <= last; ++k) sum += others.numbers[k] * sea[in_sea - k - sea_low_];
    return sum;
}

// The parts around the cell, and the cells of the sea next to it, tied together.
void Prospects::multiply_near() {
    sea_joint_.reset(near_sea_, 0, near_sea_ + 1);
    for (int n = 0; n <= near_sea_; ++n) sea_joint_.of(n)[n] = kChoose[near_sea_][n];
    sea_joint_.near = (2u << near_sea_) - 1;
    multiply_all_but(kNone, joint_);
}

// The same without one of them.
void Prospects::multiply_all_but(std::size_t number, Joint& out) {
    out = near_sea_ > 0 && number != kSea ? sea_joint_ : unit();
    for (std::size_t i = 0; i < near_count_; ++i) {
        if (i == number) continue;
        multiply(near_[i].window.joint(), out, product_);
        std::swap(out, product_);
    }
}

void Prospects::weigh_beyond() {
    beyond_.resize(static_cast<std::size_t>(joint_.length));
    for (int k = 0; k < joint_.length; ++k) beyond_[k] = beyond(others_[rest_].weights, *sea_rest_, joint_.low + k);
    sea_mines_.clear();
}

// Whether, with so many mines next to the cell, the number of mines rules out nothing that the clues allow.
bool Prospects::count_cannot_bind(int near) const {
    const Others& others = others_[rest_];
    if (!others.open) return false;
    for (std::size_t i = 0; i < near_count_; ++i)
        if (!position_->part(near_[i].part).few_groups()) return false;
    const double* const ways = joint_.of(near);
    int first = 0;
    while (!(ways[first] > 0)) ++first;
    int last = joint_.length - 1;
    while (!(ways[last] > 0)) --last;
    int widest_gap = others.widest_gap;
    for (int k = first, gap = 0; k < last; ++k) {
        gap = ways[k] > 0 ? 0 : gap + 1;
        widest_gap = std::max(widest_gap, gap);
    }
    // The sea must fill the gaps, and make up for any part, and any cell of the sea, that has few mines or many.
    const int low = joint_.low + first + others.weights.low;
    const int high = joint_.low + last + others.weights.high();
    const int spread = std::max({1, others.most_spread, last - first});
    return widest_gap <= sea_left_ && low + spread <= mines_ && mines_ <= high + sea_left_ - spread;
}

// By the clues alone.
int Prospects::safe_cells(int near) const {
    const auto others_have = [&](std::size_t number) {
        unsigned have = number == kSea ? 1u : sea_joint_.near;
        for (std::size_t i = 0; i < near_count_; ++i)
            if (i != number) have = sums(have, near_[i].window.joint().near);
        return have;
    };
    // What is left for one of them, bit n: n mines.
    const auto left = [&](std::size_t number) {
        unsigned mines = 0;
        for (int n = 0; n <= near; ++n) mines |= (others_have(number) >> (near - n) & 1) << n;
        return mines;
    };
    int cells = 0;
    for (std::size_t i = 0; i < near_count_; ++i) cells += near_[i].window.safe_cells(left(i));
    if (near_sea_ > 0 && (left(kSea) & sea_joint_.near) == 1) cells += near_sea_;
    return cells;
}

void Prospects::note(Prospect& prospect, double mine, int cells) const {
    prospect.least_mine = std::min(prospect.least_mine, mine);
    if (mine < kCertain) prospect.safe_cells += cells;
}

void Prospects::weigh(Prospect& prospect) {
    if (prospect.weighed) return;
    prospect.weighed = true;
    prospect.safe_cells = 0;
    const int near = prospect.clue + position_->grid().need[cell_];
    weigh_sea(prospect, near);
    weigh_others(prospect, near);
    shares_.clear();
    for (std::size_t i = 0; i < near_count_; ++i) {
        rest_of(i, near, weights_);
        near_[i].window.weigh(weights_, shares_);
    }
    for (const Share& share : shares_) note(prospect, share.mine, share.cells);
}

// The weight of all else, by the mines in one of the parts around the cell and those of them that are near, if so many
// are near in all.
void Prospects::rest_of(std::size_t number, int near, Joint& out) {
    const Joint& own = number == kSea ? sea_joint_ : near_[number].window.joint();
    out.reset(own.most, own.low, own.length);
    multiply_all_but(number, joint_of_others_);
    const Joint& others = joint_of_others_;
    for (int n = std::max(0, near - others.most); n <= std::min(own.most, near); ++n) {
        const double* const ways = others.of(near - n);
        const double* const beyond = beyond_.data() + (own.low + others.low - joint_.low);
        for (int k = 0; k < own.length; ++k) {
            double sum = 0;
            for (int j = 0; j < others.length; ++j) sum += ways[j] * beyond[j + k];
            out.of(n)[k] = sum / totals_[near];
        }
    }
}

// Cells of the sea: those next to the cell, and all others.
void Prospects::weigh_sea(Prospect& prospect, int near) {
    if (near_sea_ > 0) {
        rest_of(kSea, near, weights_);
        double expected = 0;
        for (int n = 1; n <= near_sea_; ++n) expected += n * sea_joint_.of(n)[n] * weights_.of(n)[n];
        note(prospect, expected / near_sea_, near_sea_);
    }
    if (sea_left_ == 0 || !position_->focus_on_sea()) return;
    if (sea_mines_.empty()) {
        sea_by_mines_ = *sea_rest_;
        for (std::size_t j = 0; j < sea_by_mines_.size(); ++j) sea_by_mines_[j] *= sea_low_ + static_cast<double>(j);
        for (int k = 0; k < joint_.length; ++k)
            sea_mines_.push_back(beyond(others_[rest_].weights, sea_by_mines_, joint_.low + k));
    }
    double expected = 0;
    for (int k = 0; k < joint_.length; ++k) expected += joint_.of(near)[k] * sea_mines_[k];
    note(prospect, expected / totals_[near] / sea_left_, sea_left_);
}

// Parts that have nothing to do with the cell: only the number of mines that are left for each differs.
void Prospects::weigh_others(Prospect& prospect, int near) {
    Others& others = others_[rest_];
    // The weight of what is around the cell and of the sea, by the mines in all other parts.
    const CountWeights around{joint_.low, {joint_.of(near), joint_.of(near) + joint_.length}};
    around_.clear();
    for (int k = 0; k < others.weights.length(); ++k) around_.push_back(beyond(around, *sea_rest_, others.weights.low + k));
    for (std::size_t i = 0; i < position_->parts(); ++i) {
        if (others.affected[i] || !position_->part_in_focus(i)) continue;
        Part& part = position_->part(i);
        if (!part.study()) continue;
        CountWeights& without = others.without[i];
        if (without.numbers.empty()) {
            without = {0, {1}};
            for (std::size_t j = 0; j < position_->parts(); ++j)
                if (j != i && !others.affected[j])
                    multiply(position_->part(j).weights(), scale_of(position_->part(j).weights()), without);
        }
        const double scale = scale_of(part.weights()) / totals_[near];
        part_rest_.assign(part.weights().numbers.size(), 0);
        for (std::size_t k = 0; k < part_rest_.size(); ++k)
            for (int j = 0; j < without.length(); ++j) part_rest_[k] += without.numbers[j] * around_[k + j] * scale;
        part.each_group(part_rest_, [&](const Group& group, double mine) { note(prospect, mine, group.size); });
    }
}

}  // namespace mines
