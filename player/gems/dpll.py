"""The algorithm ``dpll``, without a library.

Davis, Logemann and Loveland, *A machine program for theorem-proving* (CACM 5, 1962): assign what a clause with one open
literal forces, assign literals that occur with one sign only, and otherwise branch. Every clause keeps count of its
true and its open literals, so a clause without either is noticed at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from player.gems.parts import Part
from player.logic.cnf import exactly


def dpll_solutions(part: Part, *, pure_literals: bool = False) -> Iterator[list[bool]]:
    """Yield all solutions of a part, each a list of bool by variable.

    With `pure_literals` solutions may be missing, but not all: assigning a pure literal never costs the last solution.
    """
    clauses = [clause for variables, need in part.clues for clause in exactly(variables, need)]
    if [] not in clauses:
        yield from _Search(part.size, clauses, pure_literals).run()


class _Search:
    """The state of one search. Lists by literal hold literal l at place l, and -l at place -l from the end."""

    def __init__(self, size: int, clauses: list[list[int]], pure_literals: bool) -> None:
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
        self.trail: list[int] = []
        self.waiting = [clause[0] for clause in clauses if len(clause) == 1]
        self.order: list[int] = []  # in which clauses are to be satisfied
        self.satisfied_before = 0  # the place in that order before which every clause is satisfied

    def run(self) -> Iterator[list[bool]]:
        decisions: list[tuple[int, int, int]] = []  # length of the trail, the literal, satisfied_before
        possible = self.propagate()
        self.order = self.walk()
        while True:
            if possible:
                literal, pure = self.choose()
                if literal:
                    # Where a pure literal leads to nothing, its opposite does no better.
                    if not pure:
                        decisions.append((len(self.trail), literal, self.satisfied_before))
                    self.waiting.append(literal)
                    possible = self.propagate()
                    continue
                yield [self.value[variable] > 0 for variable in range(1, self.size + 1)]
            if not decisions:
                return
            length, literal, self.satisfied_before = decisions.pop()
            self.undo(length)
            # The other branch is no decision any more: it is what the trail before it implies.
            self.waiting.append(-literal)
            possible = self.propagate()

    def walk(self) -> list[int]:
        """Order the clauses that are not satisfied so that each shares an open variable with one before, if any does.

        What the first propagation leaves falls into pieces. One after the other, none is searched again because of
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

    def propagate(self) -> bool:
        """Assign what is waiting and all that follows; False if a clause has become false."""
        value, true, open_, occurs, clauses = self.value, self.true, self.open, self.occurs, self.clauses
        waiting = self.waiting
        while waiting:
            literal = waiting.pop()
            if value[literal]:
                if value[literal] > 0:
                    continue
                waiting.clear()
                return False
            value[literal], value[-literal] = 1, -1
            self.trail.append(literal)
            for number in occurs[literal]:
                true[number] += 1
            valid = True
            for number in occurs[-literal]:
                open_[number] -= 1
                if not true[number]:
                    if open_[number] == 1:
                        waiting.append(next(other for other in clauses[number] if not value[other]))
                    elif not open_[number]:
                        valid = False
            if not valid:
                waiting.clear()
                return False
        return True

    def choose(self) -> tuple[int, bool]:
        """Name a literal to assign next, 0 if every clause is satisfied, and say whether it is pure.

        The candidates are the open literals of the earliest clause that is not satisfied. Their order goes from
        neighbour to neighbour, so this finishes one clue after the other. A pure one is taken at once. Otherwise the
        choice is the one in most clauses that are not satisfied yet, short clauses counting more (Jeroslow and Wang,
        *Solving propositional satisfiability problems*, 1990).
        """
        place = self.satisfied_before
        while place < len(self.order) and self.true[self.order[place]]:
            place += 1
        self.satisfied_before = place
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

    def undo(self, length: int) -> None:
        for literal in self.trail[length:]:
            self.value[literal] = self.value[-literal] = 0
            for number in self.occurs[literal]:
                self.true[number] -= 1
            for number in self.occurs[-literal]:
                self.open[number] += 1
        del self.trail[length:]
