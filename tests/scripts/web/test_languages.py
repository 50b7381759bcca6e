"""The words of the page: every language has all sentences, and a page in it has no English left."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import LAPTOP, another, click_on, open_tab, serving_files, settle
from playwright.sync_api import Browser, Page, expect

from minesweeper.db.formats.positions import POSITION_FORMATS
from minesweeper.db.formats.registry import FORMATS
from minesweeper.player.core.difficulty import WORDS
from minesweeper.player.core.grid import KINDS
from minesweeper.player.core.recipe import StartRule
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic.sentences import ENGLISH, LANGUAGES as SENTENCES, TEMPLATES
from minesweeper.player.play.judgement import Verdict
from minesweeper.scripts.web.files import STATIC, export
from minesweeper.scripts.web.settings import Settings

LANGUAGES = sorted((STATIC / "words").glob("*.json"))
CALL = re.compile(r'(?<![\w.])t\(\s*(?:("(?:[^"\\]|\\.)*")|says\.name|name|[^"()]*\? ("[^"]*") : ("[^"]*"))?')
VALUE = re.compile(r"\{(\w+)(?::([^}]*))?\}")
NAMES = {"Sweep", "JSON lines", "CSV", "SQLite", "Parquet"}
"""Names that are equal in all languages."""
UNSEEN = "%s|Ctrl-C|base64|JSON|within|not finished|head is|another page|host name|Unknown|Kaboom needs|Another|The day"
"""In sentences of the server for its operator, or about requests that the page never sends."""
MARKS = "\u2063", "\u2064"
"""Brackets without a width."""
PLAYED = {"mode": "no-guess", "preset": "beginner", "seed": 7}


def script_sentences() -> set[str]:
    """Return the first arguments of all calls of `t` outside of its module, which are literals."""
    found = set()
    for path in STATIC.glob("js/**/*.js"):
        if path.name != "words.js":
            for call in CALL.finditer(path.read_text("utf-8")):
                assert call[0][-1] != "(", path.name
                found |= {ast.literal_eval(literal) for literal in call.groups() if literal}
    return found


def document_sentences() -> set[str]:
    """Return the paragraphs, other texts and spoken names of the document, as the page looks them up."""
    text = (STATIC / "index.html").read_text("utf-8")
    body = re.sub(r"(?s)^.*<body>|<option[^>]* lang=.*?</option>|<noscript>.*?</noscript>", "", text)
    found = re.findall(r'(?:title|aria-label|placeholder)="([^"]*)"', body)
    paragraph = r"<p\b[^>]*>(.*?)</p>"
    found += [re.sub(r"<(a|button) [^>]*>", r"<\1>", one) for one in re.findall(paragraph, body)]
    found += re.findall(r">([^<>]+)", re.sub(paragraph, "", body))
    return {one.strip() for one in found if re.search("[A-Za-z]", one)} - NAMES


def data_names() -> set[str]:
    """Return the names that the page shows and the data has."""
    titles = {one.title for one in (*POSITION_FORMATS.values(), *FORMATS)} - NAMES
    modes = {"No-guess", "Shared", "hardest step: {tier}", "guess", "hole", "holes"}
    starts = {f"{rule.words} at {{cell}}" for rule in StartRule} | {"seed {seed}"}
    grids = {"rectangle", *KINDS, *" ".join(KINDS).split()} - {""}
    return {*WORDS, *grids, *Settings().sizes, *(tier.title for tier in Tier), *Verdict, *titles, *modes, *starts}


def engine_sentences() -> set[str]:
    """Return the texts in the server's code, and the kernel's errors about grids and texts; values are empty braces."""
    kernel = "".join((STATIC / "kernel" / name).read_text("utf-8") for name in ("grids.js", "kernel.js"))
    errors = re.findall(r'(?:RangeError\(|check\(\w+, )["`](.*?)["`]\)', kernel)
    found = {re.sub(r"\$\{[^}]*\}", "{}", error) for error in errors}
    for path in STATIC.parent.glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            match node:
                case ast.JoinedStr():
                    found.add(
                        "".join(f"{part.value}" if isinstance(part, ast.Constant) else "{}" for part in node.values)
                    )
                case ast.Constant(value=str() as text) if id(node) not in inner | docstrings:
                    found.add(text)
    return found


def without_names(sentence: str) -> str:
    return VALUE.sub("{}", sentence)


@pytest.mark.parametrize("path", LANGUAGES, ids=lambda path: path.stem)
def test_a_language_has_every_sentence_and_no_other(path: Path) -> None:
    table = json.loads(path.read_text("utf-8"))
    needed = (script_sentences() | document_sentences() | data_names()) - templates(ENGLISH).keys()
    assert sorted(needed - table.keys()) == []
    sent = engine_sentences()
    assert sorted(key for key in table.keys() - needed if without_names(key) not in sent) == []
    errors = {text for text in sent if re.fullmatch(r"[A-Z].* .*\.", text) and not re.search(UNSEEN, text)}
    assert sorted(errors - {without_names(key) for key in table}) == []
    assert f'<option value="{path.stem}" lang="{path.stem}">' in (STATIC / "index.html").read_text("utf-8")


@pytest.mark.parametrize("path", LANGUAGES, ids=lambda path: path.stem)
def test_a_translation_has_the_values_of_its_sentence(path: Path) -> None:
    table = json.loads(path.read_text("utf-8"))
    wrong = [key for key, text in table.items() if names_in(key) != names_in(text)]
    assert wrong == []
    forms = {len(forms.split("|")) for text in table.values() for _, forms in VALUE.findall(text) if forms}
    assert len(forms) == 1
    tags = [key for key, text in table.items() if sorted(re.findall("<.*?>", key)) != sorted(re.findall("<.*?>", text))]
    assert tags == []


def templates(language: str) -> dict[str, str]:
    """Return the sentences of the library."""
    found: dict[str, str] = json.loads((TEMPLATES / f"{language}.json").read_text("utf-8"))
    return found


@pytest.mark.parametrize("language", SENTENCES)
def test_a_language_has_every_sentence_of_the_library_with_its_values(language: str) -> None:
    english, table = templates(ENGLISH), templates(language)
    assert list(table) == list(english) == sorted(english)
    # No English sentence of the page is such a name.
    assert all(re.fullmatch(r"[a-z]+\.[a-z]+", name) for name in english)
    assert {name: names_in(text) for name, text in table.items()} == {
        name: names_in(text) for name, text in english.items()
    }
    assert (STATIC / "words" / f"{language}.json").exists() or language == ENGLISH


def names_in(sentence: str) -> set[str]:
    return {name for name, _ in VALUE.findall(sentence)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the static page; below `marked/`, with each sentence of the table in `MARKS`."""
    out = tmp_path_factory.mktemp("german")
    export(out)
    export(out / "marked")
    table = out / "marked" / "static" / "words" / "de.json"
    marked = {key: text.join(MARKS) for key, text in json.loads(table.read_text("utf-8")).items()}
    table.write_text(json.dumps(marked))
    with serving_files(out) as (_, address):
        yield address


