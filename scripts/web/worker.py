"""A worker process of `scripts.web.pool`: it reads pickled jobs from stdin and writes pickled results to stdout."""

from __future__ import annotations

import logging
import os
import pickle
import struct
import sys
from typing import BinaryIO, Final

import numpy as np

from minesweeper.scripts.web import jobs
from minesweeper.scripts.web.settings import ApiError

LENGTH: Final = struct.Struct("!Q")
"""The header of each message: its length in bytes."""


def main() -> None:
    """Report that this process is ready, then run jobs until stdin closes.

    A `ValueError` or `ApiError` is sent back. Any other exception is a defect and ends the process with a traceback.
    """
    logging.disable(logging.WARNING)  # The server logs the same warnings.
    _ = np.ndarray  # Loads NumPy now, not during the first job.
    results = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _send(results, jobs.__name__)
    while head := sys.stdin.buffer.read(LENGTH.size):
        work, args, kwargs = pickle.loads(sys.stdin.buffer.read(*LENGTH.unpack(head)))
        try:
            result = (True, work(*args, **kwargs))
        except (ValueError, ApiError) as error:
            result = (False, error)
        _send(results, result)


def _send(results: BinaryIO, result: object) -> None:
    message = pickle.dumps(result)
    results.write(LENGTH.pack(len(message)) + message)
    results.flush()


if __name__ == "__main__":
    main()
