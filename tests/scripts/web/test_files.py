"""The files of the page: versions, compression, caching, and the links that load them early."""

import base64
import gzip
import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from minesweeper.player.logic.sentences import LANGUAGES, TEMPLATES
from minesweeper.scripts.web.app import PAGES, create_app
from minesweeper.scripts.web.files import STATIC, export, served_files
from minesweeper.scripts.web.settings import Settings

ADDRESS = re.compile(r'(?:href|src)="(/static/[^"]+)"')
KEPT = "public, max-age=31536000, immutable"


def addresses(document: str) -> list[str]:
    """Return the addresses of files in a document."""
    return ADDRESS.findall(document)


def version_of(files: Iterable[str]) -> str:
    """Return the version in the addresses of files."""
    (version,) = {address.split("/")[2] for address in files if address.startswith("/static/")}
    return version


def test_every_page_has_a_strict_policy_and_no_inline_script(client: TestClient) -> None:
    for path in PAGES:
        response = client.get(path.replace("{token}", "daily-2026-01-01-beginner"))
        assert response.status_code == 200
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        # WebAssembly may be compiled; no text may become a script.
        assert "unsafe" not in policy.replace("wasm-unsafe-eval", "")
        assert "style=" not in response.text
        assert "<style" not in response.text
        assert "onclick=" not in response.text
        assert response.headers["x-content-type-options"] == "nosniff"


def test_files_outside_the_page_are_not_served(client: TestClient) -> None:
    document = client.get("/")
    base = re.match(r"/static/[^/]+/", addresses(document.text)[0])
    assert base is not None
    outside = [f"{base[0]}../../app.py", f"{base[0]}%2e%2e/%2e%2e/app.py", f"{base[0]}index.html", "/static/js/main.js"]
    for path in (*outside, "/static/0000000000000000/js/main.js", "/docs", "/openapi.json", "/nothing"):
        response = client.get(path)
        assert response.status_code == 404
        assert response.content == document.content
    assert client.get("/api/nothing").json()["code"] == "not_found"


def test_files_are_compressed_and_kept_forever_and_the_document_is_asked_for_again(client: TestClient) -> None:
    document = client.get("/")
    assert document.headers["cache-control"] == "no-cache"
    for path in ("/", "/service-worker.js", *addresses(document.text)):
        whole = client.get(path, headers={"Accept-Encoding": "identity"})
        packed = client.get(path, headers={"Accept-Encoding": "br, gzip;q=0.5"})
        assert whole.status_code == packed.status_code == 200
        assert "content-encoding" not in whole.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert whole.content == packed.content
        assert len(gzip.compress(whole.content)) == pytest.approx(int(packed.headers["content-length"]), abs=50)
        assert whole.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"
        assert whole.headers["etag"] != packed.headers["etag"]
        for coding, response in (("identity", whole), ("gzip", packed)):
            tag = response.headers["etag"]
            for known, status in ((tag, 304), (f'"other", W/{tag}', 304), ('"other"', 200)):
                again = client.get(path, headers={"Accept-Encoding": coding, "If-None-Match": known})
                assert again.status_code == status
                assert again.headers["etag"] == tag
                assert (again.content == b"") == (status == 304)
        is_static = path.startswith("/static/")
        assert whole.headers["cache-control"] == (KEPT if is_static else "no-cache")
    for refused in ("deflate", "identity", ""):
        assert "content-encoding" not in client.get("/", headers={"Accept-Encoding": refused}).headers


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("js/theme.js", "text/javascript; charset=utf-8"),
        ("kernel/kernel.wasm.gzip", "application/gzip"),
        ("icons/sweep.svg", "image/svg+xml"),
    ],
)
def test_files_have_their_content_and_type(client: TestClient, name: str, kind: str) -> None:
    response = client.get(f"/static/{version_of(served_files())}/{name}")
    packed = name.endswith(".gzip")
    assert (gzip.decompress(response.content) if packed else response.content) == (
        STATIC / name.removesuffix(".gzip")
    ).read_bytes()
    assert response.headers["content-type"] == kind


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_the_sentences_of_the_page_and_the_library(client: TestClient, language: str) -> None:
    response = client.get(f"/static/{version_of(served_files())}/words/{language}.json")
    assert response.headers["content-type"] == "application/json"
    page = STATIC / "words" / f"{language}.json"
    expected = [json.loads(path.read_bytes()) for path in (page, TEMPLATES / page.name) if path.exists()]
    assert response.json() == {key: text for table in expected for key, text in table.items()}


