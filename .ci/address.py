"""Write the public address of the repository into the metadata of PyPI, npm and citations, and into the links of
README.md and CHANGELOG.md, and the date of the release, YYYY-MM-DD, into the citation.

    python .ci/address.py FOLDER ADDRESS REVISION DATE

The links are relative, so that they work in every clone; PyPI and release notes need absolute ones. No file names an
address, because the repository that publishes gives its own: see `.ci/package`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

_PICTURE = re.compile(r'(\b(?:src|srcset)=")(?!https?:)([^"]+")')
_LINK = re.compile(r"(\]\()(?!https?:|#)([^)]+\))")


def main(folder: str, address: str, revision: str, date: str) -> None:
    for path in (Path(folder, "README.md"), Path(folder, "CHANGELOG.md")):
        text = _PICTURE.sub(rf"\g<1>{address}/raw/{revision}/\g<2>", path.read_text(encoding="utf-8"))
        path.write_text(_LINK.sub(rf"\g<1>{address}/blob/{revision}/\g<2>", text), encoding="utf-8")
    urls = {
        "Source": address,
        "Documentation": f"{address}/tree/{revision}/docs",
        "Changelog": f"{address}/blob/{revision}/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }
    table = "".join(f'{name} = "{url}"\n' for name, url in urls.items())
    settings = Path(folder, "pyproject.toml")
    text = settings.read_text(encoding="utf-8")
    heading = "[project.scripts]\n"
    assert text.count(heading) == 1, f"expected one line {heading.strip()} in pyproject.toml"
    settings.write_text(text.replace(heading, f"[project.urls]\n{table}\n{heading}"), encoding="utf-8")
    citation = Path(folder, "CITATION.cff")
    added = f"repository-code: {address}\ndate-released: {date}\n"
    citation.write_text(citation.read_text(encoding="utf-8") + added, encoding="utf-8")
    package = Path(folder, "scripts/web/static/kernel/package.json")
    values = json.loads(package.read_bytes())
    values["repository"] = {"type": "git", "url": f"git+{address}.git"}
    package.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
