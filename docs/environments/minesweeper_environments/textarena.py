"""The environment NoGuessMinesweeper-v0 of TextArena: import this module, then call `textarena.make`."""

import textarena

from minesweeper_environments import game
from minesweeper_environments.check_replies import right


class NoGuessMinesweeper(textarena.Env):
    """A game, turn by turn, until it is solved or a reply is wrong. The reward is the share of right turns."""

    def __init__(self, board="6x6/8"):
        self.board = board

    def reset(self, num_players=1, seed=None):
        self.turns, self.done, self.seen = game(self.board, seed), 0, []
        self.state = textarena.SinglePlayerState(num_players=num_players, seed=seed)
        self.state.reset(player_prompt_function=lambda *_, **__: self.turns[0]["prompt"])

    def get_observation(self):
        """Return the player and the game so far as text, prompts and replies, which is what agents take."""
        player, observations = super().get_observation()
        self.seen += [message for _, message, *_ in observations]
        return player, "\n\n".join(self.seen)

    def step(self, action):
        self.state.add_observation(action, textarena.ObservationType.PLAYER_ACTION, from_id=0)
        correct = right(self.turns[self.done], action)
        self.done += correct
        if not correct or self.done == len(self.turns):
            self.state.set_outcome(self.done / len(self.turns), "solved" if correct else "a wrong or incomplete turn")
        else:
            self.state.add_observation(self.turns[self.done]["prompt"], textarena.ObservationType.GAME_BOARD)
        return self.state.step()


textarena.register("NoGuessMinesweeper-v0", NoGuessMinesweeper, default_wrappers=[])
