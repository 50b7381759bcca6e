"""Minesweeper tasks as a dataset of reasoning-gym 0.1. check_replies.py must be in the same folder.

pip install reasoning-gym
minesweeper tasks --board 9x9/10 --count 500 --out tasks.jsonl
"""

import json
from dataclasses import dataclass
from pathlib import Path

import reasoning_gym
from check_replies import right
from reasoning_gym.factory import ProceduralDataset, register_dataset


@dataclass
class MinesweeperConfig:
    path: str = "tasks.jsonl"  # Tasks of the kinds deduce and move.
    seed: int = 0
    size: int = 500


class MinesweeperDataset(ProceduralDataset):
    def __init__(self, config):
        super().__init__(config, config.seed, config.size)
        self.tasks = [json.loads(line) for line in Path(config.path).read_text().splitlines()]

    def __getitem__(self, index):
        task = self.tasks[index % len(self.tasks)]
        answer = {"open": task["answer"]["open"][0]} if task["kind"] == "move" else task["answer"]
        return {"question": task["prompt"], "answer": json.dumps(answer), "metadata": task}

    def score_answer(self, answer, entry):
        return float(right(entry["metadata"]["answer"], answer))


register_dataset("minesweeper_logic", MinesweeperDataset, MinesweeperConfig)
if __name__ == "__main__":
    for entry in (data := reasoning_gym.create_dataset("minesweeper_logic", size=3)):
        print(entry["question"], data.score_answer(entry["answer"], entry), sep="\n")
