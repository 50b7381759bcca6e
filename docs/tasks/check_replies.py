"""Check replies to tasks: python check_replies.py TASKS < REPLIES; their lines are {"id": ..., "reply": ...}."""

import json
import sys
from contextlib import suppress
from pathlib import Path


def right(answer, reply):
    """Return whether a reply is right and complete: a text or, for a game, a list with the text of each turn."""
    if turns := answer.get("turns"):
        return isinstance(reply, list) and len(reply) == len(turns) and all(map(right, turns, reply))
    given, text, start = {}, str(reply), -1
    while (start := text.find("{", start + 1)) >= 0:
        with suppress(ValueError):
            given, end = json.JSONDecoder().raw_decode(text, start)  # The last object in the text counts.
            start = end - 1
    lists = [given.get(key) for key in ("open", "safe", "mines")]
    if "open" in answer:
        return json.dumps(lists[0]) in map(json.dumps, answer["open"])
    wanted = [set(map(json.dumps, answer[key])) for key in ("safe", "mines")]
    return [isinstance(cells, list) and set(map(json.dumps, cells)) for cells in lists[1:]] == wanted


if __name__ == "__main__":
    tasks = {task["id"]: task for task in map(json.loads, Path(sys.argv[1]).read_text().splitlines())}
    replies = {line["id"]: line["reply"] for line in map(json.loads, sys.stdin)}
    for what, ids in {"not in the tasks": replies.keys() - tasks, "without a reply": tasks.keys() - replies}.items():
        if ids:
            print(f"{len(ids)} {what}, such as {min(ids)}", file=sys.stderr)
    for kind in sorted({(task["kind"], task["grade"]) for task in tasks.values()}):
        results = [right(t["answer"], replies.get(t["id"])) for t in tasks.values() if (t["kind"], t["grade"]) == kind]
        print(f"{kind[0]}, grade {kind[1]}: {sum(results)} of {len(results)} right")
