"""The tables of words: each language has all sentences of the page, and no other."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from minesweeper.player.measure.difficulty import WORDS
from minesweeper.player.presets import PRESETS
from minesweeper.player.steps import Tier
from minesweeper.scripts.web.app import STATIC

LANGUAGES = sorted((STATIC / "words").glob("*.json"))
CALL = re.compile(r"(?<![\w.])t\((?!english)(\"(?:[^\"\\]|\\.)*\")?")
VALUE = re.compile(r"\{(\w+)(:[^}]*)?\}")


def script_sentences() -> set[str]:
    """Return the first arguments of all calls of `t`, which are literals."""
    calls = [
        (path.name, call)
        for path in STATIC.glob("js/*.js")
        for call in CALL.findall(re.sub(r"(?m)^ *(/?\*|//).*$", "", path.read_text("utf-8")))
    ]
    assert [name for name, literal in calls if not literal] == []
    return {ast.literal_eval(literal) for _, literal in calls}


def document_sentences() -> set[str]:
    """Return the paragraphs, other texts and spoken names of the document, as the page looks them up."""
    text = (STATIC / "index.html").read_text("utf-8")
    body = re.sub(r"(?s)^.*<body>|<select id=\"language\".*?</select>", "", text)
    found = re.findall(r'(?:title|aria-label|placeholder)="([^"]*)"', body)
    found += [re.sub(r"<(a|button) [^>]*>", r"<\1>", one) for one in re.findall(r"<p\b[^>]*>(.*?)</p>", body)]
    found += re.findall(r">([^<>]+)", re.sub(r"<p\b[^>]*>.*?</p>", "", body))
    return {one.strip() for one in found if re.search("[A-Za-z]", one)}
