"""Settings in YAML files: names and values that know their lines, and what `generate --config` makes of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minesweeper.player.words import BoardError, Preset, parse_size

Scalar = str | int | float | bool


class ConfigError(ValueError):
    """Settings that cannot be read, or ask for what is not there."""


class Settings(dict[Any, Any]):
    """A mapping of a YAML file, as are those inside it; `lines` has the line of each name."""

    lines: Mapping[object, int]


@dataclass(frozen=True)
class Config:
    """What a config file says: options by their long names with underscores, and presets by name."""

    options: Mapping[str, Scalar]
    presets: Mapping[str, Preset]


def read_settings(path: Path) -> Settings:
    """Read a YAML file with a mapping at its top, or nothing. Raises `ConfigError`, naming the line if it is known."""
    import yaml

    class Loader(yaml.SafeLoader):
        """YAML whose mappings are `Settings`."""

    def construct(loader: Loader, node: yaml.MappingNode) -> Settings:
        settings = Settings(loader.construct_mapping(node, deep=True))
        settings.lines = {loader.construct_object(key): key.start_mark.line + 1 for key, _ in node.value}
        return settings

    Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, construct)
    try:
        settings = yaml.load(path.read_text(encoding="utf-8"), Loader)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"expected a YAML file, {reason}: {str(path)!r}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"expected YAML, {error.problem} in line {line}: {str(path)!r}") from error
    except (ArithmeticError, AttributeError, LookupError) as error:
        # PyYAML's own, of values such as !!int '' or !!bool perhaps.
        raise ConfigError(f"expected YAML whose values are what their tags say: {str(path)!r}") from error
    except RecursionError as error:
        raise ConfigError(f"expected YAML that is not so deep: {str(path)!r}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"expected YAML, {str(error).splitlines()[0]}: {str(path)!r}") from error
    if settings is None:
        settings = Settings()
    if not isinstance(settings, Settings) or not all(isinstance(key, str) for key in settings):
        raise ConfigError(f"expected names and values from line 1 on, e.g. games: 1000: {str(path)!r}")
    return settings


def read_config(path: Path, options: Collection[str]) -> Config:
    """Read a config file that may set any of `options` and add presets.

    Raises `ConfigError` naming the file, and the line where it is known.
    """
    settings = read_settings(path)
    chosen: dict[str, Scalar] = {}
    presets = presets_in(settings, str(path))
    for key, value in settings.items():
        where, option = f"in line {settings.lines[key]} of {str(path)!r}", key.replace("-", "_")
        if key == "presets":
            continue
        if option not in options:
            known = ", ".join(sorted(known.replace("_", "-") for known in [*options, "presets"]))
            raise ConfigError(f"expected one of {known} {where}: {key!r}")
        if not isinstance(value, Scalar):
            raise ConfigError(f"expected a single value {where}: {key!r}")
        chosen[option] = value
    return Config(chosen, presets)


def presets_in(settings: Settings, path: str) -> dict[str, Preset]:
    """The presets under the name ``presets``, if there are any. Raises `ConfigError` naming the line."""
    presets = settings.get("presets", Settings())
    if not isinstance(presets, Settings):
        line = settings.lines["presets"]
        raise ConfigError(f"expected presets as 'name: value' in line {line} of {path!r}: {presets!r}")
    return {str(name): _preset(name, board, presets.lines[name], path) for name, board in presets.items()}


def _preset(name: object, board: object, line: int, path: str) -> Preset:
    where = f"for preset {name!r} in line {line} of {path!r}"
    if not isinstance(board, Settings) or set(board) != {"size", "mines"} or type(board["mines"]) is not int:
        raise ConfigError(f"expected size and mines, e.g. 16x30 and 99, {where}: {board!r}")
    try:
        return Preset(*parse_size(str(board["size"])), board["mines"])
    except BoardError as error:
        raise ConfigError(f"{error} {where}") from error
