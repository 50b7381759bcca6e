"""The page's colours: contrast in both themes, and digits that differ for colour-blind people."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import minesweeper.scripts.web

THEME = Path(minesweeper.scripts.web.__file__).parent / "static/css/theme.css"
TEXT_CONTRAST = 4.5  # WCAG 2.2, 1.4.3
SHAPE_CONTRAST = 3.0  # WCAG 2.2, 1.4.11

# Simulation matrices for linear RGB: Machado, Oliveira and Fernandes (2009), severity 1.
EYES = {
    "normal": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])


Colours = dict[str, NDArray[np.float64]]


LIGHT = ":root, .classic .board"
SELECTORS = {"light": [LIGHT], "dark": [':root[data-theme="dark"]'], "classic": [LIGHT, ".classic .board"]}


@pytest.fixture(params=SELECTORS)
def palette(request: pytest.FixtureRequest) -> Colours:
    """The colours of each theme and of the classic look as linear RGB."""
    found = []
    for selector in SELECTORS[request.param]:
        block = re.search(rf"(?m)^{re.escape(selector)} \{{(.*?)^\}}", THEME.read_text(), re.DOTALL)
        assert block is not None
        found += re.findall(r"--([\w-]+): #([0-9a-f]{6});", block[1])
    return {name: linear(np.array([int(value[i : i + 2], 16) for i in (0, 2, 4)]) / 255) for name, value in found}


def linear(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    lights = sorted(float(XYZ[1] @ colour) for colour in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    t = XYZ @ np.clip(rgb, 0, 1) / WHITE
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("ground", ["open", "marked"])
def test_digits_stand_out_from_their_cell(palette: Colours, ground: str) -> None:
    for digit in range(1, 9):
        assert contrast(palette[f"digit-{digit}"], palette[ground]) >= (
            TEXT_CONTRAST if ground == "open" else SHAPE_CONTRAST
        )


def test_words_stand_out_from_their_ground(palette: Colours) -> None:
    for ink, ground in itertools.product(["ink", "soft-ink", "accent", "danger", "good", "warn"], ["page", "panel"]):
        assert contrast(palette[ink], palette[ground]) >= TEXT_CONTRAST, (ink, ground)
    assert contrast(palette["on-accent"], palette["accent"]) >= TEXT_CONTRAST
    for ground in ("safe", "mine", "marked", "risk-low", "risk-high"):
        assert contrast(palette["ink"], palette[ground]) >= TEXT_CONTRAST


@pytest.mark.parametrize("eyes", list(EYES))
def test_common_digits_differ_to_all_eyes(palette: Colours, eyes: str) -> None:
    """The distance in CIELAB is at least 10 (2 is just noticeable) for the digits 1 to 4, the most frequent ones."""
    seen = {digit: lab(EYES[eyes] @ palette[f"digit-{digit}"]) for digit in range(1, 5)}
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= 10, (one, other)


def test_chances_and_their_shapes_are_told_apart(palette: Colours) -> None:
    for shape, ground in (("good", "safe"), ("danger", "mine"), ("danger", "risk-low")):
        assert contrast(palette[shape], palette[ground]) >= SHAPE_CONTRAST, (shape, ground)
    assert np.linalg.norm(lab(palette["risk-low"]) - lab(palette["risk-high"])) >= 30


def test_hidden_tiles_differ_from_open_cells_without_colour(palette: Colours) -> None:
    assert contrast(palette["tile"], palette["open"]) >= 1.5
    assert contrast(palette["focus"], palette["open"]) >= SHAPE_CONTRAST
