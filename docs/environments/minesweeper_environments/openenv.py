"""The server of an OpenEnv environment: uvicorn minesweeper_environments.openenv:app

Clients of OpenEnv connect to it, such as `GenericEnvClient`; an action is {"reply": TEXT}.
"""

from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

from minesweeper_environments import game
from minesweeper_environments.check_replies import right


class Reply(Action):
    """The text of a model."""

    reply: str


class Turn(Observation):
    """The prompt of a turn, with the rules of the game each time, empty after the last one."""

    prompt: str


class NoGuessMinesweeper(Environment[Reply, Turn, State]):
    """A game, turn by turn, until it is solved or a reply is wrong. The rewards of a solved game add up to 1."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, board="6x6/8"):
        super().__init__()
        self.board, self.turns = board, []
        self._state = State()

    def reset(self, seed=None, episode_id=None, board=None, **_):
        self.turns = game(board or self.board, seed)
        self._state = State(episode_id=episode_id, step_count=0)
        return Turn(prompt=self.turns[0]["prompt"], reward=0.0)

    def step(self, action, timeout_s=None, **_):
        if not self.turns:
            raise ValueError("no game; expected a call of reset before step")
        done = self._state.step_count
        correct = right(self.turns[done], action.reply)
        self._state.step_count = done + 1
        reward = correct / len(self.turns)
        if not correct or done + 1 == len(self.turns):
            return Turn(prompt="", reward=reward, done=True)
        rules, _, _ = self.turns[0]["prompt"].rpartition("\n\n")
        return Turn(prompt=f"{rules}\n\n{self.turns[done + 1]['prompt']}", reward=reward)

    @property
    def state(self):
        return self._state


app = create_fastapi_app(NoGuessMinesweeper, Reply, Turn, max_concurrent_envs=100)
