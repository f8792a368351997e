"""Results as JSON and back: exact numbers, datasets, and what was asked as Python of known names."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial, reduce
from importlib import import_module
from math import isfinite
from typing import Any, ClassVar, Self, TypeVar

from sensitivity_lab.catalogue import CONSTANTS, count_people
from sensitivity_lab.did_you_mean import SaysWhich
from sensitivity_lab.methods.witness import CompactWitness
from sensitivity_lab.numbers.exact import (
    MOST_EXPONENT,
    brief,
    by_name,
    told,
)
from sensitivity_lab.numbers.gap import Labelled
from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.records.people import AnyPeople, People
from sensitivity_lab.records.rows import Rows
from sensitivity_lab.relations import STANDARD, Relation
from sensitivity_lab.shown.python import python_of, source_of
from sensitivity_lab.universe import Universe

EXACT = re.compile(r"-?\d+/\d+")  # a fraction; text that reads like one is written as Python
LONGEST = 10**4000  # Python writes no int of over 4,300 digits
# Python in a JSON text is literals and these names, each of its own library: nothing that reads a file or runs text,
# and nothing that makes much of little. It is never run as Python: `made` walks through it.
WORDS = {
    "sl": " ".join([*CONSTANTS, *(kind.__name__ for kind in STANDARD)]) + """ count_people quantile std variance
    histogram sql Universe.population Universe.value_range Universe.people""",
    "pd": "DataFrame Series Timestamp Timedelta Period Interval CategoricalDtype",
    "pl": """DataFrame Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float32 Float64 Boolean String Date Time
    Datetime Duration Categorical Decimal List""",
    "pa": "table array dictionary list_ timestamp decimal128 decimal256 type_for_alias",
    "np": """bool float16 float32 float64 longdouble int8 int16 int32 int64 uint8 uint16 uint32 uint64 datetime64
    timedelta64""",
    "datetime": "date datetime time timedelta timezone timezone.utc",
    "zoneinfo": "ZoneInfo",
}  # fmt: skip
LIBRARIES = {"sl": "sensitivity_lab", "pd": "pandas", "pl": "polars", "pa": "pyarrow", "np": "numpy"}  # fmt: skip
KNOWN = {f"{library}.{word}" for library, words in WORDS.items() for word in words.split()}
TABLES = {"pd.DataFrame", "pl.DataFrame", "pa.table"}
AFTER_A_CALL = {"of", "by", "clipped", "truncated", "astype"}
PADDED = re.compile(r"[<>=|]?[SUVa]\d+")  # a type of text so long, which fills memory
R = TypeVar("R")


def read_as(cls: type[R], plain: dict[str, Any], given: dict[str, Any]) -> R:
    """The result of a class whose fields these are."""
    return cls(**{name: read(plain[name], given.get(name)) for name in _names(cls)})


def _names(result: Any) -> list[str]:
    return [field.name for field in fields(result) if field.name not in result.stays]


class Travels(SaysWhich):
    """A result that is written as JSON, and read again as an equal one.

    >>> import sensitivity_lab as sl
    >>> school = sl.Universe.population([1, 2, 3, 10])
    >>> ask = {"size": 2, "relation": sl.Add(1)}
    >>> found = sl.global_sensitivity(sl.MEAN, school, **ask)
    >>> plain = found.to_dict()
    >>> plain["value"], plain["witness"], plain["query"]["python"]
    ('17/6', [[1, 2], [1, 2, 10]], 'sl.MEAN')
    >>> sl.Sensitivity.from_json(found.to_json()) == found
    True

    The fields are those of the class, beside ``"type"``, its name. Ints and floats are numbers, a fraction is text
    as ``"17/6"``, a dataset of numbers or text a list; ``{"numbers": [...]}`` is a universe of them. Whatever JSON
    has not, tables among it, stands in ``{"python": "..."}``, which makes it by this package's public names, or those
    of pandas, polars, pyarrow, numpy, decimals and dates that make values and do nothing else; all other is refused. A function is
    ``{"function": its name}``, what cannot be written ``{"told": its text}``: give these again to `from_json`.
    """

    stays: ClassVar[tuple[str, ...]] = ()  # fields that do not travel

    def to_dict(self) -> dict[str, Any]:
        """Return the result as dicts, lists, text and numbers."""
        held = {name: written(getattr(self, name)) for name in _names(self)}
        return {"type": type(self).__name__} | held | self._beside()

    def _beside(self) -> dict[str, Any]:
        return {}  # what is written beside the fields

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the result as a JSON text; `indent` as `json.dumps` takes it."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    @classmethod
    @by_name
    def from_json(
        cls, text: str, *, query: Any = None, universe: Any = None, relation: Any = None
    ) -> Self:
        """Return the result that a JSON text holds.

        :param text: what `to_json` wrote.
        :param query: your own function, which did not travel; without it all else is there.
        :param universe: that of the result, where its records have no form in JSON.
        :param relation: that of the result, where it is of your own.
        :raises ValueError: for a text that holds no such result, or not what must be given.
        """
        given = {"query": query, "universe": universe, "relation": relation}
        try:
            plain = json.loads(text, parse_constant=_no_number)
            if (kind := plain["type"]) != cls.__name__:
                raise TypeError(f"it holds {brief(kind)}")
            found: Self = cls._arrived(plain, given)
            return found
        except Exception as error:  # of libraries' own kinds, and RecursionError
            raise ValueError(f"text must be the JSON of {cls.__name__}: {told(error)}") from error

    _arrived: ClassVar[Any] = classmethod(read_as)


def written(value: Any) -> Any:
    """A value as JSON has it, or as Python that makes it, or at the least as text."""
    kind = type(value)
    if value is None or kind is bool or (kind is str and not EXACT.fullmatch(value)):
        return value
    if (kind is float and isfinite(value)) or (kind is int and abs(value) < LONGEST):
        return value
    if kind is Fraction and max(abs(value.numerator), value.denominator) < LONGEST:
        return f"{value.numerator}/{value.denominator}"
    if kind is tuple or isinstance(value, CompactWitness):
        return list(map(written, value))
    if isinstance(value, Travels):
        return value.to_dict()
    if isinstance(value, Labelled):
        return {"labelled": [written(tuple(value)), written(value.labels)]}
    if isinstance(value, Universe) and value.numeric:
        held = tuple(value.sorted_records.tolist())
        return {"numbers": written(held), "unlimited": value.unlimited, "name": value.name}
    return _as_python(value)


def _as_python(value: Any) -> dict[str, Any]:
    """Python that makes a value again, where that is an equal one; else its name or text."""
    asked = isinstance(value, (Universe, Query, Relation))
    named = {"name": value.name} if isinstance(value, Query) else {}
    try:
        python = _python(value)
        again = read({"python": python} | named)
        if type(again) is type(value) and (again == value if asked else _python(again) == python):
            return {"python": python} | named
    except Exception:  # a library may raise anything at values that it alone has
        pass
    if isinstance(value, Query):
        return {"function": value.name, "given": [value.smallest_size, value.takes_missing]}
    return {"told": str(value) if asked else brief(value)}


def _python(value: Any) -> str:
    if isinstance(value, Query):
        of_it = value if value.made is None else replace(value, name=value.made().name)
        return "sl.count_people" if value == count_people else python_of(of_it) or ""
    if isinstance(value, Relation):
        return value.python()
    return _of_universe(value) if isinstance(value, Universe) else source_of(value)


def _of_universe(universe: Universe) -> str:
    """The public call that makes a universe of records that are no numbers."""
    source, name = universe.source, f", name={universe.name!r})"
    if isinstance(source, AnyPeople):
        rows, (least, most) = source_of(source.kinds.frame.to_native()), source.sizes
        rows = f"sl.Universe.value_range({rows})"
        return f"sl.Universe.people({rows}, most_rows={most}, least_rows={least}{name}"
    if isinstance(source, People):
        text = f"sl.Universe.people({source_of(source.natives.get(None, source.natives))}, id={source.id!r}{name}"
        for bound in source.bounds:
            steps = ", ".join(f"{step}={what!r}" for step, what in bound.steps)
            text += f".truncated({steps}, keep={bound.keep!r})"
        return text
    records: Any = (
        source.frame.to_native() if isinstance(source, Rows) else tuple(universe.sorted_records)
    )
    kind = "value_range" if universe.unlimited else "population"
    return f"sl.Universe.{kind}({source_of(records)}{name}"


def read(plain: Any, given: Any = None) -> Any:
    """The value that `written` wrote, or what is given in its place."""
    if given is not None:
        return given if isinstance(given, (Universe, Relation)) else as_query(given)
    if isinstance(plain, list):
        return tuple(map(read, plain))
    if isinstance(plain, str):
        return Fraction(plain) if EXACT.fullmatch(plain) else plain
    if not isinstance(plain, dict):
        return plain
    (tag, inner), *_ = plain.items()
    if tag == "numbers":
        make = Universe.value_range if plain["unlimited"] else Universe.population
        return make(read(inner), name=plain["name"])
    if tag == "function":
        least, missing = plain["given"]
        return Query(inner, partial(untold, inner), least, missing)
    if tag == "labelled":
        return Labelled(*map(read, inner))
    value = made(inner) if tag == "python" else inner
    return replace(value, name=str(plain["name"])) if isinstance(value, Query) else value


def _no_number(text: str) -> Any:
    raise ValueError(f"numbers must be finite, got {text}")


def untold(name: str, *_: Any) -> Any:
    """Stand for a function that did not travel."""
    raise ValueError(f"query {name} did not travel: give it, from_json(text, query=…)")


def stayed(query: Query) -> bool:
    """Whether a query's function did not travel."""
    return getattr(query.function, "func", None) is untold


