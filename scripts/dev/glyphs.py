"""Train the network that reads glyphs, on cells that this program draws, and write its table for the kernel.

Digits come in every font of the machine, as segments and as strokes; flags, mines, question marks and other glyphs
are random drawings. The fonts of ``tests/see`` that measure the reader are left out.
"""

from __future__ import annotations

import io
import math
import textwrap
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from minesweeper.player.kernel_api import kernel
from minesweeper.scripts.console.terminal import Command
from minesweeper.scripts.dev.page import check_requirements

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

TABLE: Final = Path(__file__).parents[2] / "player" / "kernel" / "see" / "glyph_table.hpp"
SHAPES: Final = ("1", "2", "3", "4", "5", "6", "7", "8", "flag", "mine", "?", "other")
HELD_OUT: Final = ("Inconsolata", "Hack", "FiraCode", "Carlito", "LinLibertine", "Gentium", "Comfortaa")
"""Families of fonts to measure with."""
HIDDEN: Final = 80
FEATURES: Final = 261
ENDS: Final = {
    "a": (0, 0, 1, 0),
    "b": (0, 0, 0, 0.5),
    "c": (1, 0, 1, 0.5),
    "d": (0, 0.5, 1, 0.5),
    "e": (0, 0.5, 0, 1),
    "f": (1, 0.5, 1, 1),
    "g": (0, 1, 1, 1),
}
"""The segments of a display."""
SEGMENTS: Final = ("cf", "acdeg", "acdfg", "bcdf", "abdfg", "abdefg", "acf", "abcdefg")
LINES: Final = {
    "1": ((0.5, 0, 0.5, 1), (0.25, 0.25, 0.5, 0)),
    "4": ((0.7, 0, 0.7, 1), (0.7, 0, 0.1, 0.65), (0.1, 0.65, 1, 0.65)),
    "7": ((0, 0, 1, 0), (1, 0, 0.35, 1)),
}
OTHERS: Final = "ACDEFGHJKLMNPRTUVWXYabdeghkmnqrtuwy0909VX#*+=%&@$!"
"""Characters that look like no digit from 1 to 8."""


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
    pole = ink if random.random() < 0.25 else ink_on(random, ground)
    wide, high = s * random.uniform(0.4, 0.75), s * random.uniform(0.4, 0.65)
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


def draw_strokes(draw: ImageDraw.ImageDraw, random: Random, shape: str, p: float, ink: Any) -> None:
    """Draw a digit as lines: the segments of a display, or the strokes of a pen."""
    wide, high = p * random.uniform(0.25, 0.5), p * random.uniform(0.4, 0.72)
    x, y = p / 2 + random.uniform(-0.06, 0.06) * p, p / 2 + random.uniform(-0.06, 0.06) * p
    thick = max(1, round(p * random.uniform(0.06, 0.15)))
    lines = LINES.get(shape, ())
    if not lines or random.random() < 0.5:
        lines = tuple(ENDS[segment] for segment in SEGMENTS[int(shape) - 1])
    for a, b, c, d in lines:
        start, end = (x + (a - 0.5) * wide, y + (b - 0.5) * high), (x + (c - 0.5) * wide, y + (d - 0.5) * high)
        draw.line((*start, *end), fill=ink, width=thick)


