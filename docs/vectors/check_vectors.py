"""Check a solver, see README.md: python check_vectors.py vectors.txt COMMAND [ARGUMENT ...]"""

import json
import sys
from contextlib import suppress
from fractions import Fraction
from subprocess import PIPE, Popen
from threading import Timer

SECONDS = 300  # for each answer


def ask(solver, *messages):
    """Return the answer to the last message; end the program without one."""
    alarm = Timer(SECONDS, solver.kill)
    alarm.start()
    line = ""
    try:
        try:
            print(*map(json.dumps, messages), sep="\n", file=solver.stdin, flush=True)
        except BrokenPipeError:  # The solver has ended; report its last line.
            with suppress(BrokenPipeError):
                solver.stdin.close()
        line = solver.stdout.readline()
        return dict(json.loads(line))
    except (OSError, ValueError, TypeError):
        solver.kill()
        what = f"answered {line!r}" if line else "ended"
        if alarm.finished.is_set():
            what = f"gave no answer in {SECONDS} s"
        sys.exit(f"the solver {what}; expected a JSON object in one line after {messages[-1]}")
    finally:
        alarm.cancel()


def faults(key, given, right):
    """Return the wrong parts of an answer."""
    if key in ("open", "safe", "mines"):
        cells = {f"{r},{c}" for r, c in given}
        return sorted(cells - right) + [f"{at} is missing" for at in sorted(right - cells) if key != "open"]
    if key in ("probabilities", "reasons"):
        given = {f"{r},{c}": value for r, row in enumerate(given) for c, value in enumerate(row) if value is not None}
        pairs = [(at, given.get(at), right.get(at)) for at in sorted({*given, *right})]
        return [
            f"{at} {one}, expected {true}" for at, one, true in pairs if true is None or faults("chance", one, true)
        ]
    near = key == "chance" and isinstance(given, float) and abs(given - Fraction(right)) <= 1e-9
    return [] if near or str(given) == right else [f"{given}, expected {right}"]


def faults_in(key, given, right):
    try:
        return faults(key, given, right)
    except (TypeError, ValueError, AttributeError):
        return [f"{given!r} has another form"]


if len(sys.argv) < 3:
    sys.exit(__doc__)
try:
    with open(sys.argv[1]) as file:
        positions = file.read().split("\n\n")[1:]
    process = Popen(sys.argv[2:], stdin=PIPE, stdout=PIPE, text=True)
except OSError as error:
    sys.exit(str(error))
checked, wrong = [], []
with process as solver:
    kind = "solve" if ask(solver, {"type": "hello", "protocol": 1}).get("solves") else "move"
    for position in positions:
        lines = [line.split() for line in position.splitlines()]
        name, count, layouts, *view = (line[1] for line in lines if line[0] not in ("grid", "chance", "reason"))
        named = [" ".join(words) for key, *words in lines if key == "grid"]
        grid = {"grid": named[0]} if named else {}
        chances, sizes = ({at: v for k, v, *ats in lines if k == key for at in ats} for key in ("chance", "reason"))
        safe, mines = ({at for at, chance in chances.items() if chance == sure} for sure in "01")
        right = {"layouts": layouts, "probabilities": chances, "reasons": sizes, "safe": safe, "mines": mines}
        right["open"] = safe or chances.keys() - mines
        game = {"type": "game", "rows": len(view), "cols": len(view[0]), "mines": int(count), "seed": 0, **grid}
        answer = ask(solver, game, {"type": kind, "view": view}) if kind == "solve" or right["open"] else {}
        checked += (keys := sorted(right.keys() & answer.keys()))
        found = {key: faults_in(key, answer[key], right[key]) for key in keys}
        wrong += [f"WRONG {key} of {name}: {'; '.join(parts)}" for key, parts in found.items() if parts]
print(*wrong, *(f"{checked.count(key)} {key}" for key in sorted({*checked})), f"{len(wrong)} wrong", sep="\n")
sys.exit(not checked or bool(wrong))
