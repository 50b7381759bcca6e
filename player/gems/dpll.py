"""The algorithm ``dpll``, without a library.

Davis, Logemann and Loveland, *A machine program for theorem-proving* (CACM 5, 1962): assign what a clause with one open
literal forces, assign literals that occur with one sign only, and otherwise branch. Every clause keeps count of its
true and its open literals, so a clause without either is noticed at once. A contradiction is answered where it comes
from, not where it shows: every assignment remembers why it was made, and the search goes back to the last decision that
has a part in it (*conflict-directed backjumping*: Prosser, Hybrid algorithms for the constraint satisfaction problem,
1993). No clauses are learned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from minesweeper.player.gems.parts import Part
from minesweeper.player.logic.cnf import Clause, exactly


def dpll_solutions(part: Part, *, pure_literals: bool = False) -> Iterator[list[bool]]:
    """Yield all solutions of a part, each a list of bool by variable.

    With `pure_literals` solutions may be missing, but not all: assigning a pure literal never costs the last solution.
    """
    clauses = [clause for variables, need in part.clues for clause in exactly(variables, need)]
    if [] not in clauses:
        yield from _Search(part.size, clauses, pure_literals).run()


class _Search:
    """The state of one search. Lists by literal hold literal l at place l, and -l at place -l from the end."""

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
        self.trail: list[int] = []  # true literals in the order in which they became so
        # Why a literal on the trail is true: the clause that forces it; nothing for a decision.
        self.reason: list[Sequence[int] | None] = [None] * (2 * size + 1)
        self.waiting: list[tuple[int, Sequence[int] | None]] = [(c[0], c) for c in clauses if len(c) == 1]
        self.order: list[int] = []  # in which clauses are to be satisfied
        self.satisfied_before = [0]  # for each decision and now, a place in that order before which all are satisfied

    def run(self) -> Iterator[list[bool]]:
        false_clause = self.propagate()
        self.order = self.walk()
        while True:
            if false_clause is None:
                literal, pure = self.choose()
                if literal:
                    # Where a pure literal leads to nothing, its opposite does no better.
                    if not pure:
                        self.satisfied_before.append(self.satisfied_before[-1])
                    self.waiting.append((literal, [literal] if pure else None))
                    false_clause = self.propagate()
                    continue
                yield [self.value[variable] > 0 for variable in range(1, self.size + 1)]
                # Every other solution has one of these decisions otherwise.
                false_clause = [-literal for literal in self.trail if self.reason[literal] is None]
            if not self.go_back(false_clause):
                return
            false_clause = self.propagate()

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

    def propagate(self) -> Sequence[int] | None:
        """Assign what is waiting and all that follows; return a clause that has become false, if any."""
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
        """Undo the trail up to the last decision that made a clause false, and turn it round; False if there is none.

        What is left of the blame is the reason for the opposite: it holds as long as the trail before it.
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
        """Name a literal to assign next, 0 if every clause is satisfied, and say whether it is pure.

        The candidates are the open literals of the earliest clause that is not satisfied. Their order goes from
        neighbour to neighbour, so this finishes one clue after the other. A pure one is taken at once. Otherwise the
        choice is the one in most clauses that are not satisfied yet, short clauses counting more (Jeroslow and Wang,
        *Solving propositional satisfiability problems*, 1990).
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
