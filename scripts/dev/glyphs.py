"""Train the network that reads glyphs, on cells that this program draws, and write its table for the kernel.

    python scripts/dev/glyphs.py [--cells 120000]

Digits come in every font of the machine, as segments and as strokes; flags, mines, question marks and other glyphs
are random drawings. The fonts of ``tests/see`` that measure the reader are left out.
"""

from __future__ import annotations

import argparse
import io
import math
import textwrap
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from minesweeper.player.kernel_api import kernel

TABLE: Final = Path(__file__).parents[2] / "player" / "kernel" / "see" / "glyph_table.hpp"
SIDE: Final = 64
"""Cells are drawn within pictures of this side, in pixels."""
SHAPES: Final = ("1", "2", "3", "4", "5", "6", "7", "8", "flag", "mine", "?", "other")
HELD_OUT: Final = ("Inconsolata", "Hack", "FiraCode", "Carlito", "LinLibertine", "Gentium", "Comfortaa")
"""Families of fonts to measure with."""
HIDDEN: Final = 40
SEGMENTS: Final = ("cf", "acdeg", "acdfg", "bcdf", "abdfg", "abdefg", "acf", "abcdefg")
LINES: Final = {
    "1": ((0.5, 0, 0.5, 1), (0.25, 0.25, 0.5, 0)),
    "4": ((0.7, 0, 0.7, 1), (0.7, 0, 0.1, 0.65), (0.1, 0.65, 1, 0.65)),
    "7": ((0, 0, 1, 0), (1, 0, 0.35, 1)),
}
OTHERS: Final = "ABCDEFGHJKLMNPRSTUVWXYZabdeghkmnqrtuwy0909IVX#*+=%&@$!"


def fonts(held_out: bool = False) -> list[Path]:
    """List the fonts with digits of Latin text."""
    found = sorted(path for kind in ("ttf", "otf") for path in Path("/usr/share/fonts").rglob(f"*.{kind}"))
    strange = ("Emoji", "Symbol", "Math", "Dingbats", "StandardSymbols", "D050000L", "Initials", "Drawing")
    return [
        path
        for path in found
        if not any(part in path.name for part in strange) and held_out == any(part in path.name for part in HELD_OUT)
    ]


def colour(random: Random) -> tuple[int, int, int]:
    grey = random.randrange(256)
    return (grey, grey, grey) if random.random() < 0.3 else tuple(random.randrange(256) for _ in range(3))  # type: ignore[return-value]


