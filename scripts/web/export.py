"""The page as a folder of static files, which any web server can offer under any address.

Games, help, analyses and records then happen in the browser, by the kernel in WebAssembly. After the first visit the
page works offline.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from minesweeper.db.formats.target import write_whole
from minesweeper.player.errors import ConfigError
from minesweeper.scripts.web.app import STATIC, service_worker

_LEFT_OUT: Final = ("package.json", "index.d.ts", "README.md", "index.html", "service-worker.js", "leaderboard.js")
_PAGE: Final = re.compile(r'(<a[^>]* href=)"/(watch|analyse|record)?"')
_SERVED: Final = re.compile(
    r'\n *<(a|p|template) (?:href="/leaderboard"|class="note served"|id="page-leaderboard")(?s:.)*?</\1>'
)
_MANIFEST: Final = {
    "name": "Sweep: Minesweeper without guessing",
    "short_name": "Sweep",
    "start_url": "./",
    "scope": "./",
    "display": "standalone",
    "background_color": "#f4f5f7",
    "theme_color": "#2f6f4f",
    "icons": [{"src": "static/icons/sweep.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}],
}


def static_document(text: str) -> str:
    """Return the page's document with relative addresses, and without links to pages that need a server."""
    text = _SERVED.sub("", text)
    text = _PAGE.sub(lambda link: f'{link[1]}"./{f"?page={link[2]}" if link[2] else ""}"', text)
    text = re.sub(r'(href|src)="/static/', r'\1="static/', text)
    text = text.replace("<html ", "<html data-local ", 1)
    return text.replace("</head>", '<link rel="manifest" href="manifest.webmanifest">\n</head>', 1)


def export(out: Path) -> None:
    """Write the static page into a folder. Files of the same names are replaced, but no other page is."""
    if (out / "index.html").exists() and "data-local" not in (out / "index.html").read_text("utf-8"):
        raise ConfigError(f"{out} has an index.html that is not this page; expected a new folder")
    for path in STATIC.rglob("*.*"):
        if path.name not in _LEFT_OUT:
            _write(out / "static" / path.relative_to(STATIC), path.read_bytes())
    _write(out / "index.html", static_document((STATIC / "index.html").read_text("utf-8")).encode())
    _write(out / "manifest.webmanifest", json.dumps(_MANIFEST, indent=2).encode() + b"\n")
    _write(out / "service-worker.js", service_worker(out / "static", out / "index.html").encode())


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, lambda stream: stream.write(content))