@pytest.fixture
def german(browser: Browser, folder: str, complaints: list[str]) -> Iterator[Page]:
    """A tab of a German on a narrow phone."""
    german = {"locale": "de-DE", "viewport": {"width": 360, "height": 640}, "has_touch": True}
    yield from open_tab(browser, complaints, base_url=folder, **LAPTOP | german)


def press(page: Page, *selectors: str) -> None:
    """Click elements, buttons of the Assistant among them."""
    for selector in selectors:
        element = page.locator(selector)
        if page.locator("#assistant", has=element).count() and not element.is_visible():
            page.locator("#assistant summary").click()
        click_on(element)


def tour(page: Page) -> Iterator[str]:
    """Use every part of the marked page, and yield a name whenever there is something new to look at."""
    page.goto("./marked/")
    expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")
    page.evaluate("document.querySelector('#help').showPopover()")
    yield "first visit"
    press(page, "#help .primary", "#settings summary")
    yield "settings"
    press(page, "#settings summary", "#new")
    for mode in page.locator("#modes label").all():
        mode.click()
        yield "new game"
    press(page, "#cancel")
    another(page, **PLAYED)
    for button in ("hint", "hint", "hint", "may-guess", "check-flags", "chances", "next", "chances"):
        press(page, f"#{button}")
        yield button
    press(page, "#cheat")
    expect(page.locator("#ending")).to_be_visible()
    yield "won with help"
    another(page, mode="classic", rows=1, cols=3, mines=1, start="safe", seed=1)
    press(page, "#board [data-index='1']", "#hint")
    expect(page.locator("#words .layouts").first).to_be_visible()
    yield "proof"
    another(page, mode="kaboom", rows=8, cols=8, mines=8, seed=7, rules={"mode": "cruelest"})
    press(page, "#board [data-index='27']", "#verdicts")
    expect(page.locator("#words .legend")).to_be_visible()
    yield "verdicts"
    page.locator("#board .is-mine, #board .refused").first.click()
    expect(page.locator("#ending")).to_be_visible()
    settle(page)
    yield "lost"
    press(page, "#ending-close", "#undo")
    yield "undone"
    another(page, **PLAYED)
    press(page, "#board [data-index='0']")
    if not page.locator("#ending").is_visible():
        press(page, "#cheat")
    expect(page.locator("#ending")).to_be_visible()
    page.locator("#ending-review").click()
    expect(page.locator("#moment-name")).not_to_be_empty()
    yield "review"
    page.locator("#last").click()
    yield "end of the review"
    for name in ("watch", "analyse", "record", "nothing"):
        page.goto(f"./marked/?page={name}")
        expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")
        yield name
        if name == "watch":
            page.locator("#step").click()
            yield "first move"
        if name == "analyse":
            expect(page.locator("#steps li")).not_to_have_count(0)
            page.locator("#step-on").click()
            yield "step"
            for text in ("1x3/1\n#1#", "1x3/1\n#3#", "chess", "2x2/1\n##"):
                before = page.locator("#words").text_content() or ""
                page.locator("#text").fill(text)
                page.locator("#read").click()
                expect(page.locator("#words")).not_to_have_text(before)
                yield f"analysis of {text}"


