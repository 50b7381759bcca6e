"""What a worker process of `scripts.web.pool` does: pickled work comes in by stdin, answers go out by stdout."""

from __future__ import annotations

import logging
import os
import pickle
import struct
import sys
from typing import BinaryIO, Final

import numpy as np

from minesweeper.scripts.web import assistance
from minesweeper.scripts.web.settings import Refusal

LENGTH: Final = struct.Struct("!Q")
"""Before each message comes its length in bytes."""


def main() -> None:
    """Say that this process is ready, then work until stdin is closed.

    What the toolkit raises goes back; anything else is a defect, and ends the process with its traceback.
    """
    logging.disable(logging.WARNING)  # The server has said it.
    _ = np.ndarray  # Loads NumPy, which no visitor should wait for.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _send(answers, assistance.__name__)
    while head := sys.stdin.buffer.read(LENGTH.size):
        work, args, kwargs = pickle.loads(sys.stdin.buffer.read(*LENGTH.unpack(head)))
        try:
            answer = (True, work(*args, **kwargs))
        except (ValueError, Refusal) as error:
            answer = (False, error)
        _send(answers, answer)


def _send(answers: BinaryIO, answer: object) -> None:
    message = pickle.dumps(answer)
    answers.write(LENGTH.pack(len(message)) + message)
    answers.flush()


if __name__ == "__main__":
    main()
