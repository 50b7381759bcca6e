"""An oracle that shares no code with the kernel: the best play, by a game tree in plain Python."""

from functools import cache
from itertools import combinations


def brute_force(rows: int, cols: int, mines: int, click: int, opening: bool) -> tuple[int, int]:
    """Wins and layouts of the best play, which may open any hidden cell at any time: no closure, no pruning."""
    cells = range(rows * cols)
    near = {
        a: [b for b in cells if a != b and abs(a // cols - b // cols) < 2 and abs(a % cols - b % cols) < 2]
        for a in cells
    }
    zone = {click, *near[click]} if opening else {click}
    every = [frozenset(chosen) for chosen in combinations([c for c in cells if c not in zone], mines)]

    def split(opened: frozenset[int], layouts: frozenset[frozenset[int]], cell: int) -> int:
        parts: dict[tuple[tuple[int, int], ...], set[frozenset[int]]] = {}
        for layout in layouts:
            if cell in layout:
                continue
            shown, queue = {}, [cell]
            while queue:
                at = queue.pop()
                if at in shown or at in opened:
                    continue
                shown[at] = sum(other in layout for other in near[at])
                queue += near[at] if shown[at] == 0 else []
            parts.setdefault(tuple(sorted(shown.items())), set()).add(layout)
        return sum(wins(opened | {at for at, _ in shown}, frozenset(part)) for shown, part in parts.items())

    @cache
    def wins(opened: frozenset[int], layouts: frozenset[frozenset[int]]) -> int:
        if len(opened) == len(cells) - mines:
            return len(layouts)
        return max(split(opened, layouts, cell) for cell in cells if cell not in opened)

    return split(frozenset(), frozenset(every), click), len(every)
