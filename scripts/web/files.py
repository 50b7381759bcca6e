"""The files of the page: for the server, in a folder for any web server, and a review as one HTML file.

The folder is the page without a server. After the first visit the page works offline.
"""

from __future__ import annotations

import base64
import gzip
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
_SCRIPT: Final = "js/main.js"
_MORE: Final = "js/more.js"
_STYLE: Final = "css/page.css"
_KERNEL: Final = "kernel/kernel.wasm.gzip"
_MODULES: Final = ("kernel/kernel.wasm", "kernel/more.wasm")
_NEEDS_SERVER: Final = "leaderboard"
_FIRST_PAGE: Final = "play"
_PAGES: Final = ("watch", "analyse", "record", "review", _NEEDS_SERVER)
_AS_THEY_ARE: Final = re.compile(r"(icons|words)/|js/theme\.js")
_COMPRESSED: Final = re.compile(r"\.(html|css|js|json|svg)$")
_FETCHED: Final = '<link rel="preload" as="fetch" crossorigin href="{}">\n'
# The first paint needs only the style sheet, and the first board only the script: the kernel comes last.
_LATER: Final = f'<link rel="preload" as="fetch" crossorigin fetchpriority="low" href="/static/{_KERNEL}">\n'
_IMPORT: Final = re.compile(r'^import (?:(\{[^}]*\}) from )?"(\.[^"]+)";|new Worker\(new URL\("([^"]+)"', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?:\{ (.*) \};|(?=(?:async )?(?:function|class|const) ([\w$]+)))", re.MULTILINE)
_RUN: Final = """
const $ran = {};
export const $run = (name) => ($ran[name] ??= name in $modules ? $modules[name]() : $more(name));
const $more = async (name) => (await import("./more.js")).modules($run)[name]();
"""
_SPACE: Final = re.compile(r"^ *(?:/\*(?:(?!\*/)[\s\S])*\*/|//.*)\n|^ +", re.MULTILINE)
"""Comments and indentation. The page has no template literals of several lines."""
_STYLES: Final = ("theme", "page", "board", "play")
_ICON: Final = re.compile(r"\.\./icons/([a-z-]+\.svg)")
_REVIEW_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
)
_PAGE: Final = re.compile(r'(<a[^>]* href=)"/(watch|analyse|record)?"')
_SERVED: Final = re.compile(
    r'\n *<(a|p|template) (?:href="/leaderboard"|class="note served"|id="page-leaderboard")(?s:.)*?</\1>'
)


