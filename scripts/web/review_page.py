"""A review as one HTML file: it contains the page's drawing code and styles and needs no network."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from string import Template
from typing import Any, Final

from minesweeper.db.formats.target import write_whole
from minesweeper.player.board import board_name
from minesweeper.scripts.web.files import STATIC, imported_modules, read_files

_STYLES: Final = ("theme", "page", "board", "play")
_IMPORT: Final = re.compile(r'(?<=from ")\./(?=[a-z]+\.js";)')
_ICON: Final = re.compile(r"\.\./icons/([a-z-]+\.svg)")
_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
)


def write_page(review: dict[str, Any], path: Path) -> None:
    """Write the page of a review (`GameReview.to_json`), all of it or nothing. Raises `OSError`."""
    data = review_page(review).encode()
    write_whole(path, lambda stream: stream.write(data))


def review_page(review: dict[str, Any]) -> str:
    """Return the HTML of a review (`GameReview.to_json`)."""
    document = _read("index.html")
    body = re.search(r'<template id="page-review">\n(.*?)</template>', document, re.DOTALL)
    button = re.search(r'<button id="theme".*?</button>', document)
    assert body is not None
    assert button is not None
    # The imports of a module without an address of its own need bare names.
    modules = {
        name.removeprefix("js/"): _data_uri("text/javascript", _IMPORT.sub("", _read(name)))
        for name in imported_modules(read_files(), "js/reviewer.js")
    }
    return Template(_read("review.html")).substitute(
        policy=_POLICY,
        title=f"Review, {board_name(review['rows'], review['cols'], review['mines'])}",
        icon=_icon("sweep.svg"),
        styles="".join(_ICON.sub(lambda found: _icon(found[1]), _read(f"css/{name}.css")) for name in _STYLES),
        theme=_read("js/theme.js"),
        theme_button=button[0],
        modules=json.dumps({"imports": modules}),
        review=json.dumps(review).replace("<", "\\u003c"),  # No text may close the script element.
        body=body[1],
    )


def _icon(name: str) -> str:
    return _data_uri("image/svg+xml", _read(f"icons/{name}"))


def _data_uri(kind: str, text: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(text.encode()).decode()}"


def _read(name: str) -> str:
    return (STATIC / name).read_text("utf-8")