def draw_text(image: Image.Image, random: Random, text: str, path: Path, ink: Any) -> None:
    """Draw a character: smooth or as pixels, stretched and slanted a little, perhaps with an outline or a shadow."""
    from PIL import Image, ImageDraw, ImageFilter, ImageFont

    p = image.width
    size = max(6, round(p * random.uniform(*random.choice(((0.3, 1.05), (0.5, 1.0))))))
    coarse = random.choice((1, 1, 1, 1, 2, 3)) if size >= 24 else 1
    mask = Image.new("L", (2 * size // coarse, 2 * size // coarse))
    pen = ImageDraw.Draw(mask)
    if coarse > 1 or random.random() < 0.2:
        pen.fontmode = "1"
    face: Any = ImageFont.truetype(str(path), max(6, size // coarse))
    if random.random() < 0.08:
        face = ImageFont.load_default()
        mask = mask.resize((16, 16))
        pen = ImageDraw.Draw(mask)
    bold = random.choice((0, 0, 0, 0, 1)) if size >= 16 else 0
    pen.text((mask.width / 2, mask.height / 2), text, fill=255, font=face, anchor="mm", stroke_width=bold)
    mask = mask.resize((round(2 * size * random.uniform(0.8, 1.25)), 2 * size), Image.Resampling.NEAREST)
    if random.random() < 0.3:
        slant = random.uniform(-0.2, 0.2)
        mask = mask.transform(
            mask.size, Image.Transform.AFFINE, (1, slant, -slant * size, 0, 1, 0), Image.Resampling.BILINEAR
        )
    x = round((p - mask.width) / 2 + random.uniform(-0.06, 0.06) * p)
    y = round((p - mask.height) / 2 + random.uniform(-0.06, 0.06) * p)
    if random.random() < 0.15:
        shadow = max(1, round(p / 20))
        image.paste(colour(random), (x + shadow, y + shadow), mask)
    if random.random() < 0.1:
        image.paste(colour(random), (x, y), mask.filter(ImageFilter.MaxFilter(3)))
    image.paste(ink, (x, y), mask)


def draw_ground(random: Random, p: int) -> tuple[Image.Image, tuple[int, int, int]]:
    """Return a cell without a glyph: flat, shaded, or with a little noise; plain, with lines, or with a bevel."""
    from PIL import Image, ImageDraw

    ground = colour(random)
    pixels = np.empty((p, p, 3), np.float32)
    pixels[:] = ground
    kind = random.random()
    if kind < 0.15:
        pixels += np.linspace(0, random.uniform(-40, 40), p, dtype=np.float32)[:, None, None]
    elif kind < 0.3:
        pixels += np.random.default_rng(random.randrange(1 << 30)).normal(0, random.uniform(1, 5), (p, p, 1))
    image = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    border = random.random()
    w = max(1, round(p * random.uniform(0.03, 0.1)))
    if border < 0.3:
        draw.line((0, 0, p, 0), fill=colour(random), width=w)
        draw.line((0, 0, 0, p), fill=colour(random), width=w)
    elif border < 0.5:
        draw.rectangle((0, 0, p - 1, p - 1), outline=colour(random), width=w)
    elif border < 0.7:
        light, dark = colour(random), colour(random)
        for i in range(w):
            draw.line((i, i, p - 1 - i, i), fill=light)
            draw.line((i, i, i, p - 1 - i), fill=light)
            draw.line((i, p - 1 - i, p - 1 - i, p - 1 - i), fill=dark)
            draw.line((p - 1 - i, i, p - 1 - i, p - 1 - i), fill=dark)
    return image, ground


def draw_cell(random: Random, shape: str, paths: list[Path]) -> np.ndarray:
    """Return a cell with a glyph."""
    from PIL import Image, ImageDraw, ImageFont

    p = random.choice((10, 12, 14, 16, 16, 18, 20, 20, 24, 24, 28, 32, 36, 40, 48, 64, 90))
    image, ground = draw_ground(random, p)
    draw = ImageDraw.Draw(image)
    ink = ink_on(random, ground, random.choice((40, 80, 120)))
    if random.random() < 0.3:
        usual = ((0, 0, 255), (0, 128, 0), (255, 0, 0), (0, 0, 128), (128, 0, 0), (0, 128, 128), (0, 0, 0))
        ink = random.choice([one for one in usual if apart(one, ground) > 60] or [ink])
    path = random.choice(paths)
    if shape == "flag":
        draw_flag(draw, random, p, ink, ground)
    elif shape == "mine":
        draw_mine(draw, random, p, ink)
    elif shape == "other":
        face = ImageFont.truetype(str(path), max(6, round(p * random.uniform(0.45, 1.05))))
        draw_other(draw, random, p, ink, face)
    elif shape in "12345678" and random.random() < 0.1:
        draw_strokes(draw, random, shape, p, ink)
    else:
        draw_text(image, random, shape, path, ink)
    if random.random() < 0.3:
        side = max(8, min(100, round(p * random.uniform(0.65, 1.4))))
        image = image.resize((side, side), random.choice((Image.Resampling.BILINEAR, Image.Resampling.BICUBIC)))
    if random.random() < 0.25:
        data = io.BytesIO()
        image.save(data, "JPEG", quality=random.choice((50, 60, 75, 90)))
        image = Image.open(data).convert("RGB")
    return np.asarray(image)


def features(cells: list[np.ndarray]) -> np.ndarray:
    """Return the features of the glyph in each cell, zero without one."""
    sides = np.array([len(cell) for cell in cells])
    out = np.zeros((len(cells), FEATURES), np.float32)
    for side in set(sides.tolist()):
        (places,) = np.nonzero(sides == side)
        out[places] = kernel.glyph_features(np.stack([cells[place] for place in places]))
    return out


def part(seed: str, count: int, paths: list[Path]) -> tuple[np.ndarray, np.ndarray]:
    random = Random(seed)
    shapes = [random.choice((*range(12), 11, 11)) for _ in range(count)]
    return features([draw_cell(random, SHAPES[shape], paths) for shape in shapes]), np.array(shapes)


def data(seed: int, count: int, paths: list[Path]) -> tuple[np.ndarray, np.ndarray]:
    """Draw cells, and return the features and the shapes of those whose glyph can be seen."""
    size = 4000
    with ProcessPoolExecutor() as pool:
        parts = list(pool.map(part, (f"{seed} {i}" for i in range(count // size)), repeat(size), repeat(paths)))
    inputs, labels = (np.concatenate(column) for column in zip(*parts, strict=True))
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
    lines.append("constexpr char kUnitWeights[kUnits][kFeatures + 1] = {")
    for unit in range(HIDDEN):
        text = "".join(chr(80 + number) for number in whole[:, unit])
        parts = [text[start : start + 112] for start in range(0, len(text), 112)]
        lines += ['    "' + part.replace("\\", "\\\\").replace("?", "\\?") + '"' for part in parts]
        lines[-1] += ","
    return "\n".join([*lines, "};", ""])


@click.command(cls=Command, epilog="Example: python scripts/dev/glyphs.py --cells 20000")
@click.option("--cells", default=120_000, help="Cells to train on.")
@click.option("--epochs", default=30, help="Rounds over the cells.")
def main(cells: int, epochs: int) -> None:
    """Train the network that reads glyphs, on drawn cells, and write its table for the kernel."""
    check_requirements("PIL")
    inputs, labels = data(1, cells, fonts())
    weights = train(inputs, labels, epochs)
    TABLE.write_text(table(weights))
    for name, paths in (("trained fonts", fonts()), ("held-out fonts", fonts(True))):
        x, y = data(2, 12_000, paths)
        guess = outputs(weights, x)
        hit = guess.argmax(1) == y
        sure = guess.max(1) > 0.98
        wrong = 1 - hit[sure].mean()
        click.echo(f"{len(paths)} {name}: right {hit.mean():.4f}, sure {sure.mean():.3f}, wrong when sure {wrong:.5f}")


if __name__ == "__main__":
    main()
