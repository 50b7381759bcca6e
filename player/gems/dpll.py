"""The algorithm ``dpll``, without a library.

Davis, Logemann and Loveland, *A machine program for theorem-proving* (CACM 5, 1962): assign the last open literal of a
clause, and otherwise branch. Each assignment has a reason, and after a contradiction the search returns to the last
decision that contributed to it (*conflict-directed backjumping*: Prosser, Hybrid algorithms for the constraint
satisfaction problem, 1993). The search learns no clauses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from minesweeper.player.gems.puzzle import Part
from minesweeper.player.logic.clauses import exactly

Forced = tuple[int, Sequence[int] | None]
"""A literal, and the clause that forces it; None for a decision."""


def dpll_solutions(part: Part) -> Iterator[list[bool]]:
    """Yield all solutions of a part, each a list of bool by variable."""
    clauses = [clause for variables, need in part.clues for clause in exactly(variables, need)]
    variables = range(1, part.size + 1)
    # Lists by literal use negative indices for negated variables.
    occurs: list[list[Sequence[int]]] = [[] for _ in range(2 * part.size + 1)]
    for clause in clauses:
        for literal in clause:
            occurs[literal].append(clause)
    value = [0] * (2 * part.size + 1)  # 1 true, -1 false, 0 open
    trail: list[Forced] = []  # in the order of assignment

    def propagate(waiting: list[Forced]) -> Sequence[int] | None:
        """Assign literals and everything that they force. Return a false clause, if any."""
        while waiting:
            literal, reason = waiting.pop()
            if value[literal] < 0:
                return reason
            if value[literal]:
                continue
            value[literal], value[-literal] = 1, -1
            trail.append((literal, reason))
            for clause in occurs[-literal]:
                left = [other for other in clause if value[other] >= 0]
                if not left:
                    return clause
                if len(left) == 1 and not value[left[0]]:
                    waiting.append((left[0], clause))
        return None

    false = [] if [] in clauses else propagate([(clause[0], clause) for clause in clauses if len(clause) == 1])
    while True:
        if false is None:
            variable = next((variable for variable in variables if not value[variable]), None)
            if variable:
                false = propagate([(-variable, None)])
                continue
            yield [value[variable] > 0 for variable in variables]
            # Every other solution reverses one of these decisions.
            false = [-literal for literal, reason in trail if reason is None]
        # Go back to the last decision that contributed, and reverse it. The others that contributed are the reason.
        blamed = {-literal for literal in false}
        while trail:
            literal, reason = trail.pop()
            value[literal] = value[-literal] = 0
            if literal in blamed:
                blamed.remove(literal)
                if reason is None:
                    false = propagate([(-literal, [-literal, *(-other for other in blamed)])])
                    break
                blamed.update(-other for other in reason if other != literal)
        else:
            return