def made(python: str) -> Any:
    """What Python of literals and known names makes; ValueError for any other."""
    body = ast.parse(python, mode="eval").body
    if isinstance(body, ast.Call) and ast.unparse(body.func) == "range":
        return range(*map(_made, body.args))  # alone: within a call it may fill memory
    return _made(body)


def _made(node: ast.AST) -> Any:
    match node:
        case ast.Constant(value=value) if not (isinstance(value, str) and "dateutil/" in value):
            return value  # pandas opens what follows `dateutil/` as a file
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Tuple(elts=held):
            return tuple(map(_made, held))
        case ast.List(elts=held):
            return list(map(_made, held))
        case ast.Set(elts=held):
            return set(map(_made, held))
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return {_made(key): _made(value) for key, value in zip(keys, values, strict=True)}  # type: ignore[arg-type]
        case ast.Call(func=func, args=args, keywords=named) if all(one.arg for one in named):
            given = [_made(one) for one in args], {str(one.arg): _made(one.value) for one in named}
            return _called(func, *given)
        case ast.Attribute() if (name := ast.unparse(node)) in KNOWN:
            found = import_module(LIBRARIES.get(*[name.split(".")[0]] * 2))
            return reduce(getattr, name.split(".")[1:], found)
    raise ValueError(f"Python of literals and known names is read, got {ast.unparse(node)[:100]}")