def test_german_is_complete_and_fits_a_narrow_phone(german: Page, check_accessibility: Callable[[Page], None]) -> None:
    for place in tour(german):
        assert words_outside_of_marks(german) == [], place
        assert german.evaluate("document.documentElement.scrollWidth") <= 360, place
        cut = german.evaluate(
            "[...document.querySelectorAll('button, .button, summary, label, nav a, .stats > div')]"
            ".filter(one => one.checkVisibility() && one.clientWidth && one.scrollWidth > one.clientWidth + 1)"
            ".map(one => one.textContent)"
        )
        assert cut == [], place
        if place == "verdicts":
            check_accessibility(german)


def words_outside_of_marks(page: Page) -> list[str]:
    """Return the texts of a page, seen or spoken, with words that are neither of the table nor names."""
    sizes = "too young to die|not too rough|hurt me plenty|ultra-violence"
    players, month = "champion|lookahead|progress|safest", r"[A-Z]\w+ 20\d\d"
    names = f"Sweep|{players}|{sizes}|{month}|English|Deutsch|Choose File|No file chosen"
    spoken = page.evaluate(
        "[...document.querySelectorAll('*')].filter(one => one.checkVisibility())"
        ".flatMap(one => ['title', 'aria-label', 'placeholder'].map(name => one.getAttribute(name) ?? ''))"
    )
    found = []
    for text in (page.locator("body").inner_text(), *spoken):
        left, count = text, 1
        while count:
            left, count = re.subn("{0}[^{0}{1}]*{1}".format(*MARKS), "", left)
        lines = re.sub(f"(?i){names}", "", left).splitlines()
        found += [line for line in lines if re.search("[A-Za-z]{3}", line) or any(mark in line for mark in MARKS)]
    return found


def test_the_language_is_that_of_the_browser_until_one_is_chosen(german: Page) -> None:
    german.goto("./")
    expect(german.locator("html")).to_have_attribute("lang", "de")
    expect(german.locator("#title")).to_have_text("Ohne Raten Anfänger 9x9/10")
    german.locator("#hint").click()
    expect(german.locator("#words")).to_have_text("Der erste Klick ist immer sicher: Decke irgendein Feld auf.")
    german.locator("#language").select_option("English")
    expect(german.locator("#title")).to_have_text("No-guess beginner 9x9/10")
    requests: list[str] = []
    german.on("request", lambda request: requests.append(request.url))
    german.reload()
    expect(german.locator("#title")).to_contain_text("No-guess")
    german.locator("#hint").click()
    expect(german.locator("#words")).to_have_text("The first click is always safe: open any cell.")
    assert not [url for url in requests if "/words/de" in url]
    german.locator("#language").select_option("Deutsch")
    expect(german.locator("#hint")).to_have_text("Hinweis")


def test_a_hardest_step_chosen_in_german_is_found(german: Page) -> None:
    """The choices had no values, so the engine searched for `1 Zahl` and found nothing."""
    german.goto("./")
    german.locator("#new").click()
    german.locator("#modes label", has_text="Übung").click()
    german.locator("#tier").select_option("1 Zahl")
    german.locator("#start").click()
    expect(german.locator("#title")).to_have_text("Übung, 1 Zahl")
