"""Every parser on a small corpus and its mutants; ``fuzz.py`` runs longer, guided by coverage."""

from pathlib import Path
from random import Random

import pytest
from parsers import CORPUS, NAMED, PARSERS, corpus, lacking, parse

MUTANTS = 60
_TOKENS = [b"\0", b"\xff", b"-1", b"9" * 30, b"1e999", b"[" * 50, b"{}", b"null", b"\n", b",", b"\xef\xbb\xbf", b"NaN"]


def mutant(data: bytes, random: Random) -> bytes:
    """Cut, repeat, overwrite or insert a few bytes."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 4)):
        start = random.randint(0, len(changed))
        end = min(len(changed), start + random.randint(0, 12))
        token = random.choice([*_TOKENS, bytes(changed[start:end]) * 2, random.randbytes(3)])
        changed[start : end if random.random() < 0.7 else start] = token
        if random.random() < 0.1:
            del changed[random.randint(0, len(changed)) :]
    return bytes(changed)


def test_every_parser_has_a_corpus(tmp_path: Path) -> None:
    assert {path.name.partition(".")[0] for path in CORPUS.iterdir()} == set(PARSERS) - {"db"}


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_reads_or_refuses_all_input(name: str, tmp_path: Path, share: float) -> None:
    random = Random(name)
    kept = corpus(name, tmp_path)
    for data in kept:
        parse(name, data)
        for _ in range(int(MUTANTS * share) // len(kept)):
            parse(name, mutant(data, random))


@pytest.mark.parametrize("name", NAMED)
def test_a_pack_without_any_column_or_key_is_read_or_refused(name: str, tmp_path: Path) -> None:
    packs = list(lacking(name, tmp_path))
    assert len(packs) > 5
    for data in packs:
        parse(name, data)
