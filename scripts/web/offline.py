"""What a browser may keep of the page for the time when the server can't be reached: all of its files, or none."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final

STATIC: Final = Path(__file__).with_name("static")
_WORKER: Final = STATIC / "js" / "service-worker.js"


def service_worker() -> str:
    """Return the script of the service worker, which changes if and only if a file of the page does."""
    files = {"/": _digest(STATIC / "index.html")}
    for path in sorted(path for path in STATIC.rglob("*") if path.is_file() and path != _WORKER):
        files[f"/static/{path.relative_to(STATIC).as_posix()}"] = _digest(path)
    script = f"const FILES = {json.dumps(files, indent=0)};\n"
    version = hashlib.sha256((script + _digest(_WORKER)).encode()).hexdigest()[:16]
    return f'{script}const VERSION = "sweep-{version}";\n{_WORKER.read_text("utf-8")}'


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
