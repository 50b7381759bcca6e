"""A review as one HTML file: it contains the page's drawing code and styles and needs no network."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any, Final

from minesweeper.db.formats.target import write_whole
from minesweeper.player.board import board_name

_STATIC: Final = Path(__file__).with_name("static")
_STYLES: Final = ("theme", "page", "board", "play")
_FIRST_MODULE: Final = "reviewer.js"
_IMPORT: Final = re.compile(r'(?<=from ")\./(?=[a-z]+\.js";)')
_ICON: Final = re.compile(r"\.\./icons/([a-z-]+\.svg)")
_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
)

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<link rel="icon" href="{icon}">
<style>
{styles}</style>
<script>
{theme}</script>
<script type="importmap">{modules}</script>
<script type="application/json" id="review">{review}</script>
<script type="module">
import {{ showReview }} from "reviewer.js";
showReview(JSON.parse(document.querySelector("#review").textContent));
</script>
</head>
<body>
<header class="top">
<span class="brand"><img src="{icon}" alt="" width="26" height="26"><span>Review</span></span>
<span class="spacer"></span>
{theme_button}</header>
<main id="main">{body}</main>
<div id="said" class="spoken" role="status" aria-live="polite"></div>
</body>
</html>
"""


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
    sources = {name: _data_uri("text/javascript", source) for name, source in _modules().items()}
    return _PAGE.format(
        policy=_POLICY,
        title=f"Review, {board_name(review['rows'], review['cols'], review['mines'])}",
        icon=_icon("sweep.svg"),
        styles="".join(_ICON.sub(lambda found: _icon(found[1]), _read(f"css/{name}.css")) for name in _STYLES),
        theme=_read("js/theme.js"),
        theme_button=button[0],
        modules=json.dumps({"imports": sources}),
        review=json.dumps(review).replace("<", "\\u003c"),  # No text may close the script element.
        body=body[1],
    )


def _modules() -> dict[str, str]:
    """Return the sources of the first module and its imports by file name, with imports by bare names."""
    found: dict[str, str] = {}
    names = [_FIRST_MODULE]
    while names:
        name = names.pop()
        if name not in found:
            source = _read(f"js/{name}")
            names += [source[match.end() :].partition('"')[0] for match in _IMPORT.finditer(source)]
            found[name] = _IMPORT.sub("", source)
    return found


def _icon(name: str) -> str:
    return _data_uri("image/svg+xml", _read(f"icons/{name}"))


def _data_uri(kind: str, text: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(text.encode()).decode()}"


def _read(name: str) -> str:
    return (_STATIC / name).read_text("utf-8")
