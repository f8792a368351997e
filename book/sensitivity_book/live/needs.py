"""Which cells above a cell it needs, read from their code alone.

A cell *gives* the names that it binds or changes at the top level, and *takes* the names that it
reads before it binds them.  A function's body is read when it is called, so a cell that takes a
function takes what the function takes too, as it is there.  Of the cells above, the last that gives
a name provides it.

Where code does not tell, more is taken than needed: a cell that calls a method of a name in a line
of its own, or stores into it, is held to change it; so is one that takes a function which does so,
and every cell that reads a random generator.  What is imported is not changed by a call.
"""

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

BUILT_IN = frozenset(dir(builtins)) | {"display", "__name__", "_"}
MAY_NOT_RUN = (ast.If, ast.While, ast.Try, ast.Match)
GENERATORS = ("rng", "random")  # a name with this in it changes whenever it is read


@dataclass(frozen=True)
class Names:
    """What a cell binds, changes and takes when it runs; takes and alters when its functions do."""

    binds: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    takes: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()
    alters: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()


@lru_cache(maxsize=1024)
def names(source: str) -> Names:
    """Return the names that a cell binds, takes and so on; none for one that is no Python."""
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError):
        return Names()
    binds, changed_here, for_sure = set[str](), set[str](), set[str]()
    takes, later, alters = set[str](), set[str](), set[str]()
    for statement in flat(statements):
        read, late, bound, changed = parts(statement)
        takes |= (read | changed) - for_sure
        later |= late
        binds |= bound
        changed_here |= changed
        if late:
            alters |= late & {*changes(statement), *declared(statement)}
        if not isinstance(statement, MAY_NOT_RUN):
            for_sure |= bound
    later -= binds | BUILT_IN
    imported = set(imports(statements))
    every = (binds, changed_here - binds, takes - BUILT_IN, later, alters, imported)
    return Names(*map(frozenset, every))


def flat(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements in order; of a loop or a `with`, its head and then what stands in it."""
    for statement in statements:
        match statement:
            case ast.For(target=target, iter=iterated, body=body, orelse=orelse):
                yield ast.Assign([target], iterated, lineno=statement.lineno)
                yield from flat([*body, *orelse])
            case ast.With(items=items, body=body):
                for item in items:
                    given = [item.optional_vars] if item.optional_vars else []
                    yield ast.Assign(given, item.context_expr, lineno=statement.lineno)
                yield from flat(body)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                new = ast.BinOp(ast.Name(name, ast.Load()), op, value)
                yield ast.Assign([target], new, lineno=statement.lineno)
            case _:
                yield statement


def parts(statement: ast.stmt) -> tuple[set[str], set[str], set[str], set[str]]:
    """The names that one statement reads, reads in functions, binds, and changes."""
    table = symtable.symtable(ast.unparse(statement) or "pass", "<cell>", "exec")
    symbols = table.get_symbols()
    read = {symbol.get_name() for symbol in symbols if symbol.is_referenced()}
    bound = {
        symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()
    }
    inner = set(free(table))
    is_definition = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    late = inner if is_definition or has_lambda(statement) else set()
    now = read if late else read | inner
    changed = set() if is_definition else set(changes(statement)) - bound
    drawn = {name for name in now if any(word in name for word in GENERATORS)}
    return now, late, bound, changed | drawn


def free(table: symtable.SymbolTable) -> Iterator[str]:
    """The global names that the functions and the comprehensions in a table read."""
    for child in table.get_children():
        for symbol in child.get_symbols():
            if symbol.is_global() and symbol.is_referenced():
                yield symbol.get_name()
        yield from free(child)


def has_lambda(statement: ast.stmt) -> bool:
    """Whether a statement keeps a function for later: one that binds a lambda."""
    return isinstance(statement, ast.Assign | ast.AnnAssign) and any(
        isinstance(node, ast.Lambda) for node in ast.walk(statement)
    )


def changes(statement: ast.stmt) -> Iterator[str]:
    """The names whose values a statement may change: stored into, or called in a line alone."""
    for node in ast.walk(statement):
        match node:
            case (
                ast.Attribute(ctx=ast.Store() | ast.Del())
                | ast.Subscript(ctx=ast.Store() | ast.Del())
            ):
                yield from root(node)
            case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):
                yield from root(method)


def declared(statement: ast.stmt) -> Iterator[str]:
    """The names that a function in a statement declares global."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Global):
            yield from node.names


def imports(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that are imported."""
    for statement in statements:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.split(".")[0] for alias in statement.names)


def root(node: ast.expr) -> Iterator[str]:
    """The name at the left end of `name.attribute[index]`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


@dataclass(frozen=True)
class Place:
    """A cell: what it gives there, and which cell above provides each name it takes."""

    gives: frozenset[str]
    provided: Mapping[str, int]


@lru_cache(maxsize=8)
def places(sources: tuple[str, ...]) -> tuple[Place, ...]:
    """Return what each cell of a page gives, and from which cells above it takes."""
    above: list[Place] = []
    for source in sources:
        own = names(source)
        provided = providers(own.takes | own.later, above, sources)
        altered = frozenset[str]().union(
            *(names(sources[giver]).alters for giver in provided.values())
        )
        provided |= providers(altered, above, sources)
        changed = {
            name for name in own.changes | altered if not is_imported(name, provided, sources)
        }
        above.append(Place(own.binds | changed, provided))
    return tuple(above)


def is_imported(name: str, provided: Mapping[str, int], sources: Sequence[str]) -> bool:
    """Whether a name is a module or what came out of one: to call it does not change it."""
    return name in provided and name in names(sources[provided[name]]).imports


def providers(
    taken: Iterable[str], above: Sequence[Place], sources: Sequence[str]
) -> dict[str, int]:
    """For each name, and each that a function takes when called, the last cell that gives it."""
    found: dict[str, int] = {}
    todo = sorted(taken)
    while todo:
        name = todo.pop()
        giver = next((i for i in reversed(range(len(above))) if name in above[i].gives), None)
        if name in found or giver is None:
            continue
        found[name] = giver
        todo += sorted(names(sources[giver]).later)
    return found
