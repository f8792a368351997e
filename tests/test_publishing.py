"""What a stranger needs to use, cite and build on the project: held to the files themselves."""

import re
import subprocess
import sys
import tomllib
from pathlib import PurePath

import pytest
import yaml
from conftest import ROOT, git

import sensitivity_lab as sl


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def tracked():
    """The files that git knows; an unpacked archive has no git."""
    return git("ls-files").splitlines() or pytest.skip("not a clone")


def matches(glob, path):
    """Whether a path of REUSE.toml means a file: `*` stays in a folder, `**` does not."""
    parts = (re.escape(part).replace(r"\*", "[^/]*") for part in glob.split("**"))
    return re.fullmatch(".*".join(parts), path) is not None


def licence(path):
    """What REUSE.toml says of a file: the last entry prevails."""
    found = None
    for entry in tomllib.loads(read("REUSE.toml"))["annotations"]:
        globs = entry["path"] if isinstance(entry["path"], list) else [entry["path"]]
        if any(matches(glob, path) for glob in globs):
            assert entry["SPDX-FileCopyrightText"]
            found = entry["SPDX-License-Identifier"]
    return found


def test_every_file_has_a_licence_whose_text_is_here():
    """Catches a file that nobody may use, text under the licence of code, and vice versa."""
    kinds = {}
    for path in tracked():
        kinds.setdefault(PurePath(path).suffix, set()).add(licence(path))
    assert kinds[".ipynb"] == {"CC-BY-4.0 AND MIT"}
    assert kinds[".md"] == kinds[".svg"] | kinds[".ipynb"]
    assert kinds[".svg"] == kinds[".bib"] == {"CC-BY-4.0"}
    assert kinds[".py"] == kinds[".js"] == kinds[".css"] == {"MIT"}
    assert kinds[".csv"] == {"MIT", "CC0-1.0"}
    used = {name for found in kinds.values() for one in found for name in one.split(" AND ")}
    assert used == {file.stem for file in (ROOT / "LICENSES").iterdir()}
    assert read("LICENSES/MIT.txt") == read("LICENSE") == read("beyond/LICENSE")


def test_the_notice_names_what_pages_carry():
    """Catches data or a script of others that leaves the project unnamed."""
    notice = read("NOTICE.txt")
    for path in re.findall(r"\bbook/[\w/.-]*\w", notice):
        assert (ROOT / path).exists()
    for path in tracked():
        if licence(path) == "CC0-1.0":
            assert PurePath(path).name in notice
    assert "NOTICE.txt" in read("_config.yml")
    assert "book/cite" in read("_toc.yml")


def test_links_between_the_files_at_the_top_lead_somewhere():
    """Catches a file at the top, or of `.github`, that moved without those that link to it."""
    for file in (*ROOT.glob("*.md"), *ROOT.glob(".github/*.md")):
        for there in re.findall(r"\]\(([^)#\s]+)", file.read_text(encoding="utf-8")):
            assert there.startswith(("http", "mailto:")) or (file.parent / there).exists(), there


PROJECT, BEYOND, BOOK = (
    tomllib.loads(read(f"{folder}pyproject.toml"))["project"] for folder in ("", "beyond/", "book/")
)


def test_the_version_and_the_addresses_are_one():
    """Catches a citation of another release or address, errata silent about a release."""
    citation = yaml.safe_load(read("CITATION.cff"))
    book, urls = citation["preferred-citation"], PROJECT["urls"]
    assert str(citation["version"]) == book["edition"] == PROJECT["version"] == sl.__version__
    assert PROJECT["version"] in read("CHANGELOG.md")
    assert citation["license"] == PROJECT["license"]
    assert PROJECT["version"] == BEYOND["version"] == BOOK["version"]
    named = [line for part in (BEYOND, BOOK) for line in part["dependencies"]]
    ours = {line.partition("==")[2] for line in named if line.startswith("sensitivity-")}
    assert ours == {PROJECT["version"]}
    for said in ("urls", "license", "authors", "requires-python", "keywords"):
        assert BEYOND[said] == PROJECT[said]
    assert (citation["type"], book["type"]) == ("software", "book")
    assert {"title", "authors", "year", "license"} <= book.keys()
    for entry in (citation, book):
        assert (entry["url"], entry["repository-code"]) == (urls["Documentation"], urls["Source"])
    pages = yaml.safe_load(read("_config.yml"))["html"]["baseurl"]
    assert pages == urls["Documentation"] + "/"  # which ends the address of a page's folder
    assert urls["Issues"].startswith(urls["Source"])
    page, released = read("book/cite.md"), re.search(r"^## .* – \d{4}", read("CHANGELOG.md"), re.M)
    assert page.count(f"ersion {PROJECT['version']}") == 2
    assert ("no release yet" in page) == (released is None)


def test_the_archive_has_every_file():
    """Catches a folder that the source archive leaves out."""
    manifest = read("MANIFEST.in")
    grafted = set(re.findall(r"^graft (\S+)", manifest, re.M)) | {"sensitivity_lab"}
    ends = tuple(re.search(r"^include (.*)", manifest, re.M)[1].replace("*", "").split())
    own = {"LICENSE", "MANIFEST.in", "setup.py"}
    for path in tracked():
        top = path.split("/")[0]
        assert top in grafted | own or ("/" not in path and path.endswith(ends)), path


def test_the_workflows_are_pinned_and_the_page_names_the_forms():
    """Catches an action that may change under us, and a form that readers are sent to in vain."""
    workflows = [read(path) for path in tracked() if path.startswith(".github/workflows/")]
    used = [action for text in workflows for action in re.findall(r"uses: (.*)", text)]
    assert used
    assert all(re.fullmatch(r"\S+@[0-9a-f]{40} # v[\d.]+", action) for action in used)
    page = read("book/cite.md")
    for path in tracked():
        if path.startswith(".github/ISSUE_TEMPLATE/") and "config" not in path:
            assert f"*{yaml.safe_load(read(path))['name']}*" in page


def test_the_printed_book_has_the_pages_that_are_the_book(monkeypatch):
    """Catches a chapter that the PDF leaves out or does not number, a report printed."""
    pytest.importorskip("pypdf")
    monkeypatch.syspath_prepend(ROOT / "scripts")
    contents, printed = yaml.safe_load(read("_toc.yml")), __import__("pdf")
    parts = {part["caption"]: part["chapters"] for part in contents["parts"]}
    chapters = (one["file"] for name in ("The path", "Beside the path") for one in parts[name])
    book = [contents["root"], *chapters]
    assert [*printed.listed()] == [*book, "book/formulas", "book/glossary", "book/bibliography"]
    assert printed.numbered(["First", "By hand"], ["", "The path"]) == ["First", "1. By hand"]


def test_the_template_of_the_last_chapter_runs_alone(tmp_path):
    """Catches a file that needs what stands above it, and a test of it that holds nothing."""
    code = re.search(r"(?ms)^```python\n(.*?)^```$", read("book/chapters/published.md"))[1]
    code = code.replace("EPSILON = 1.0", "EPSILON = 1e6")  # next to no noise
    ran = [sys.executable, "-I", "-c", code + "test_one_person_moves_them_no_further()"]
    said = subprocess.run(ran, cwd=tmp_path, check=True, capture_output=True, encoding="utf-8")
    assert re.search(r"tv +2 +6250 +3125.0\nphone +1 +980 +980.0\nNoise hides every", said.stdout)
    exec(code.replace("anybody(rows).apply(there).table", "there"), lost := {"__name__": "publish"})
    with pytest.raises(AssertionError, match="too small by ×2"):
        lost["test_one_person_moves_them_no_further"]()