def apart(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def ink_on(random: Random, ground: tuple[int, ...], least: int = 60) -> tuple[int, int, int]:
    while True:
        ink = colour(random)
        if apart(ink, ground) >= least:
            return ink


def draw_flag(draw: ImageDraw.ImageDraw, random: Random, p: float, ink: Any, ground: Any) -> None:
    """Draw a pole with a triangle or a banner, to the left or the right, perhaps on a base."""
    s = p * random.uniform(0.4, 0.8)
    x, y = (p + random.uniform(-0.1, 0.1) * p) / 2, (p - s) / 2 + random.uniform(-0.05, 0.05) * p
    side = random.choice((-1, 1))
    pole, wide, high = ink_on(random, ground), s * random.uniform(0.4, 0.75), s * random.uniform(0.4, 0.65)
    x -= side * wide * random.uniform(0.2, 0.6)
    thick = max(1, round(p * random.uniform(0.03, 0.1)))
    if random.random() < 0.85:
        draw.line((x, y, x, y + s), fill=pole, width=thick)
    kind = random.random()
    if kind < 0.6:
        draw.polygon([(x, y), (x + side * wide, y + high / 2), (x, y + high)], fill=ink)
    elif kind < 0.9:
        draw.polygon([(x, y), (x + side * wide, y), (x + side * wide, y + high), (x, y + high)], fill=ink)
    else:
        draw.polygon(
            [
                (x, y),
                (x + side * wide, y + high * 0.1),
                (x + side * wide * 0.7, y + high / 2),
                (x + side * wide, y + high),
                (x, y + high),
            ],
            fill=ink,
        )
    if random.random() < 0.5:
        base = s * random.uniform(0.2, 0.45)
        rise = s * random.uniform(0.05, 0.15)
        draw.rectangle((x - base, y + s - rise, x + base, y + s), fill=pole)
        if random.random() < 0.4:
            draw.rectangle((x - base / 2, y + s - 2 * rise, x + base / 2, y + s), fill=pole)


def draw_mine(draw: ImageDraw.ImageDraw, random: Random, p: float, ink: Any) -> None:
    """Draw a disc with spikes, or a bomb with a fuse; a spot of light."""
    x = y = p / 2 + random.uniform(-0.05, 0.05) * p
    s = p * random.uniform(0.25, 0.42)
    r = s * random.uniform(0.55, 0.85)
    spikes = random.choice((0, 4, 8, 8))
    draw.ellipse((x - r, y - r, x + r, y + r), fill=ink)
    thick = max(1, round(p * random.uniform(0.04, 0.1)))
    for turn in range(spikes):
        angle = turn * 2 * math.pi / spikes
        long = s * (1 if turn % 2 == 0 else random.uniform(0.7, 1))
        draw.line((x, y, x + long * math.cos(angle), y + long * math.sin(angle)), fill=ink, width=thick)
    if spikes == 0:
        draw.line((x, y - r, x + s * 0.7, y - s), fill=ink, width=thick)
    if random.random() < 0.7:
        q, dx = r * random.uniform(0.15, 0.4), -r * random.uniform(0.2, 0.5)
        draw.ellipse((x + dx - q, y + dx - q, x + dx + q, y + dx + q), fill=colour(random))
    if random.random() < 0.1:
        for sign in (1, -1):
            draw.line((p * 0.2, p / 2 - sign * p * 0.3, p * 0.8, p / 2 + sign * p * 0.3), fill=(255, 0, 0), width=thick)


def draw_other(draw: ImageDraw.ImageDraw, random: Random, p: float, ink: Any, face: Any) -> None:
    """Draw dots, a polygon, a ring, a cross, a letter, a Roman number or a percentage."""
    x = y = p / 2
    s = p * random.uniform(0.2, 0.42)
    kind = random.randrange(8)
    if kind == 0:
        r = p * random.uniform(0.05, 0.1)
        for n in random.sample(range(9), random.randint(1, 9)):
            a, b = x + (n % 3 - 1) * p / 4, y + (n // 3 - 1) * p / 4
            draw.ellipse((a - r, b - r, a + r, b + r), fill=ink)
    elif kind == 1:
        sides, turn = random.randint(3, 8), random.uniform(0, 2 * math.pi)
        spiky = random.random() < 0.3
        points = []
        for t in range(sides * (1 + spiky)):
            reach = s * (0.45 if spiky and t % 2 else 1)
            angle = turn + t * 2 * math.pi / (sides * (1 + spiky))
            points.append((x + reach * math.cos(angle), y + reach * math.sin(angle)))
        draw.polygon(points, fill=ink)
    elif kind == 2:
        draw.ellipse(
            (x - s, y - s, x + s, y + s),
            fill=None if random.random() < 0.7 else ink,
            outline=ink,
            width=max(1, round(p * random.uniform(0.05, 0.15))),
        )
    elif kind == 3:
        width = max(1, round(p * random.uniform(0.06, 0.16)))
        draw.line((x - s, y - s, x + s, y + s), fill=ink, width=width)
        draw.line((x - s, y + s, x + s, y - s), fill=ink, width=width)
    elif kind in (4, 5):
        draw.text((x, y), random.choice(OTHERS), fill=ink, font=face, anchor="mm")
    elif kind == 6:
        draw.text(
            (x, y),
            random.choice(("II", "III", "IV", "VI", "VII", "VIII", "10", "12", "47", "88")),
            fill=ink,
            font=face,
            anchor="mm",
        )
    else:
        small = face.font_variant(size=max(5, round(p * random.uniform(0.28, 0.4))))
        draw.text((x, y), f"{random.randrange(101)}%", fill=ink, font=small, anchor="mm")


def draw_cell(random: Random, shape: str, paths: list[Path]) -> np.ndarray:
    """Return a cell with a glyph, scaled to `SIDE`: the kernel samples cells of any size alike."""
    p = random.choice((10, 12, 14, 16, 16, 18, 20, 20, 24, 24, 28, 32, 36, 40, 48, 64))
    ground = colour(random)
    image = Image.new("RGB", (p, p), ground)
    draw = ImageDraw.Draw(image)
    border = random.random()
    w = max(1, round(p * random.uniform(0.05, 0.1)))
    if border < 0.3:
        draw.line((0, 0, p, 0), fill=colour(random), width=w)
        draw.line((0, 0, 0, p), fill=colour(random), width=w)
    elif border < 0.5:
        draw.rectangle((0, 0, p, p), outline=colour(random), width=w)
    ink = ink_on(random, ground, random.choice((40, 80, 120)))
    if random.random() < 0.3:
        ink = random.choice(
            [
                c
                for c in ((0, 0, 255), (0, 128, 0), (255, 0, 0), (0, 0, 128), (128, 0, 0), (0, 128, 128), (0, 0, 0))
                if apart(c, ground) > 60
            ]
            or [ink]
        )
    face: Any = ImageFont.load_default(10)
    path = random.choice(paths)
    size = max(6, round(p * random.uniform(0.45, 1.05)))
    face = ImageFont.truetype(str(path), size) if random.random() < 0.97 else ImageFont.load_default(size)
    dx, dy = random.uniform(-0.06, 0.06) * p, random.uniform(-0.06, 0.06) * p
    if shape == "flag":
        draw_flag(draw, random, p, ink, ground)
    elif shape == "mine":
        draw_mine(draw, random, p, ink)
    elif shape == "other":
        draw_other(draw, random, p, ink, face)
    elif shape in "12345678" and random.random() < 0.06:
        wide, high, t = (
            p * random.uniform(0.15, 0.25),
            p * random.uniform(0.25, 0.36),
            max(1, round(p * random.uniform(0.06, 0.14))),
        )
        x, y = p / 2 + dx, p / 2 + dy
        ends = {
            "a": (-1, -1, 1, -1),
            "b": (-1, -1, -1, 0),
            "c": (1, -1, 1, 0),
            "d": (-1, 0, 1, 0),
            "e": (-1, 0, -1, 1),
            "f": (1, 0, 1, 1),
            "g": (-1, 1, 1, 1),
        }
        for segment in SEGMENTS[int(shape) - 1]:
            a, b, c, d = ends[segment]
            draw.line((x + a * wide, y + b * high, x + c * wide, y + d * high), fill=ink, width=t)
    elif shape in LINES and random.random() < 0.06:
        wide, high = p * random.uniform(0.3, 0.45), p * random.uniform(0.45, 0.65)
        t = max(1, round(p * random.uniform(0.06, 0.16)))
        for a, b, c, d in LINES[shape]:
            draw.line(
                (
                    (p - wide) / 2 + a * wide,
                    (p - high) / 2 + b * high,
                    (p - wide) / 2 + c * wide,
                    (p - high) / 2 + d * high,
                ),
                fill=ink,
                width=t,
            )
    else:
        if random.random() < 0.15:
            shadow = max(1, round(p / 20))
            draw.text((p / 2 + dx + shadow, p / 2 + dy + shadow), shape, fill=colour(random), font=face, anchor="mm")
        draw.text((p / 2 + dx, p / 2 + dy), shape, fill=ink, font=face, anchor="mm")
    if random.random() < 0.3:
        scale = random.uniform(0.65, 1.4)
        image = image.resize(
            (max(8, round(p * scale)),) * 2, random.choice((Image.Resampling.BILINEAR, Image.Resampling.BICUBIC))
        )
    if random.random() < 0.25:
        data = io.BytesIO()
        image.save(data, "JPEG", quality=random.choice((50, 60, 75, 90)))
        image = Image.open(data).convert("RGB")
    # The reader samples without smoothing, so the picture must not be smoothed twice.
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BILINEAR))


