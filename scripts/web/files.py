"""The files of the page: for the server, in a folder for any web server, and a review as one HTML file.

The folder is the page without a server. After the first visit the page works offline.
"""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template
from typing import Any, Final

from minesweeper.db.formats.target import write_whole
from minesweeper.player.core.errors import ConfigError
from minesweeper.player.core.grid import grid_of
from minesweeper.player.core.recipe import Preset
from minesweeper.player.logic.sentences import TEMPLATES

STATIC: Final = Path(__file__).with_name("static")
INDEX: Final = "index.html"
SERVICE_WORKER: Final = "/service-worker.js"
_WORKER_SOURCE: Final = "js/service-worker.js"
_MANIFEST: Final = "manifest.webmanifest"
_NOT_SERVED: Final = (
    INDEX,
    _WORKER_SOURCE,
    _MANIFEST,
    "review.html",
    "kernel/package.json",
    "kernel/index.d.ts",
    "kernel/README.md",
    *("kernel/messages.js", "kernel/worker.js", "kernel/worker-thread.js", "kernel/worker.d.ts"),
)
_NEEDS_SERVER: Final = "js/leaderboard.js"
_FIRST_MODULES: Final = ("js/main.js", "js/play.js")
_FETCHED: Final = '<link rel="preload" as="fetch" crossorigin href="{}">\n'
# The first paint needs only the style sheets, and the first board only the modules: the kernel comes last.
_MODULE: Final = '<link rel="modulepreload" fetchpriority="low" href="/static/{}">\n'
_KERNEL: Final = '<link rel="preload" as="fetch" crossorigin fetchpriority="low" href="/static/kernel/kernel.wasm">\n'
_IMPORT: Final = re.compile(
    r'^(?:import|export)\s(?:[^"\';]*?\sfrom\s)?\s*"(\.[^"]+)"|new Worker\(new URL\("([^"]+)"', re.MULTILINE
)
_COMMENT: Final = re.compile(rb"^ *(?:/\*(?:(?!\*/)[\s\S])*\*/|//.*)\n", re.MULTILINE)
_STYLES: Final = ("theme", "page", "board", "play")
_SIBLING: Final = re.compile(r'(?<=from ")(?:\./|\.\./(?=kernel/))(?=(?:kernel/|core/)?[a-z]+\.js";)')
_ICON: Final = re.compile(r"\.\./icons/([a-z-]+\.svg)")
_REVIEW_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
)
_PAGE: Final = re.compile(r'(<a[^>]* href=)"/(watch|analyse|record)?"')
_SERVED: Final = re.compile(
    r'\n *<(a|p|template) (?:href="/leaderboard"|class="note served"|id="page-leaderboard")(?s:.)*?</\1>'
)


def read_files(folder: Path = STATIC) -> dict[str, bytes]:
    """Return the files of a folder by their paths in it."""
    paths = sorted(path for path in folder.rglob("*.*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _sources(folder: Path = STATIC) -> dict[str, bytes]:
    """Return the files of the page by their paths; each language has the sentences of the library, too."""
    sources = read_files(folder)
    for name, sentences in read_files(TEMPLATES).items():
        table = json.loads(sources.get(f"words/{name}", b"{}")) | json.loads(sentences)
        sources[f"words/{name}"] = json.dumps(table, ensure_ascii=False, indent=0).encode()
    return sources


def served_files(folder: Path = STATIC) -> dict[str, bytes]:
    """Return the files that the server offers, by address; `/` is the document.

    The other files of the folder are below ``/static/VERSION/``. A changed file changes the version, so browsers may
    keep versioned files forever.
    """
    sources = _sources(folder)
    base = f"/static/{_version(f'{name} {digest(content)}' for name, content in sources.items())}/"
    document = _document(sources, _FETCHED.format("/api/options")).replace('="/static/', f'="{base}')
    return _with_service_worker(sources, base, document)


def export(out: Path) -> None:
    """Write the static page into a folder. Files of the same names are replaced, but no other page is."""
    if (out / INDEX).exists() and "data-local" not in (out / INDEX).read_text("utf-8"):
        raise ConfigError(f"{out} has an index.html that is not this page; expected a new folder")
    sources = _sources()
    del sources[_NEEDS_SERVER]
    document = _document(sources, f'<link rel="manifest" href="{_MANIFEST}">\n')
    files = _with_service_worker(sources, "/static/", _without_server(document))
    files[f"/{_MANIFEST}"] = sources[_MANIFEST]
    # The document comes last: a folder with it has all other files.
    for address, content in sorted(files.items(), reverse=True):
        path = out / (address.lstrip("/") or INDEX)
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, content)


def imported_modules(sources: Mapping[str, bytes], *first: str) -> list[str]:
    """Return modules and everything that they import or start as a worker, by their paths in the folder."""
    found = list(first)
    for name in found:
        for match in _IMPORT.finditer(sources[name].decode()):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), match[1] or match[2]))
            if path not in found:
                found.append(path)
    return found


