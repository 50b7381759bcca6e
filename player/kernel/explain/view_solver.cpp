#include "explain/view_solver.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace mines {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

bool ViewSolver::solve(const View& view, const SolvedArrays& out) {
    load_view(view, {}, closure_);
    const Field& field = closure_.field();
    const std::size_t size = view.cells.size();
    *out.log_layouts = kNaN;
    if (out.chances != nullptr) std::fill_n(out.chances, size, kNaN);
    const bool complete = close(out);
    if (closure_.inconsistent() || field.mines_left < 0 || field.mines_left > field.unknown_left) {
        *out.log_layouts = -kInfinity;
    } else if (out.chances != nullptr) {
        if (complete) *out.log_layouts = kInfinity;
        const Fit fit = counter_.count(field);
        *out.log_layouts = fit == Fit::inconsistent ? -kInfinity : kNaN;
        shares_.assign(field.state.size(), kNaN);
        if (fit == Fit::ok) {
            *out.log_layouts = counter_.log_layouts();
            counter_.probabilities(shares_.data());
        }
    }
    if (*out.log_layouts == -kInfinity) {
        std::fill_n(out.safe, size, false);
        std::fill_n(out.mine, size, false);
        std::fill_n(out.tiers, size, std::uint8_t{0});
        return true;
    }
    if (out.chances != nullptr)
        field.each_cell([&](Index cell, Index place) {
            out.chances[cell] = out.safe[cell] ? 0 : out.mine[cell] ? 1 : shares_[place];
        });
    return complete;
}

// Decide every cell that follows, and write it with its tier.
bool ViewSolver::close(const SolvedArrays& out) {
    const Field& field = closure_.field();
    for (std::size_t count = 1; count > 0;) {
        const Fit fit = closure_.next_round(steps_, count);
        if (fit != Fit::ok) return fit == Fit::inconsistent;
        for (std::size_t i = 0; i < count; ++i) {
            const auto tier = static_cast<std::uint8_t>(steps_[i].tier);
            for (const Index cell : steps_[i].safe) out.safe[field.number(cell)] = true;
            for (const Index cell : steps_[i].mines) out.mine[field.number(cell)] = true;
            for (const auto* const cells : {&steps_[i].safe, &steps_[i].mines})
                for (const Index cell : *cells) out.tiers[field.number(cell)] = tier;
        }
    }
    return true;
}

}  // namespace mines
