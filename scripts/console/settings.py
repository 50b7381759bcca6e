"""Settings in YAML files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from minesweeper.player.core.errors import BoardError, ConfigError, did_you_mean
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.recipe import Preset

Scalar = str | int | float | bool


def read_settings(path: Path) -> dict[str, Any]:
    """Read a YAML file that is empty or holds a mapping. Raises `ConfigError`."""
    import yaml

    try:
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))
        str(settings)  # Raises for numbers that no message could print.
    except OSError as error:
        raise ConfigError(f"{error.strerror}: {str(path)!r}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"invalid YAML in line {line} of {str(path)!r}: {error.problem}") from error
    except (yaml.YAMLError, ValueError, ArithmeticError, AttributeError, LookupError, RecursionError) as error:
        # PyYAML raises the builtin exceptions for values like `!!int ''` and for deep nesting.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ConfigError(f"invalid YAML in {str(path)!r}: {reason}") from error
    if settings is None:
        return {}
    if not isinstance(settings, dict) or not all(isinstance(key, str) for key in settings):
        raise ConfigError(f"no mapping of names to values in {str(path)!r}; expected lines such as games: 1000")
    return settings


def read_config(path: Path, options: Collection[str]) -> tuple[dict[str, Scalar], dict[str, Preset]]:
    """Read a config file that may set any of `options`, with underscores in their names, and define presets.

    Raises `ConfigError`.
    """
    settings = read_settings(path)
    presets = presets_in(settings, path)
    settings.pop("presets", None)
    chosen: dict[str, Scalar] = {}
    for key, value in settings.items():
        option = key.replace("-", "_")
        if option not in options:
            known = sorted(name.replace("_", "-") for name in [*options, "presets"])
            raise ConfigError(
                f"unknown setting {key!r}{did_you_mean(key, known)} in {str(path)!r}; settings: {', '.join(known)}"
            )
        if not isinstance(value, Scalar):
            raise ConfigError(f"setting {key!r} in {str(path)!r} is not a single value: {value!r}")
        chosen[option] = value
    return chosen, presets


def presets_in(settings: Mapping[str, Any], path: Path | None) -> dict[str, Preset]:
    """Return the presets that settings define under the name ``presets``. Raises `ConfigError`."""
    boards = settings.get("presets", {})
    if not isinstance(boards, dict):
        raise ConfigError(
            f"presets in {str(path)!r} is not a mapping: {boards!r}; expected e.g. small: {{size: 5x5, mines: 4}}"
        )
    return {str(name): _preset(name, board, path) for name, board in boards.items()}


def _preset(name: object, board: object, path: Path | None) -> Preset:
    where = f"preset {name!r} in {str(path)!r}"
    if not isinstance(board, dict) or set(board) != {"size", "mines"} or type(board["mines"]) is not int:
        raise ConfigError(f"{where} is {board!r}; expected size and mines, e.g. {{size: 16x30, mines: 99}}")
    try:
        return Preset(Grid.named(str(board["size"])), board["mines"])
    except BoardError as error:
        raise ConfigError(f"{where}: {error}") from error
