"""The algorithm ``dpll``, without a library.

Davis, Logemann and Loveland, *A machine program for theorem-proving* (CACM 5, 1962): assign the last open literal of a
clause, assign literals that occur with one sign only, and otherwise branch. Each clause counts its true and its open
literals, so a false clause is detected at once. Each assignment records its reason, and after a contradiction the
search returns to the last decision that contributed to it (*conflict-directed backjumping*: Prosser, Hybrid algorithms
for the constraint satisfaction problem, 1993). The search learns no clauses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from minesweeper.player.gems.puzzle import Part
from minesweeper.player.logic.cnf import Clause, exactly


def dpll_solutions(part: Part, *, pure_literals: bool = False) -> Iterator[list[bool]]:
    """Yield all solutions of a part, each a list of bool by variable.

    With `pure_literals`, some solutions may be missing, but not all: assigning a pure literal keeps at least one.
    """
    clauses = [clause for variables, need in part.clues for clause in exactly(variables, need)]
    if [] not in clauses:
        yield from _Search(part.size, clauses, pure_literals).run()


class _Search:
    """The state of one search. Lists indexed by literal use negative indices for negated variables."""

    def __init__(self, size: int, clauses: list[Clause], pure_literals: bool) -> None:
        self.size = size
        self.clauses = clauses
        self.pure_literals = pure_literals
        self.occurs: list[list[int]] = [[] for _ in range(2 * size + 1)]
        for number, clause in enumerate(clauses):
            for literal in clause:
                self.occurs[literal].append(number)
        self.value = [0] * (2 * size + 1)  # of each literal: 1 true, -1 false, 0 open
        self.true = [0] * len(clauses)  # true literals of each clause
        self.open = [len(clause) for clause in clauses]  # literals of each clause that are not false
        self.trail: list[int] = []  # true literals in the order of assignment
        # The clause that forces each literal on the trail; None for a decision.
        self.reason: list[Sequence[int] | None] = [None] * (2 * size + 1)
        self.waiting: list[tuple[int, Sequence[int] | None]] = [(c[0], c) for c in clauses if len(c) == 1]
        self.order: list[int] = []  # the order in which to satisfy the clauses
        self.satisfied_before = [0]  # by decision level: the clauses before this place in `order` are satisfied

    def run(self) -> Iterator[list[bool]]:
        false_clause = self.propagate()
        self.order = self.walk()
        while True:
            if false_clause is None:
                literal, pure = self.choose()
                if literal:
                    # If a pure literal leads to no solution, neither does its negation.
                    if not pure:
                        self.satisfied_before.append(self.satisfied_before[-1])
                    self.waiting.append((literal, [literal] if pure else None))
                    false_clause = self.propagate()
                    continue
                yield [self.value[variable] > 0 for variable in range(1, self.size + 1)]
                # Every other solution reverses one of these decisions.
                false_clause = [-literal for literal in self.trail if self.reason[literal] is None]
            if not self.go_back(false_clause):
                return
            false_clause = self.propagate()

    def walk(self) -> list[int]:
        """Order the unsatisfied clauses so that each shares an open variable with an earlier one if possible.

        The first propagation leaves independent pieces. In this order, a piece is never searched again because of
        another one.
        """
        order: list[int] = []
        met: set[int] = set()
        variables: set[int] = set()
        for start in range(len(self.clauses)):
            if start in met or self.true[start]:
                continue
            met.add(start)
            queue = [start]
            for number in queue:
                for literal in self.clauses[number]:
                    if not self.value[literal] and abs(literal) not in variables:
                        variables.add(abs(literal))
                        near = [c for sign in (literal, -literal) for c in self.occurs[sign]]
                        fresh = [c for c in sorted(near) if c not in met and not self.true[c]]
                        met.update(fresh)
                        queue += fresh
            order += queue
        return order

    def propagate(self) -> Sequence[int] | None:
        """Assign the waiting literals and everything that they force; return a false clause, if any."""
        value, true, open_, occurs, clauses = self.value, self.true, self.open, self.occurs, self.clauses
        waiting = self.waiting
        while waiting:
            literal, reason = waiting.pop()
            if value[literal]:
                if value[literal] > 0:
                    continue
                waiting.clear()
                return reason
            value[literal], value[-literal] = 1, -1
            self.reason[literal] = reason
            self.trail.append(literal)
            for number in occurs[literal]:
                true[number] += 1
            false_clause = None
            for number in occurs[-literal]:
                open_[number] -= 1
                if not true[number]:
                    if open_[number] == 1:
                        clause = clauses[number]
                        waiting.append((next(other for other in clause if not value[other]), clause))
                    elif not open_[number]:
                        false_clause = clauses[number]
            if false_clause is not None:
                waiting.clear()
                return false_clause
        return None

    def go_back(self, false_clause: Sequence[int]) -> bool:
        """Undo the trail up to the last decision that contributed to a false clause, and reverse it; False if none did.

        The remaining blamed literals are the reason for the reversal: it holds as long as the trail before it.
        """
        blamed = {-literal for literal in false_clause}
        while self.trail:
            literal = self.trail.pop()
            self.value[literal] = self.value[-literal] = 0
            for number in self.occurs[literal]:
                self.true[number] -= 1
            for number in self.occurs[-literal]:
                self.open[number] += 1
            reason = self.reason[literal]
            if reason is None:
                self.satisfied_before.pop()
            if literal in blamed:
                blamed.remove(literal)
                if reason is None:
                    self.waiting.append((-literal, [-literal, *(-other for other in blamed)]))
                    return True
                blamed.update(-other for other in reason if other != literal)
        return False

    def choose(self) -> tuple[int, bool]:
        """Return the next literal to assign, 0 if every clause is satisfied, and True if it is pure.

        The candidates are the open literals of the earliest unsatisfied clause; the order of clauses goes from
        neighbour to neighbour, so this finishes one clue after another. A pure literal is taken at once. Otherwise the
        literal in most unsatisfied clauses wins, with a higher weight for short clauses (Jeroslow and Wang, *Solving
        propositional satisfiability problems*, 1990).
        """
        place = self.satisfied_before[-1]
        while place < len(self.order) and self.true[self.order[place]]:
            place += 1
        self.satisfied_before[-1] = place
        if place == len(self.order):
            return 0, False
        best, best_weight = 0, -1.0
        for literal in self.clauses[self.order[place]]:
            if not self.value[literal]:
                weight = self.weight(literal)
                if self.pure_literals and not self.weight(-literal):
                    return literal, True
                if weight > best_weight:
                    best, best_weight = literal, weight
        return best, False

    def weight(self, literal: int) -> float:
        return sum(0.5 ** self.open[number] for number in self.occurs[literal] if not self.true[number])
