"""Reading boards from pictures: drawn ones with known truths, and pictures that show none."""

from __future__ import annotations

import io
import zlib
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner
from looks import HELD_OUT, LOOKS, TUNED, Drawn, Shown, degrade, draw_board, font, position, sample
from PIL import Image, ImageDraw, PngImagePlugin

import minesweeper as ms
from minesweeper.db.formats import reading as open_pack
from minesweeper.player.see.reading import MOST_PIXELS, pixels_of, read_again
from minesweeper.scripts.commands.analyse import main as analyse

HIDDEN = ms.HIDDEN


def is_right(reading: ms.Reading, drawn: Drawn) -> bool:
    """Return whether a reading has the place, the cells and the mines of a drawn board."""
    left, top, pitch = drawn.box
    shown = drawn.shown
    placed = abs(reading.x_lines[0] - left) < pitch / 3 and abs(reading.y_lines[0] - top) < pitch / 3
    return (
        placed
        and reading.cells.shape == shown.cells.shape
        and np.array_equal(reading.cells, np.where(shown.cells == 9, HIDDEN, shown.cells))
        and np.array_equal(reading.mines_shown, shown.cells == 9)
    )


def board(look: str = "classic", seed: int = 4, size: str = "9x9/10", pitch: float = 24, stage: float = 0.6) -> Drawn:
    random = Random(seed)
    shown = position(random, size, stage)
    cells = np.where(shown.cells == 9, HIDDEN, shown.cells)
    return draw_board(random, look, Shown(cells, shown.flags, None, shown.mines), pitch)


def png(image: Image.Image) -> bytes:
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


@pytest.mark.parametrize("look", LOOKS)
def test_a_sure_reading_of_any_look_is_right(look: str) -> None:
    for seed in range(3):
        drawn = sample(Random(f"{look} {seed}"), look)
        try:
            reading = ms.read_image(drawn.image)
        except ms.NoBoardFound:
            continue
        assert reading.verdict == "doubtful" or is_right(reading, drawn), f"{look} {seed} is read wrongly"


@pytest.mark.parametrize("looks", [TUNED, HELD_OUT], ids=["tuned", "held out"])
def test_most_plain_boards_are_read_without_doubt(looks: tuple[str, ...]) -> None:
    sure = 0
    for look in looks:
        try:
            sure += ms.read_image(board(look).image).verdict == "sure"
        except ms.NoBoardFound:
            continue
    assert sure >= len(looks) / 2


def test_a_compressed_and_scaled_board_is_read() -> None:
    drawn = degrade(board(pitch=30), jpeg=60, scale=0.7)
    reading = ms.read_image(drawn.image)
    assert reading.verdict == "sure"
    assert is_right(reading, drawn)


def test_flags_and_boxes_are_read() -> None:
    drawn = board(seed=6)
    reading = ms.read_image(drawn.image)
    assert drawn.shown.flags.any()
    assert np.array_equal(reading.flags, drawn.shown.flags)
    left, top, pitch = drawn.box
    box = [left + 3 * pitch, top + 2 * pitch, left + 4 * pitch, top + 3 * pitch]
    assert np.allclose(reading.boxes[2, 3], box, atol=3)


def test_all_boards_are_read_largest_first() -> None:
    small, large = board(seed=1, pitch=30), board(seed=2, size="12x20/40")
    both = Image.new("RGB", (small.image.width + large.image.width, small.image.height + large.image.height))
    both.paste(small.image, (0, 0))
    both.paste(large.image, small.image.size)
    assert [reading.cells.shape for reading in ms.read_boards(both)] == [(12, 20), (9, 9)]


def test_a_picture_is_taken_in_any_form(tmp_path: Path) -> None:
    image = board().image
    expected = ms.read_image(image).cells
    image.save(tmp_path / "shot.png")
    rgba = np.asarray(image.convert("RGBA"))
    webp = io.BytesIO()
    image.save(webp, "WEBP", lossless=True)
    for form in (tmp_path / "shot.png", png(image), webp.getvalue(), np.asarray(image), rgba):
        assert np.array_equal(ms.read_image(form).cells, expected)


