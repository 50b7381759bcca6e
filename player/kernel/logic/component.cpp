#include "logic/component.hpp"

#include <algorithm>
#include <cstddef>

#include "base/interrupt.hpp"

namespace mines {
namespace {

// Narrower orders are good enough; wider ones get more starts.
constexpr int kNarrow = 7;
constexpr int kStarts = 3;
// Orders wider than this get an even longer search.
constexpr int kWide = 10;
constexpr int kStartsIfWide = 6;

bool same_clues(const Group& a, const Group& b) {
    return a.clue_count == b.clue_count && std::equal(a.clues, a.clues + a.clue_count, b.clues);
}

}  // namespace

void ComponentFinder::restart(const Field& field) {
    const size_t size = field.state.size();
    if (stamps_.size() < size) {
        stamps_.resize(size);
        clue_number_.resize(size);
    }
    if (++stamp_ == 0) {
        std::fill(stamps_.begin(), stamps_.end(), 0);
        stamp_ = 1;
    }
}

// Collect the component by breadth-first search, number its clues and put each cell into its group.
void ComponentFinder::collect(const Field& field, Index clue, Component& out) {
    out.clues.clear();
    out.needs.clear();
    cells_copy_.clear();
    out.groups.clear();
    group_of_.clear();
    first_group_.clear();
    next_group_.clear();

    const auto visit = [&](Index index) {
        stamps_[index] = stamp_;
        clue_number_[index] = static_cast<int>(out.clues.size());
        out.clues.push_back(index);
        out.needs.push_back(field.need[index]);
        first_group_.push_back(-1);
    };
    visit(clue);
    for (size_t k = 0; k < out.clues.size(); ++k) {
        check_interrupt();
        const Index from = out.clues[k];
        for (unsigned bits = field.mask[from]; bits != 0; bits &= bits - 1) {
            const Index cell = from + field.steps(from)[lowest_bit(bits)];
            if (stamps_[cell] == stamp_) continue;
            stamps_[cell] = stamp_;

            Group group{0, 1, 0, {}};
            for (const int step : field.steps(cell)) {
                const Index near = cell + step;
                if (field.state[near] != kOpen) continue;
                if (stamps_[near] != stamp_) visit(near);
                group.clues[group.clue_count++] = clue_number_[near];
            }
            // Equal groups list their clues in the same order, so the list of the first clue contains them.
            int& chain = first_group_[group.clues[0]];
            int number = chain;
            while (number >= 0 && !same_clues(out.groups[number], group)) number = next_group_[number];
            if (number >= 0) {
                ++out.groups[number].size;
            } else {
                number = static_cast<int>(out.groups.size());
                out.groups.push_back(group);
                next_group_.push_back(chain);
                chain = number;
            }
            cells_copy_.push_back(cell);
            group_of_.push_back(number);
        }
    }
    int at = 0;
    queue_.resize(out.groups.size());  // per group: index of its next cell
    for (size_t g = 0; g < out.groups.size(); ++g) {
        out.groups[g].first = queue_[g] = at;
        at += out.groups[g].size;
    }
    out.cells.resize(cells_copy_.size());
    for (size_t i = 0; i < cells_copy_.size(); ++i) out.cells[queue_[group_of_[i]]++] = cells_copy_[i];
}

void ComponentFinder::order(Component& out) {
    link_groups(out);

    const int groups = static_cast<int>(out.groups.size());
    int start = far_group(out, groups - 1);
    int64_t best = order_from(out, start, INT64_MAX, best_order_, out.width);
    // Try other starts for a wide component: the work grows exponentially with the width.
    const int starts = out.width > kWide ? kStartsIfWide : kStarts;
    for (int attempt = 1; attempt < starts && out.width > kNarrow; ++attempt) {
        start =
            attempt == 1 ? far_group(out, start) : static_cast<int>(static_cast<int64_t>(attempt) * groups / starts);
        int width = 0;
        const int64_t cost = order_from(out, start, best, order_, width);
        if (cost < best) {
            best = cost;
            out.width = width;
            best_order_.swap(order_);
        }
    }
    apply_order(out);
}

void ComponentFinder::link_groups(const Component& component) {
    const size_t clues = component.clues.size();
    link_first_.assign(clues + 1, 0);
    for (const Group& group : component.groups)
        for (int i = 0; i < group.clue_count; ++i) ++link_first_[group.clues[i] + 1];
    for (size_t k = 0; k < clues; ++k) link_first_[k + 1] += link_first_[k];
    links_.resize(link_first_[clues]);
    left_.assign(link_first_.begin(), link_first_.end() - 1);
    for (size_t g = 0; g < component.groups.size(); ++g) {
        const Group& group = component.groups[g];
        for (int i = 0; i < group.clue_count; ++i) links_[left_[group.clues[i]]++] = static_cast<int>(g);
    }
}

// Return the group that a breadth-first search from `start` reaches last: one end of the component.
int ComponentFinder::far_group(const Component& component, int start) {
    placed_.assign(component.groups.size(), 0);
    queue_.assign(1, start);
    placed_[start] = 1;
    for (size_t at = 0; at < queue_.size(); ++at) {
        const Group& group = component.groups[queue_[at]];
        for (int i = 0; i < group.clue_count; ++i) {
            const int clue = group.clues[i];
            for (int link = link_first_[clue]; link < link_first_[clue + 1]; ++link) {
                if (placed_[links_[link]]) continue;
                placed_[links_[link]] = 1;
                queue_.push_back(links_[link]);
            }
        }
    }
    return queue_.back();
}

// Order greedily: place the group that leaves the fewest clues active, with ties broken by the oldest clue. Returns an
// estimate of the number of states (2 to the power of active clues, summed), or `limit` if it is not lower.
int64_t ComponentFinder::order_from(const Component& component, int start, int64_t limit, std::vector<int>& order,
                                    int& width) {
    const size_t clues = component.clues.size();
    const size_t groups = component.groups.size();
    left_.resize(clues);
    for (size_t k = 0; k < clues; ++k) left_[k] = link_first_[k + 1] - link_first_[k];
    touched_at_.assign(clues, -1);
    placed_.assign(groups, 0);
    active_.clear();
    order.clear();
    width = 0;
    int64_t cost = 0;
    int next = start;
    while (true) {
        check_interrupt();
        const Group& group = component.groups[next];
        placed_[next] = 1;
        order.push_back(next);
        bool finished = false;
        for (int i = 0; i < group.clue_count; ++i) {
            const int clue = group.clues[i];
            if (touched_at_[clue] < 0) {
                touched_at_[clue] = static_cast<int>(order.size());
                active_.push_back(clue);
            }
            finished |= --left_[clue] == 0;
        }
        width = std::max(width, static_cast<int>(active_.size()));
        cost += int64_t{1} << std::min<size_t>(active_.size(), 40);
        if (cost >= limit) return limit;
        if (finished) {
            active_.erase(std::remove_if(active_.begin(), active_.end(), [&](int clue) { return left_[clue] == 0; }),
                          active_.end());
        }
        if (order.size() == groups) return cost;

        int best_change = INT32_MAX;
        for (const int clue : active_) {
            for (int link = link_first_[clue]; link < link_first_[clue + 1]; ++link) {
                const int candidate = links_[link];
                if (placed_[candidate]) continue;
                const Group& option = component.groups[candidate];
                int change = 0;
                for (int i = 0; i < option.clue_count; ++i) {
                    const int seen = option.clues[i];
                    change += (touched_at_[seen] < 0 ? 1 : 0) - (left_[seen] == 1 ? 1 : 0);
                }
                if (change < best_change) {
                    best_change = change;
                    next = candidate;
                }
            }
        }
    }
}

void ComponentFinder::apply_order(Component& component) {
    groups_copy_.assign(component.groups.begin(), component.groups.end());
    cells_copy_.assign(component.cells.begin(), component.cells.end());
    int at = 0;
    for (size_t g = 0; g < best_order_.size(); ++g) {
        Group& group = component.groups[g];
        group = groups_copy_[best_order_[g]];
        std::copy_n(cells_copy_.begin() + group.first, group.size, component.cells.begin() + at);
        group.first = at;
        at += group.size;
    }
}

}  // namespace mines