def features(cells: np.ndarray) -> np.ndarray:
    """Return the features of the glyph in each cell, zero without one."""
    return np.array(kernel.glyph_features(np.ascontiguousarray(cells)), np.float32)


def data(seed: int, count: int, paths: list[Path]) -> tuple[np.ndarray, np.ndarray]:
    random = Random(seed)
    shapes = [random.choice((*range(12), 11, 11)) for _ in range(count)]
    inputs = features(np.stack([draw_cell(random, SHAPES[shape], paths) for shape in shapes]))
    labels = np.array(shapes)
    kept = inputs.any(axis=1)
    return inputs[kept], labels[kept]


def train(inputs: np.ndarray, labels: np.ndarray, epochs: int) -> list[np.ndarray]:
    """Train a network with one hidden layer by Adam."""
    rng = np.random.default_rng(1)
    n = inputs.shape[1]
    weights = [
        rng.normal(0, math.sqrt(2 / n), (n, HIDDEN)),
        np.zeros(HIDDEN),
        rng.normal(0, math.sqrt(1 / HIDDEN), (HIDDEN, 12)),
        np.zeros(12),
    ]
    weights = [w.astype(np.float32) for w in weights]
    first, second = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights]
    step = 0
    for epoch in range(epochs):
        order = rng.permutation(len(inputs))
        rate = 0.002 * (1 - epoch / epochs) + 0.00005
        for start in range(0, len(order), 256):
            batch = order[start : start + 256]
            x = inputs[batch]
            h = np.maximum(x @ weights[0] + weights[1], 0)
            z = h @ weights[2] + weights[3]
            z -= z.max(axis=1, keepdims=True)
            q = np.exp(z)
            q /= q.sum(axis=1, keepdims=True)
            q[np.arange(len(batch)), labels[batch]] -= 1
            q /= len(batch)
            back = (q @ weights[2].T) * (h > 0)
            slopes = [x.T @ back + 2e-5 * weights[0], back.sum(0), h.T @ q + 2e-5 * weights[2], q.sum(0)]
            step += 1
            for i, slope in enumerate(slopes):
                first[i] = 0.9 * first[i] + 0.1 * slope
                second[i] = 0.999 * second[i] + 0.001 * slope * slope
                weights[i] -= rate * (first[i] / (1 - 0.9**step)) / (np.sqrt(second[i] / (1 - 0.999**step)) + 1e-7)
    return weights