def test_transparent_parts_are_white() -> None:
    assert pixels_of(np.zeros((2, 3, 4), np.uint8)).tolist() == [[[255, 255, 255]] * 3] * 2


def test_the_number_of_mines_is_the_range_that_fits() -> None:
    reading = ms.read_image(board().image)
    assert isinstance(reading.mines, ms.MineRange)
    assert reading.mines.least <= 10 <= (reading.mines.most or 0)
    assert reading.view.mine_count == reading.mines


def test_analyse_reads_and_draws_over_a_picture(tmp_path: Path) -> None:
    shot, drawn = tmp_path / "shot.png", tmp_path / "out.png"
    image = board().image
    image.save(shot)
    command = CliRunner()
    result = command.invoke(analyse, [str(shot), "--mines", "10", "--picture", str(drawn)])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("9x9/10:")
    with Image.open(drawn) as over:
        assert over.size == image.size
        assert np.any(np.asarray(over) != np.asarray(image))
    piped = command.invoke(analyse, ["-", "--mines", "10"], input=shot.read_bytes())
    assert piped.output == result.output
    assert command.invoke(analyse, [str(shot)]).output.startswith("9x9/")
    text = tmp_path / "view.txt"
    text.write_text("1x3/1\n#1#\n")
    assert command.invoke(analyse, [str(text), "--picture", str(drawn)]).exit_code != 0


def test_a_finished_board_is_imported_from_its_picture(tmp_path: Path) -> None:
    shot = tmp_path / "shot.png"
    layout = ms.Recipe("9x9/10", seed=1).puzzle(0).board
    cells = np.where(layout.mine_map, HIDDEN, layout.clues)
    draw_board(Random(1), "classic", Shown(cells, layout.mine_map & False, None, 10), 24).image.save(shot)
    with open_pack(shot) as boards:
        assert list(boards) == [layout]
    board().image.save(shot)
    with pytest.raises(ms.MinesweeperError, match="shows no whole board"), open_pack(shot) as boards:
        list(boards)


def test_cells_of_which_some_are_a_pixel_wider_are_found() -> None:
    widths = [35] * 10 + [34] * 6
    lines = np.cumsum([60, *widths])
    image = Image.new("RGB", (800, 800), "#f6f5f4")
    draw = ImageDraw.Draw(image)
    for top, bottom in pairwise(lines):
        for left, right in pairwise(lines):
            draw.rectangle((left + 2, top + 2, right - 3, bottom - 3), fill="#babdb6")
    reading = ms.read_image(image)
    assert reading.cells.shape == (16, 16)
    assert np.abs(np.array(reading.x_lines) - lines).max() < 2
    assert np.abs(np.array(reading.y_lines) - lines).max() < 2


def hatched(across: int) -> Image.Image:
    """Return a board of 16x16 cells, all closed, with two black pixels between cells and three around the board."""
    image = Image.new("RGB", (16 * across + 140, 16 * across + 120), "white")
    left, top, side = 70, 60, 16 * across
    ImageDraw.Draw(image).rectangle((left - 2, top - 2, left + side + 1, top + side + 1), fill="black")
    pixels = np.asarray(image).copy()
    rows, cols = np.mgrid[:side, :side]
    inside = (rows % across != 0) & (rows % across != across - 1) & (cols % across != 0) & (cols % across != across - 1)
    pixels[top : top + side, left : left + side][inside] = np.where((rows + cols) % 2, 255, 128)[inside, None]
    return Image.fromarray(pixels)


def test_cells_of_whole_pixels_have_exact_lines() -> None:
    """A thicker line around the board moves the outer lines of other cells."""
    for across in (20, 30, 44):
        reading = ms.read_image(hatched(across))
        assert reading.verdict == "sure"
        assert np.allclose(np.diff(reading.x_lines), across)
        assert np.allclose(np.diff(reading.y_lines), across)


