"""No-guess games as an environment of TextArena 0.7. check_replies.py must be in the same folder.

pip install textarena
minesweeper tasks --board 6x6/8 --kind game --count 500 --out games.jsonl
"""

import json
from pathlib import Path

import textarena as ta
from check_replies import right


class NoGuessMinesweeper(ta.Env):
    def __init__(self, path="games.jsonl"):
        self.games = [json.loads(line)["answer"]["turns"] for line in Path(path).read_text().splitlines()]

    def reset(self, num_players=1, seed=None):
        self.turns, self.done = self.games[(seed or 0) % len(self.games)], 0
        self.state = ta.SinglePlayerState(num_players=num_players, seed=seed)
        self.state.reset(player_prompt_function=lambda player_id, game_state: self.turns[0]["prompt"])

    def step(self, action):
        self.state.add_observation(action, ta.ObservationType.PLAYER_ACTION, from_id=0)
        correct = right(self.turns[self.done], action)
        self.done += correct
        if not correct or self.done == len(self.turns):  # The reward is the share of turns that were right.
            self.state.set_outcome(self.done / len(self.turns), "solved" if correct else "a wrong or incomplete turn")
        else:
            self.state.add_observation(self.turns[self.done]["prompt"], ta.ObservationType.GAME_BOARD)
        return self.state.step()


ta.register("NoGuessMinesweeper-v0", NoGuessMinesweeper, default_wrappers=[])
