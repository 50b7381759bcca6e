"""The version of the toolkit, which pyproject.toml reads here: asking what is installed takes longer than a puzzle."""

VERSION = "0.1.0"