def test_cells_of_200_pixels_are_read() -> None:
    drawn = board("serif-lines", size="8x8/10", pitch=190)
    assert is_right(ms.read_image(drawn.image), drawn)


def test_a_board_that_the_picture_cuts_off_is_never_sure() -> None:
    drawn = board(size="16x16/40")
    left, top, pitch = drawn.box
    with suppress(ms.NoBoardFound):
        reading = ms.read_image(drawn.image.crop((0, 0, int(left + 12.5 * pitch), int(top + 20 * pitch))))
        assert reading.verdict == "doubtful"


@pytest.mark.parametrize("heights", [(2, 3), (3, 2)])
def test_a_mark_on_all_cells_that_is_drawn_in_two_sizes_is_texture(heights: tuple[int, int]) -> None:
    image = Image.new("RGB", (340, 340), (150, 150, 150))
    draw = ImageDraw.Draw(image)
    for row, col in np.ndindex(9, 9):
        x, y = 40 + 28 * col, 40 + 28 * row
        draw.rectangle((x + 1, y + 1, x + 26, y + 26), fill=(190, 190, 190))
        draw.rectangle((x + 5, y + 5, x + 11, y + 4 + heights[row > 0]), fill=(211, 211, 211))
    assert [board.verdict for board in ms.read_boards(image)] == ["sure"]


def test_a_board_is_read_again_at_its_place() -> None:
    drawn = board()
    before = ms.read_image(drawn.image)
    assert read_again(drawn.image, before) == before


@pytest.mark.parametrize("seed", [104, 128])
def test_a_part_of_a_board_with_blank_cells_beside_it_is_never_sure(seed: int) -> None:
    """Faint lines between closed cells leave a part of the board that looks whole."""
    drawn = sample(Random(f"fine {seed}"), "fine")
    with suppress(ms.NoBoardFound):
        reading = ms.read_image(drawn.image)
        assert reading.verdict == "doubtful" or is_right(reading, drawn)


def test_small_numbers_in_large_cells_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LOOKS, "small", replace(LOOKS["serif-lines"], size=0.2, font="DejaVuSans"))
    drawn = board("small", size="8x8/10", pitch=90)
    assert is_right(ms.read_image(drawn.image), drawn)


def test_a_flag_beside_a_zero_is_read() -> None:
    """Programs do not open flagged cells around a zero."""
    cells, flags = opened_around([(0, 0), (0, 4)])
    cells[8, 6], flags[8, 6] = HIDDEN, True
    drawn = draw_board(Random(1), "classic", Shown(cells, flags, None, 2), 24)
    assert is_right(ms.read_image(drawn.image), drawn)


def test_a_digit_in_most_cells_is_no_texture() -> None:
    cells, flags = opened_around([(row, col) for row in (1, 4, 7) for col in (1, 4, 7)])
    assert (cells == 1).mean() > 0.8
    drawn = draw_board(Random(1), "classic", Shown(cells, flags, None, 9), 24)
    assert is_right(ms.read_image(drawn.image), drawn)


def test_closed_and_open_cells_that_differ_only_by_their_relief_are_told_apart() -> None:
    cells, flags = opened_around([(0, 5), (1, 3), (4, 6), (7, 4), (8, 1)])
    drawn = draw_board(Random(1), "serif-lines", Shown(cells, flags, None, 5), 36)
    draw, (left, top, pitch) = ImageDraw.Draw(drawn.image), drawn.box
    for row in range(9):
        for col in range(9):
            x, y = round(left + col * pitch), round(top + row * pitch)
            draw.rectangle((x, y, x + 35, y + 35), fill="#c1c1c1", outline="#d5d5d5")
            if cells[row, col] == HIDDEN:
                draw.rectangle((x + 1, y + 1, x + 34, y + 34), outline="#808080")
                draw.rectangle((x + 3, y + 3, x + 32, y + 32), outline="#f0f0f0")
            elif cells[row, col]:
                ink = ("#0000c0", "#008000", "#c00000")[cells[row, col] - 1]
                draw.text((x + 18, y + 18), str(cells[row, col]), ink, font("DejaVuSans-Bold", 26), anchor="mm")
    assert np.array_equal(ms.read_image(drawn.image).cells, cells)