def digest(content: bytes) -> str:
    """Return the first 96 bits of the SHA-256 in base64, enough to distinguish two versions of a file."""
    return base64.b64encode(hashlib.sha256(content).digest()[:12]).decode()


def _document(sources: Mapping[str, bytes], links: str) -> str:
    """Return the document with links, and with those that load the kernel and the Play page's modules all at once."""
    links += "".join(map(_MODULE.format, imported_modules(sources, *_FIRST_MODULES))) + _KERNEL
    return sources[INDEX].decode().replace("</head>", f"{links}</head>", 1)


def _with_service_worker(sources: Mapping[str, bytes], base: str, document: str) -> dict[str, bytes]:
    files = {"/": document.encode()}
    for name, content in sources.items():
        if name not in _NOT_SERVED:
            files[base + name] = _COMMENT.sub(b"", content) if name.endswith(".js") else content
    # A new file is a new script, which browsers install.
    known = json.dumps({address: digest(content) for address, content in files.items()}, indent=0)
    source = sources[_WORKER_SOURCE]
    script = f'const FILES = {known};\nconst VERSION = "sweep-{_version((known, digest(source)))}";\n'
    return files | {SERVICE_WORKER: script.encode() + source}


def _version(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _without_server(text: str) -> str:
    """Return the page's document with relative addresses, and without links to pages that need a server."""
    text = _SERVED.sub("", text)
    text = _PAGE.sub(lambda link: f'{link[1]}"./{f"?page={link[2]}" if link[2] else ""}"', text)
    return text.replace('="/static/', '="static/').replace("<html ", "<html data-local ", 1)


def write_page(review: dict[str, Any], path: Path) -> None:
    """Write the page of a review (`GameReview.to_json`), all of it or nothing. Raises `OSError`."""
    _write(path, review_page(review).encode())


def review_page(review: dict[str, Any]) -> str:
    """Return the HTML of a review (`GameReview.to_json`)."""
    document = _read("index.html")
    body = re.search(r'<template id="page-review">\n(.*?)</template>', document, re.DOTALL)
    button = re.search(r'<button id="theme".*?</button>', document)
    assert body is not None
    assert button is not None
    # The imports of a module without an address of its own need bare names.
    modules = {
        name.removeprefix("js/"): _data_uri("text/javascript", _SIBLING.sub("", _read(name)))
        for name in imported_modules(read_files(), "js/reviewer.js")
    }
    board = Preset(grid_of((review["rows"], review["cols"]), review.get("grid", "")), review["mines"])
    return Template(_read("review.html")).substitute(
        policy=_REVIEW_POLICY,
        title=f"Review, {board.title}",
        icon=_icon("sweep.svg"),
        styles="".join(_ICON.sub(lambda found: _icon(found[1]), _read(f"css/{name}.css")) for name in _STYLES),
        theme=_read("js/theme.js"),
        theme_button=button[0],
        modules=json.dumps({"imports": modules}),
        review=json.dumps(review).replace("<", "\\u003c"),  # No text may close the script element.
        body=body[1],
    )


def _write(path: Path, content: bytes) -> None:
    write_whole(path, lambda stream: stream.write(content))


def _icon(name: str) -> str:
    return _data_uri("image/svg+xml", _read(f"icons/{name}"))


def _data_uri(kind: str, text: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(text.encode()).decode()}"


def _read(name: str) -> str:
    return (STATIC / name).read_text("utf-8")
