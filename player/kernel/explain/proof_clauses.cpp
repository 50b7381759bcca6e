#include "explain/proof_clauses.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <numeric>

#include "base/bits.hpp"
#include "base/interrupt.hpp"

namespace mines {
namespace {

struct Constraint {
    std::vector<int> variables;
    int need;
};

class Encoder {
  public:
    explicit Encoder(const ClaimedStep& step) : step_(step), variable_(static_cast<std::size_t>(step.grid.size()), 0) {}

    std::optional<Clauses> encode() {
        const auto cells = static_cast<int>(variable_.size());
        int unknown = 0, mines = 0;
        for (int cell = 0; cell < cells; ++cell) {
            unknown += step_.unknown[cell];
            mines += step_.unknown[cell] & step_.mine[cell];
        }
        if (!step_.counted || !step_.clues.empty()) {
            for (const int clue : step_.clues)
                if (!add_clue(clue)) return std::nullopt;
        } else {
            for (int cell = 0; cell < cells; ++cell)
                if (is_clue(cell)) add_clue(cell);
        }
        for (const Constraint& clue : clues_) exactly(clue);
        int some_mine = 0, some_safe = 0;
        if (step_.counted) count(unknown - top_, mines, some_mine, some_safe);
        std::vector<int> negation;
        if (!negate(step_.safe, 1, some_mine, negation) || !negate(step_.mines, -1, some_safe, negation))
            return std::nullopt;
        std::sort(negation.begin(), negation.end());
        negation.erase(std::unique(negation.begin(), negation.end()), negation.end());
        clauses_.push_back(negation);
        return std::move(clauses_);
    }

  private:
    // Whether a cell shows a clue with unknown neighbours.
    bool is_clue(int cell) const {
        if (step_.unknown[cell] || step_.mine[cell]) return false;
        bool touches = false;
        step_.grid.each_around(cell, [&](int near) { touches |= step_.unknown[near] != 0; });
        return touches;
    }

    bool add_clue(int cell) {
        if (step_.unknown[cell] || step_.mine[cell]) return false;
        Constraint clue{{}, 0};
        step_.grid.each_around(cell, [&](int near) {
            if (!step_.unknown[near]) return;
            int& variable = variable_[static_cast<std::size_t>(near)];
            if (variable == 0) variable = ++top_;
            clue.variables.push_back(variable);
            clue.need += step_.mine[near];
        });
        clues_.push_back(std::move(clue));
        return true;
    }

    // Add a clause of each `size` of the literals.
    void each_subset(const std::vector<int>& literals, int size) {
        const int all = static_cast<int>(literals.size());
        for (unsigned chosen = 0; chosen < 1u << all; ++chosen) {
            if (count_bits(chosen) != size) continue;
            std::vector<int>& clause = clauses_.emplace_back();
            for (unsigned bits = chosen; bits != 0; bits &= bits - 1)
                clause.push_back(literals[static_cast<std::size_t>(lowest_bit(bits))]);
        }
    }

    void exactly(const Constraint& clue) {
        std::vector<int> opposite = clue.variables;
        for (int& literal : opposite) literal = -literal;
        each_subset(opposite, clue.need + 1);
        each_subset(clue.variables, static_cast<int>(clue.variables.size()) - clue.need + 1);
    }

    // Add the number of mines, as `count_formula` does. Without unconstrained cells some_mine and some_safe remain 0.
    void count(int elsewhere, int mines, int& some_mine, int& some_safe) {
        const int frontier = top_;
        std::vector<int> order(clues_.size());
        std::iota(order.begin(), order.end(), 0);
        const auto at = [this](int clue) -> const Constraint& { return clues_[static_cast<std::size_t>(clue)]; };
        std::stable_sort(order.begin(), order.end(),
                         [&](int one, int other) { return at(one).variables.size() > at(other).variables.size(); });
        std::vector<std::uint8_t> counted(static_cast<std::size_t>(frontier) + 1, 0);
        const auto is_counted = [&](int variable) { return counted[static_cast<std::size_t>(variable)] != 0; };
        for (const int clue : order) {
            const std::vector<int>& variables = at(clue).variables;
            if (std::any_of(variables.begin(), variables.end(), is_counted)) continue;
            for (const int variable : variables) counted[static_cast<std::size_t>(variable)] = 1;
            mines -= at(clue).need;
        }
        std::vector<int> left;
        for (int variable = 1; variable <= frontier; ++variable)
            if (!is_counted(variable)) left.push_back(variable);
        if (elsewhere > 0) {
            some_mine = ++top_;
            some_safe = ++top_;
        }
        std::vector<int> opposite = left;
        for (int& literal : opposite) literal = -literal;
        const int most_safe = static_cast<int>(left.size()) - mines + elsewhere;
        if (elsewhere > 0) {
            left.push_back(some_mine);
            opposite.push_back(some_safe);
        }
        at_most(left, mines);
        at_most(opposite, most_safe);
    }

    // Encode that at most `bound` of the literals hold, by a totalizer.
    void at_most(const std::vector<int>& literals, int bound) {
        if (bound >= static_cast<int>(literals.size())) return;
        if (bound < 0) clauses_.emplace_back();
        if (bound == 0)
            for (const int literal : literals) clauses_.push_back({-literal});
        if (bound <= 0) return;
        std::deque<std::vector<int>> nodes;
        for (const int literal : literals) nodes.push_back({literal});
        while (nodes.size() > 1) {
            check_interrupt();
            const std::vector<int> one = std::move(nodes[0]), other = std::move(nodes[1]);
            nodes.erase(nodes.begin(), nodes.begin() + 2);
            std::vector<int> both(std::min(one.size() + other.size(), static_cast<std::size_t>(bound) + 1));
            for (int& variable : both) variable = ++top_;
            for (const std::vector<int>* const node : {&one, &other})
                for (std::size_t i = 0; i < node->size(); ++i) clauses_.push_back({-(*node)[i], both[i]});
            for (std::size_t i = 0; i < one.size(); ++i)
                for (std::size_t j = 0; j < other.size() && i + j + 1 < both.size(); ++j)
                    clauses_.push_back({-one[i], -other[j], both[i + j + 1]});
            nodes.push_back(std::move(both));
        }
        clauses_.push_back({-nodes[0][static_cast<std::size_t>(bound)]});
    }

    // Add the literals of the opposite of the claims. `other` stands for a cell that touches no clue.
    bool negate(const std::vector<int>& claimed, int sign, int other, std::vector<int>& negation) const {
        for (const int cell : claimed) {
            const int variable = variable_[static_cast<std::size_t>(cell)];
            if (!step_.unknown[cell] || (variable == 0 && other == 0)) return false;
            negation.push_back(variable == 0 ? other : sign * variable);
        }
        return true;
    }

    const ClaimedStep& step_;
    std::vector<int> variable_;  // of each cell; 0 without one
    int top_ = 0;                // the highest variable
    std::vector<Constraint> clues_;
    Clauses clauses_;
};

}  // namespace

std::optional<Clauses> proof_clauses(const ClaimedStep& step) { return Encoder(step).encode(); }

}  // namespace mines