@pytest.mark.parametrize("seed", [1, 5, 15])
def test_a_clue_that_looks_like_no_number_is_no_clue_with_another_glyph(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logic allows 1 and 4, and the 1s look alike or not."""
    monkeypatch.setitem(LOOKS, "odd", replace(LOOKS["classic"], marks=("1", "2", "3", "X", "5", "6", "7", "8")))
    drawn = board("odd", seed=seed, size="9x9/18", stage=0.5)
    assert is_right(ms.read_image(drawn.image), drawn)
    assert seed == 5 or ms.read_image(drawn.image).verdict == "sure"


def meadow() -> tuple[Image.Image, np.ndarray]:
    """Return a framed board without edges between cells, on which a zero is a post, and its cells."""
    cells = position(Random(4), "9x9/10", 0.6).cells
    image = Image.new("RGB", (400, 400), "#6090d0")
    draw = ImageDraw.Draw(image)
    draw.rectangle((58, 58, 59 + 9 * 30 + 2, 59 + 9 * 30 + 2), fill="#a0d860", outline="white", width=2)
    for row, col in np.ndindex(9, 9):
        x, y, value = 60 + 30 * col, 60 + 30 * row, cells[row, col]
        if value == HIDDEN:
            for line in range(24):
                shade = 3 * min(line, 23 - line)
                draw.line((x + 1, y + 3 + line, x + 28, y + 3 + line), (160 - shade, 216 - shade, 96 - shade))
            continue
        draw.line((x + 15, y + 4, x + 14, y + 26), "#604020", 3)
        draw.rectangle((x + 9, y + 5, x + 21, y + 12 if value == 0 else y + 22), fill="#b0a080")
        if value:
            draw.text((x + 15, y + 13), str(value), "black", font("DejaVuSans-Bold", 17), anchor="mm")
    return image, cells


def test_a_framed_board_without_edges_between_its_cells_is_found() -> None:
    image, cells = meadow()
    reading = ms.read_image(image)
    assert np.abs(np.array(reading.x_lines) - (60 + 30 * np.arange(10))).max() < 3
    assert np.array_equal(reading.cells, cells)


def opened_around(mines: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells of a board of 9x9 with all safe cells open, and no flags."""
    layout = ms.Board.from_cells(ms.Grid(9, 9), mines)
    return np.where(layout.mine_map, HIDDEN, layout.clues).astype(np.int8), np.zeros((9, 9), np.bool_)


def test_a_corrected_cell_is_no_longer_doubtful() -> None:
    reading = ms.read_image(board().image)
    cell = tuple(int(place) for place in np.argwhere(reading.cells == HIDDEN)[0])
    fixed = reading.corrected({cell: "3"})
    assert fixed.cells[cell] == 3
    assert fixed.corrected({cell: "flag"}).flags[cell]
    with pytest.raises(ms.MinesweeperError, match="unknown meaning 'nine'"):
        reading.corrected({cell: "nine"})


def chess_board() -> Image.Image:
    image = Image.new("RGB", (400, 400), "white")
    draw = ImageDraw.Draw(image)
    for place in range(64):
        row, col = divmod(place, 8)
        x, y = 30 + 40 * col, 30 + 40 * row
        draw.rectangle((x, y, x + 39, y + 39), fill="#b58863" if (row + col) % 2 else "#f0d9b5")
        if row in (0, 1, 6, 7):
            ink = "#000000" if row < 2 else "#ffffff"
            draw.polygon(
                [(x + 20, y + 5), (x + 10 + (7 * col) % 9, y + 20), (x + 33, y + 34), (x + 7, y + 34)], fill=ink
            )
    return image


def letters_in_squares(words: str, black: int) -> Image.Image:
    """Return a crossword, or a Sudoku without black squares."""
    random = Random(3)
    image = Image.new("RGB", (420, 420), "white")
    draw = ImageDraw.Draw(image)
    for place in range(81):
        row, col = divmod(place, 9)
        x, y = 30 + 40 * col, 30 + 40 * row
        fill = "black" if random.randrange(9) < black else "white"
        draw.rectangle((x, y, x + 40, y + 40), fill=fill, outline="black")
        if fill == "white" and random.random() < 0.5:
            draw.text((x + 20, y + 20), random.choice(words), fill="black", font_size=26, anchor="mm")
    return image


def spreadsheet() -> Image.Image:
    image = Image.new("RGB", (700, 500), "white")
    draw = ImageDraw.Draw(image)
    for row in range(20):
        for col in range(7):
            draw.rectangle((90 * col, 22 * row, 90 * col + 90, 22 * row + 22), outline="#cccccc")
            draw.text((90 * col + 5, 22 * row + 4), str(row * col * 37), fill="black")
    return image


def noise() -> Image.Image:
    return Image.fromarray(np.random.default_rng(1).integers(0, 256, (300, 400, 3), dtype=np.uint8))


def graph_paper() -> Image.Image:
    pixels = np.full((1700, 1700, 3), 255, np.uint8)
    pixels[::8] = pixels[:, ::8] = 0
    return Image.fromarray(pixels)


def photograph() -> Image.Image:
    coarse = np.random.default_rng(2).integers(0, 256, (12, 16, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((640, 480), Image.Resampling.BICUBIC)


@pytest.mark.parametrize(
    "image",
    [
        chess_board(),
        letters_in_squares("ABCDEFGHIKLMNOPRSTUW", 2),
        letters_in_squares("123456789", 0),
        spreadsheet(),
        noise(),
        photograph(),
        Image.new("RGB", (800, 600), "white"),
        Image.new("RGB", (1, 1)),
        graph_paper(),
    ],
    ids=["chess", "crossword", "sudoku", "spreadsheet", "noise", "photograph", "empty", "one pixel", "graph paper"],
)
def test_another_picture_has_no_board(image: Image.Image) -> None:
    with pytest.raises(
        ms.NoBoardFound, match=r"^no board found in the picture \([0-9]+x[0-9]+\); expected cells of .*$"
    ):
        ms.read_image(image)


def huge() -> bytes:
    """Return the head of a PNG of 20,000 x 20,000 pixels."""
    small = bytearray(png(Image.new("RGB", (2, 2))))
    small[16:24] = (20_000).to_bytes(4, "big") * 2
    small[29:33] = zlib.crc32(small[12:29]).to_bytes(4, "big")
    return bytes(small)


def text_bomb() -> bytes:
    """Return a small PNG with a compressed text of 2 MB."""
    notes = PngImagePlugin.PngInfo()
    notes.add_text("a", "x" * 2_000_000, zip=True)
    data = io.BytesIO()
    Image.new("RGB", (9, 9)).save(data, "PNG", pnginfo=notes)
    return data.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"not a picture", "this is no picture; expected a PNG"),
        (b"", "this is no picture"),
        (png(noise())[:5000], "the picture is damaged or cut off"),
        (huge(), "expected at most 40,000,000"),
        (png(Image.new("1", (9000, 9000))), "expected at most 40,000,000"),
        (text_bomb(), "the picture is damaged or cut off"),
    ],
    ids=["text", "empty", "cut off", "20000x20000", "bomb", "text bomb"],
)
def test_a_bad_file_is_answered_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(ms.MinesweeperError) as error:
        ms.read_image(data)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_bad_array_is_refused() -> None:
    with pytest.raises(ms.MinesweeperError, match="expected height x width x 3 or 4 bytes"):
        ms.read_image(np.zeros((4, 4), np.uint8))
    with pytest.raises(ms.MinesweeperError, match="expected at most"):
        ms.read_image(np.broadcast_to(np.uint8(0), (MOST_PIXELS, 2, 3)))