def read_files(folder: Path = STATIC) -> dict[str, bytes]:
    """Return the files of a folder by their paths in it."""
    paths = sorted(path for path in folder.rglob("*.*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def served_files(folder: Path = STATIC) -> dict[str, bytes]:
    """Return the files that the server offers, by address; `/` is the document.

    The other files of the page are below ``/static/VERSION/``. A changed file changes the version, so browsers may
    keep versioned files forever.
    """
    files = _files(folder, *_PAGES)
    document = _document(folder, _FETCHED.format("/api/options"))
    version = _version([document, *(f"{name} {digest(content)}" for name, content in files.items())])
    base = f"/static/{version}/"
    document = document.replace('="/static/', f'="{base}')
    return _with_service_worker(folder, files, base, document)


def export(out: Path) -> None:
    """Write the static page into a folder, each text compressed beside it. No other page is replaced."""
    if (out / INDEX).exists() and "data-local" not in (out / INDEX).read_text("utf-8"):
        raise ConfigError(f"{out} has an index.html that is not this page; expected a new folder")
    files = _files(STATIC, *(page for page in _PAGES if page != _NEEDS_SERVER))
    document = _document(STATIC, f'<link rel="manifest" href="{_MANIFEST}">\n')
    files = _with_service_worker(STATIC, files, "/static/", _without_server(document))
    files[f"/{_MANIFEST}"] = (STATIC / _MANIFEST).read_bytes()
    # The document comes last: a folder with it has all other files.
    for address, content in sorted(files.items(), reverse=True):
        path = out / (address.lstrip("/") or INDEX)
        path.parent.mkdir(parents=True, exist_ok=True)
        if _COMPRESSED.search(path.name):
            _write(path.with_name(f"{path.name}.gz"), gzip.compress(content, mtime=0))
        _write(path, content)


def _files(folder: Path, *pages: str) -> dict[str, bytes]:
    """Return the files of the page besides its document, by their paths: two scripts, a style sheet and others.

    Each language has the sentences of the library, too. The page expands the kernel, as few servers compress it.
    """
    sources = read_files(folder)
    for name, sentences in read_files(TEMPLATES).items():
        table = json.loads(sources.get(f"words/{name}", b"{}")) | json.loads(sentences)
        sources[f"words/{name}"] = json.dumps(table, ensure_ascii=False, indent=0).encode()
    first = _modules(sources, _SCRIPT, f"js/{_FIRST_PAGE}.js")
    more = _modules(sources, *(f"js/{page}.js" for page in pages))
    others = "".join(code for name, code in more.items() if name not in first)
    return {name: content for name, content in sources.items() if _AS_THEY_ARE.match(name)} | {
        _SCRIPT: f'{_script(first)}await $run(globalThis.document ? "{_SCRIPT}" : "js/worker.js");\n'.encode(),
        _MORE: f"export const modules = ($run) => ({{\n{others}}});\n".encode(),
        _STYLE: _SPACE.sub("", b"".join(sources[f"css/{name}.css"] for name in _STYLES).decode()).encode(),
        **{f"{name}.gzip": gzip.compress(sources[name], mtime=0) for name in _MODULES},
    }


def _script(modules: Mapping[str, str]) -> str:
    """Return a script in which ``$run(path)`` runs a module, once, and returns its exports."""
    return f"const $modules = {{\n{''.join(modules.values())}}};{_RUN}"


def _modules(sources: Mapping[str, bytes], *first: str) -> dict[str, str]:
    """Return modules, and all that they import or start as a worker, as functions for a script, by their paths.

    Exports keep their values, so `export let` is not for the page.
    """
    modules = dict.fromkeys(first, "")
    waiting = list(first)
    while waiting:
        name = waiting.pop()
        folder = posixpath.dirname(name)

        def imported(match: re.Match[str], folder: str = folder) -> str:
            path = posixpath.normpath(posixpath.join(folder, match[2] or match[3]))
            if path not in modules:
                modules[path] = ""
                waiting.append(path)
            if match[3]:
                return match[0].replace(match[3], posixpath.basename(_SCRIPT))
            return f'const {(match[1] or "{}").replace(" as ", ": ")} = await $run("{path}");'

        text = _IMPORT.sub(imported, _SPACE.sub("", sources[name].decode()))
        exported = ", ".join(match[1] or match[2] for match in _EXPORT.finditer(text))
        text = _EXPORT.sub("", text).replace("import(`./", f"$run(`{folder}/")
        modules[name] = f'"{name}": async () => {{\n{text}return {{ {exported} }};\n}},\n'
    return modules


def digest(content: bytes) -> str:
    """Return the first 96 bits of the SHA-256 in base64, enough to distinguish two versions of a file."""
    return base64.b64encode(hashlib.sha256(content).digest()[:12]).decode()


def _document(folder: Path, links: str) -> str:
    """Return the document with links, and with the one that loads the kernel early."""
    return (folder / INDEX).read_text("utf-8").replace("</head>", f"{links}{_LATER}</head>", 1)


def _with_service_worker(folder: Path, contents: Mapping[str, bytes], base: str, document: str) -> dict[str, bytes]:
    files = {"/": document.encode(), **{base + name: content for name, content in contents.items()}}
    # A new file is a new script, which browsers install.
    known = json.dumps({address: digest(content) for address, content in files.items()}, indent=0)
    source = (folder / _WORKER_SOURCE).read_bytes()
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
    board = Preset(grid_of((review["rows"], review["cols"]), review.get("grid", "")), review["mines"])
    return Template(_read("review.html")).substitute(
        policy=_REVIEW_POLICY,
        title=f"Review, {board.title}",
        icon=_icon("sweep.svg"),
        styles="".join(_ICON.sub(lambda found: _icon(found[1]), _read(f"css/{name}.css")) for name in _STYLES),
        theme=_read("js/theme.js"),
        theme_button=button[0],
        modules=_script(_modules(read_files(), "js/reviewer.js")),
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