def outputs(weights: list[np.ndarray], inputs: np.ndarray) -> np.ndarray:
    z = np.maximum(inputs @ weights[0] + weights[1], 0) @ weights[2] + weights[3]
    q = np.exp(z - z.max(axis=1, keepdims=True))
    shares: np.ndarray = q / q.sum(axis=1, keepdims=True)
    return shares


def table(weights: list[np.ndarray]) -> str:
    """Return the weights as C++: a character for each of the first layer, numbers for the rest."""
    scales = np.abs(weights[0]).max(axis=0) / 44
    whole = np.round(weights[0] / scales).astype(int)
    lines = [
        "// The network of glyphs.cpp, written by scripts/dev/glyphs.py.",
        "#pragma once",
        f"constexpr int kUnits = {HIDDEN};",
        "constexpr int kZero = 80;",
    ]

    def numbers(values: np.ndarray) -> str:
        return ", ".join(
            f"{value:.3g}f" if "." in f"{value:.3g}" or "e" in f"{value:.3g}" else f"{value:.3g}.0f" for value in values
        )

    def wrapped(text: str) -> list[str]:
        return ["    " + line for line in textwrap.wrap(text, 114)]

    for name, values in (
        ("kScales[kUnits]", scales),
        ("kOffsets[kUnits]", weights[1]),
        ("kBiases[kShapes]", weights[3]),
    ):
        lines += [f"constexpr float {name} = {{", *wrapped(numbers(values) + "};")]
    lines += [
        "constexpr float kOut[kUnits][kShapes] = {",
        *(line for row in weights[2] for line in wrapped("{" + numbers(row) + "},")),
        "};",
    ]
    lines.append("constexpr char kWeights[kUnits][kFeatures + 1] = {")
    for unit in range(HIDDEN):
        text = "".join(chr(80 + number) for number in whole[:, unit])
        parts = [text[start : start + 112] for start in range(0, len(text), 112)]
        lines += ['    "' + part.replace("\\", "\\\\").replace("?", "\\?") + '"' for part in parts]
        lines[-1] += ","
    return "\n".join([*lines, "};", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=120_000)
    parser.add_argument("--epochs", type=int, default=30)
    options = parser.parse_args()
    inputs, labels = data(1, options.cells, fonts())
    weights = train(inputs, labels, options.epochs)
    TABLE.write_text(table(weights))
    for name, paths in (("trained fonts", fonts()), ("held-out fonts", fonts(True))):
        x, y = data(2, 12_000, paths)
        guess = outputs(weights, x)
        hit = guess.argmax(1) == y
        sure = guess.max(1) > 0.98
        print(
            name,
            len(paths),
            f"right {hit.mean():.4f}, sure {sure.mean():.3f}, wrong when sure {1 - hit[sure].mean():.5f}",
        )
        print({shape: round(float(hit[y == i].mean()), 3) for i, shape in enumerate(SHAPES)})


if __name__ == "__main__":
    main()
