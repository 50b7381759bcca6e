"""Check a solver, see README.md: python check_vectors.py vectors.txt COMMAND [ARGUMENT ...]"""

import json
import sys
from fractions import Fraction
from subprocess import PIPE, Popen


def ask(solver, *messages):
    print(*map(json.dumps, messages), sep="\n", file=solver.stdin, flush=True)
    return json.loads(solver.stdout.readline())


def agrees(key, given, right):
    if key in ("open", "safe", "mines"):
        cells = {f"{r},{c}" for r, c in given}
        return cells <= right if key == "open" else cells == right
    if key in ("probabilities", "reasons"):
        given = {f"{r},{c}": value for r, row in enumerate(given) for c, value in enumerate(row) if value is not None}
        return given.keys() == right.keys() and all(agrees("chance", given[at], right[at]) for at in right)
    near = key == "chance" and isinstance(given, float) and abs(given - Fraction(right)) <= 1e-9
    return near or str(given) == right


checked, wrong = [], []
with open(sys.argv[1]) as file, Popen(sys.argv[2:], stdin=PIPE, stdout=PIPE, text=True) as solver:
    kind = "solve" if ask(solver, {"type": "hello", "protocol": 1}).get("solves") else "move"
    for position in file.read().split("\n\n")[1:]:
        lines = [line.split() for line in position.splitlines()]
        name, count, layouts, *view = (line[1] for line in lines if line[0] not in ("chance", "reason"))
        chances, sizes = ({at: v for k, v, *ats in lines if k == key for at in ats} for key in ("chance", "reason"))
        safe, mines = ({at for at, chance in chances.items() if chance == sure} for sure in "01")
        right = {"layouts": layouts, "probabilities": chances, "reasons": sizes, "safe": safe, "mines": mines}
        right["open"] = safe or chances.keys() - mines
        game = {"type": "game", "rows": len(view), "cols": len(view[0]), "mines": int(count), "seed": 0}
        answer = ask(solver, game, {"type": kind, "view": view}) if kind == "solve" or right["open"] else {}
        checked += (keys := sorted(right.keys() & answer.keys()))
        wrong += [f"WRONG {key} of {name}: {answer[key]}" for key in keys if not agrees(key, answer[key], right[key])]
print(*wrong, *(f"{checked.count(key)} {key}" for key in sorted({*checked})), f"{len(wrong)} wrong", sep="\n")
sys.exit(not checked or bool(wrong))
