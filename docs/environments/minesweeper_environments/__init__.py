"""No-guess games of Minesweeper for language models, one environment for each framework.

A game is a list of turns. The prompt of a turn requests every cell that is certain, and `check_replies.right` scores a
reply: it is right if it is complete.
"""

from random import getrandbits

from minesweeper.generator.tasks import GRADES, tasks
from minesweeper.player.core.recipe import Recipe


def game(board, seed=None):
    """Return the turns of a game on a board such as "6x6/8": dictionaries with the prompt and the answer.

    Equal seeds give equal games, of grade 1 to 5 in turn. Without a seed, a random one is drawn.
    """
    seed = getrandbits(32) if seed is None else seed
    task = next(tasks(Recipe(board, seed=seed), "game", grades=[GRADES[seed % len(GRADES)]]))
    return [{"prompt": turn.prompt, **turn.answer} for turn in task.turns]