def _called(func: ast.expr, args: list[Any], named: dict[str, Any]) -> Any:
    """What a call of a known name makes, or one of a method of what a call or a constant query is."""
    name = ast.unparse(func)
    if name in PLAIN:
        return PLAIN[name](*args)
    if name in KNOWN:
        if name in TABLES and (len(args) != 1 or not {*named} <= {"schema_overrides"}):
            raise ValueError(f"a table is made of a dict, got {name} of {len(args)} and {[*named]}")
        if name == "pd.Series" and (len(args) != 1 or named != {"dtype": "object"}):
            raise ValueError(f"a Series is made of one list of objects, got {brief(named)}")
        return _made(func)(*args, **named)
    if not isinstance(func, ast.Attribute) or func.attr not in AFTER_A_CALL:
        raise ValueError(f"Python of literals and known names is read, got {name[:100]}")
    if func.attr == "astype" and any(PADDED.fullmatch(str(kind)) for kind in args[0].values()):
        raise ValueError(f"types must be those of tables, got {brief(args[0])}")
    return getattr(_made(func.value), func.attr)(*args, **named)


def _fraction(top: int, below: int) -> Fraction:
    if not type(top) is type(below) is int:  # of text as "1e999999999" it would take for ever
        raise ValueError(f"a Fraction is made of two ints, got {brief((top, below))}")
    return Fraction(top, below)


def _decimal(text: str) -> Decimal:
    number = Decimal(text)
    if number.is_finite() and abs(number.adjusted()) > MOST_EXPONENT:
        raise ValueError(f"numbers lie within 10 to the power of ±{MOST_EXPONENT:,}, got {number}")
    return number


PLAIN: dict[str, Any] = {
    "Fraction": _fraction, "Decimal": _decimal, "float": float, "frozenset": frozenset, "set": set
}  # fmt: skip
