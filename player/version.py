"""The version of the toolkit; pyproject.toml reads it from this file."""

VERSION = "0.1.0"
