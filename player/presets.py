"""Presets and config files: YAML that names boards and sets options."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from minesweeper.player.board import BoardError, parse_size

Scalar = str | int | float | bool


class ConfigError(ValueError):
    """A config file that cannot be read, or says something unknown."""


@dataclass(frozen=True)
class Preset:
    """A size with its number of mines."""

    rows: int
    cols: int
    mines: int


@dataclass(frozen=True)
class Config:
    """What a config file says: options by their long names with underscores, and presets by name."""

    options: Mapping[str, Scalar]
    presets: Mapping[str, Preset]


def standard_presets() -> Mapping[str, Preset]:
    """Read the presets that come with the toolkit."""
    text = files("minesweeper.player").joinpath("presets.yaml").read_text(encoding="utf-8")
    return _parse(text, "presets.yaml", ()).presets


def read_config(path: Path, options: Collection[str]) -> Config:
    """Read a config file that may set any of `options` and add presets.

    Raises `ConfigError` naming the file, and the line where it is known.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"expected a YAML file, {reason}: {str(path)!r}") from error
    return _parse(text, str(path), options)


def _parse(text: str, name: str, options: Collection[str]) -> Config:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        values = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"expected YAML, {error.problem} in line {line}: {name!r}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"expected YAML, {str(error).splitlines()[0]}: {name!r}") from error
    if root is None:
        return Config({}, {})
    set_options: dict[str, Scalar] = {}
    presets: dict[str, Preset] = {}
    for key, value, node in _entries(root, values, name, "options"):
        option = key.replace("-", "_")
        if key == "presets":
            for preset, fields, entry in _entries(node, value, name, "presets"):
                presets[preset] = _preset(preset, fields, entry, name)
        elif option not in options:
            known = ", ".join(sorted(known.replace("_", "-") for known in [*options, "presets"]))
            raise ConfigError(f"expected one of {known} in line {_line(node)} of {name!r}: {key!r}")
        elif not isinstance(value, Scalar):
            raise ConfigError(f"expected a single value for {key!r} in line {_line(node)}: {name!r}")
        else:
            set_options[option] = value
    return Config(set_options, presets)


def _preset(preset: str, fields: Any, node: yaml.Node, name: str) -> Preset:
    where = f"in line {_line(node)} of {name!r}"
    values = {key: value for key, value, _ in _entries(node, fields, name, "size and mines")}
    if set(values) != {"size", "mines"} or type(values["mines"]) is not int:
        raise ConfigError(f"expected size and mines, e.g. 16x30 and 99, for preset {preset!r} {where}")
    try:
        rows, cols = parse_size(str(values["size"]))
    except BoardError as error:
        raise ConfigError(f"{error} for preset {preset!r} {where}") from error
    return Preset(rows, cols, values["mines"])


def _entries(node: yaml.Node, values: Any, name: str, what: str) -> list[tuple[str, Any, yaml.Node]]:
    """List the keys of a mapping with their values and nodes, which know their lines."""
    if not isinstance(values, dict) or not isinstance(node, yaml.MappingNode):
        raise ConfigError(f"expected {what} as 'name: value' in line {_line(node)}: {name!r}")
    nodes = {key.value: value for key, value in node.value}
    return [(str(key), value, nodes.get(str(key), node)) for key, value in values.items()]


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