def test_a_changed_file_is_another_version(tmp_path: Path) -> None:
    static = tmp_path / "static"
    shutil.copytree(STATIC, static)
    first = served_files(static)
    assert first == served_files()
    for name in ("js/words.js", "kernel/kernel.wasm", "icons/mine.svg", "index.html"):
        path = static / name
        path.write_bytes(path.read_bytes() + b"\n")
        second = served_files(static)
        new, old = version_of(second), version_of(first)
        assert new != old
        assert second["/service-worker.js"] != first["/service-worker.js"]
        with TestClient(create_app(Settings(), static), base_url="http://127.0.0.1") as client:
            assert client.get(f"/static/{new}/js/main.js").status_code == 200
            assert client.get(f"/static/{old}/js/main.js").status_code == 404
        first = second


def test_the_service_worker_names_every_file_with_its_content(client: TestClient) -> None:
    script = client.get("/service-worker.js").text
    files = json.loads(script.partition("const FILES = ")[2].partition(";\n")[0])
    assert {"/", *addresses(client.get("/").text)} <= set(files)
    for path, digest in files.items():
        assert base64.b64encode(hashlib.sha256(client.get(path).content).digest()).decode()[:16] == digest


def linked(document: str) -> set[str]:
    """Return the files that a document loads early."""
    return set(re.findall(r'<link rel="preload"[^>]* href="([^"]+)">', document))


MODULES = """
import { readFileSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";
const found = process.argv.slice(2);
for (const name of found) {
    const requests = new vm.SourceTextModule(readFileSync(name, "utf-8")).dependencySpecifiers;
    for (const needed of requests.map((one) => path.join(path.dirname(name), one)))
        if (!found.includes(needed)) found.push(needed);
}
console.log(found.join("\\n"));
"""
"""Prints the modules that modules import, as the parser of Node finds them."""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_one_script_has_the_play_page_and_its_worker_and_another_the_rest(tmp_path: Path) -> None:
    script = tmp_path / "modules.mjs"
    script.write_text(MODULES)
    files = served_files()
    (started,) = {
        line.partition('new URL("')[2].partition('"')[0]
        for path in STATIC.rglob("js/**/*.js")
        for line in path.read_text().splitlines()
        if "new Worker(" in line
    }
    first = ["js/main.js", "js/play.js", f"js/{started}"]
    command = ["node", "--no-warnings", "--experimental-vm-modules", str(script), *first]
    found = subprocess.run(command, cwd=STATIC, capture_output=True, text=True, check=True).stdout.split()
    base = f"/static/{version_of(files)}/js/"
    main, more = (
        re.findall(r'^"(.+)": async', files[base + name].decode(), re.MULTILINE) for name in ("main.js", "more.js")
    )
    assert sorted(main) == sorted(found)
    own = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("js/**/*.js")}
    assert sorted(main + more) == sorted(own - {"js/theme.js", "js/service-worker.js"} | set(found))


def test_the_document_loads_the_kernel_early(tmp_path: Path) -> None:
    export(tmp_path)
    files = served_files()
    base = f"/static/{version_of(files)}/"
    assert linked(files["/"].decode()) == {f"{base}kernel/kernel.wasm.gzip", "/api/options"}
    assert linked((tmp_path / "index.html").read_text()) == {"static/kernel/kernel.wasm.gzip"}
    assert (tmp_path / "static/kernel/kernel.wasm.gzip").is_file()
