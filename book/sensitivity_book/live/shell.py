"""What a notebook does with a cell, for the cells of a page:
run it, show its last value, keep its figures.

Cells share one module.  They may be run in any order: before one runs, those above run that it
needs and that are not in place, because they have not run, have been edited, or another has taken
their names since.
"""

import ast
import contextlib
import importlib
import io
import json
import linecache
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from types import ModuleType, TracebackType
from typing import Any

from sensitivity_book.live.needs import places
from sensitivity_book.live.outputs import CUT, LONGEST, close_figures, cut, open_figures, shown

Send = Callable[[dict[str, Any]], None]
AT_ONCE = 500  # pieces of what a cell prints
PAUSE = 0.05  # seconds between two later ones


class Session:
    """The cells of one page, and what has become of them."""

    def __init__(self, send: Send, module: ModuleType) -> None:
        self.send = send
        self.printed = Printed(send)
        self.space = module.__dict__
        self.space["display"] = self.display
        self.space["input"] = no_input
        self.ran: dict[int, str] = {}  # the code that a cell last ran with
        self.order: dict[int, int] = {}  # when it ran
        self.basis: dict[int, dict[int, str]] = {}  # the code of what it needed, then
        self.owner: dict[str, int] = {}  # the cell that last gave a name
        self._count = count()
        self._pictures = count(1)

    def run(self, target: int, sources: Sequence[str]) -> bool:
        """Run a cell and, before it, what it needs; return whether all ended without an error.

        `sources` is the code of all cells of the page as it is now, empty for those that do not
        run here.
        """
        cells = self.plan(target, sources)
        for place, cell in enumerate(cells):
            self.send({"kind": "begin", "cell": cell, "place": place, "of": len(cells)})
            ok = self.run_one(cell, sources)
            self.send({"kind": "end", "cell": cell, "ok": ok, "stale": self.stale()})
            if not ok:
                return False
        return True

    def plan(self, target: int, sources: Sequence[str]) -> list[int]:
        """The cells to run, in order, for a cell to give what it gives in a run from the top."""
        needed = closure(target, sources)
        wanted: dict[int, set[str]] = {}
        for provided in needed.values():
            for name, cell in provided.items():
                wanted.setdefault(cell, set()).add(name)
        owner = dict(self.owner)
        cells: list[int] = []
        for cell in sorted(needed):
            in_place = (
                cell != target
                and self.ran.get(cell) == sources[cell]
                and all(owner.get(name) == cell for name in wanted[cell])
                and not any(
                    giver in cells or self.order[giver] > self.order[cell]
                    for giver in needed[cell].values()
                )
            )
            if not in_place:
                cells.append(cell)
                owner.update(dict.fromkeys(places(tuple(sources))[cell].gives, cell))
        return cells

    def run_one(self, cell: int, sources: Sequence[str]) -> bool:
        """Run one cell; return whether it ended without an error."""
        source = sources[cell]
        self.ran.pop(cell, None)
        self.order[cell] = next(self._count)
        self.owner.update(dict.fromkeys(places(tuple(sources))[cell].gives, cell))
        self.basis[cell] = {j: sources[j] for j in closure(cell, sources) if j != cell}
        ok = self.execute(source, f"<cell {cell + 1}>")
        if ok:
            self.ran[cell] = source
        return ok

    def stale(self) -> list[int]:
        """The cells whose output is older than a change above them."""
        return [
            cell
            for cell, basis in self.basis.items()
            if cell in self.ran and any(self.ran.get(j) != code for j, code in basis.items())
        ]

    def execute(self, source: str, name: str) -> bool:
        """Run code in the page's module, and show what it shows."""
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        self.printed = Printed(self.send)
        out, err = Stream("stdout", self.printed), Stream("stderr", self.printed)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                body, last = parsed(source, name)
                exec(compile(body, name, "exec"), self.space)
                value = eval(compile(last, name, "eval"), self.space) if last else None
                if value is not None:
                    self.space["_"] = value
                    self.display(value)
                for figure in open_figures():
                    self.display(figure)
            except BaseException as error:
                close_figures()
                self.printed.flush()
                self.send({"kind": "error", "text": cut(told(error))})
                return False
            self.printed.flush()
        return True

    def display(self, *values: object) -> None:
        """Show values, as the function of this name in a notebook does."""
        for value in values:
            kind, text = shown(value, f"run-{next(self._pictures)}")
            self.printed.flush()
            self.send({"kind": kind, "text": text})


class Printed:
    """What a cell prints: sent at once, from some length on a few times a second,
    until it is too long."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._held: list[str] = []
        self._kind = ""
        self._room = LONGEST
        self._sent = 0.0
        self._pieces = 0

    def write(self, kind: str, text: str) -> None:
        """Take a text for `stdout` or `stderr`."""
        if kind != self._kind:
            self.flush()
            self._kind = kind
        self._held.append(text)
        self._pieces += 1
        if self._pieces <= AT_ONCE or time.monotonic() - self._sent > PAUSE:
            self.flush()

    def flush(self) -> None:
        """Send what is held."""
        text = "".join(self._held)
        self._held.clear()
        self._sent = time.monotonic()
        if not text or self._room < 0:
            return
        self._room -= len(text)
        if self._room < 0:
            text = text[: self._room] + CUT
        self._send({"kind": self._kind, "text": text})


class Stream(io.TextIOBase):
    """A way to print for a cell, `stdout` or `stderr`."""

    def __init__(self, name: str, printed: Printed) -> None:
        self.name, self._printed = name, printed

    def writable(self) -> bool:
        """Whether one can write to it: yes."""
        return True

    def write(self, text: str) -> int:
        """Print a text."""
        self._printed.write(self.name, text)
        return len(text)


def no_input(*_: object) -> str:
    """Stands in for `input`, whose answer a page cannot wait for."""
    raise EOFError("input() does not work in a page: write its answer into the cell")


def closure(target: int, sources: Sequence[str]) -> dict[int, Mapping[str, int]]:
    """A cell and all that it needs, each with the cells that provide what it takes."""
    page = places(tuple(sources))
    needed: dict[int, Mapping[str, int]] = {}
    todo = [target]
    while todo:
        cell = todo.pop()
        if cell not in needed:
            needed[cell] = page[cell].provided
            todo += needed[cell].values()
    return needed


def parsed(source: str, name: str) -> tuple[ast.Module, ast.Expression | None]:
    """The statements of a cell, and the expression at its end whose value is shown."""
    tree = compile(source, name, "exec", ast.PyCF_ONLY_AST)
    assert isinstance(tree, ast.Module)
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
        last = tree.body.pop()
        assert isinstance(last, ast.Expr)
        return tree, ast.Expression(last.value)
    return tree, None


def told(error: BaseException) -> str:
    """The traceback of an error, from the cell's own line on."""
    frames: TracebackType | None = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames))


def call(name: str, argument: str) -> str:
    """Call a function of the book, `package.module:function`, with a JSON value; return one."""
    module, _, function = name.partition(":")
    return json.dumps(getattr(importlib.import_module(module), function)(json.loads(argument)))
