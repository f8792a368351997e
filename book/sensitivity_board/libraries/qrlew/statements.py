"""Ask Qrlew about the common statements, and store qrlew_statements.csv.

Qrlew rewrites a statement into SQL that clips what each person adds to a sum, as a vector over
the groups, to a length in L2, and then adds Gaussian noise. That length is the sensitivity that
the noise is for; it is read in the SQL, twice: where it clips, and in the noise, which must be it
times √(2 ln(1.25/δ))/ε, with ε and δ shared out evenly among the sums.
A database without people in it gives the tables' names, columns and sizes.
"""

import math
import os
import re
import sys

os.environ["RUST_BACKTRACE"] = "0"

import sqlalchemy as sa
from asking import STATEMENTS, store
from pyqrlew import Dataset

READ_FROM = "length to which the rewritten SQL clips, and its Gaussian noise's deviation"
BUDGET = {"epsilon": 1.0, "delta": 1e-6}
CLIP = re.compile(r'\(SQRT\("([^"]+)"\)\) / \(([\d.]+)\) ELSE')
NOISE = re.compile(r'COALESCE\("([^"]+)", 0\)\) \+ \(\(([\d.]+)\) \* \(\(SQRT')
PEOPLE = [
    ("staff", [], "person"),
    ("customers", [], "customer"),
    ("orders", [("customer", "customers", "customer")], "customer"),
]
ROWS = [("staff", [], "_PRIVACY_UNIT_ROW_")]
LIMITS = {
    "person; rows 1": (PEOPLE, 1),
    "person; rows 2": (PEOPLE, 2),
    "row; rows 1": (ROWS, 1),
}
ROWS_JOINED = {"self-join, count": lambda rows: rows**2, "public join, count": lambda rows: 2}
PARTS = {
    "count": ["rows"],
    "count where": ["rows where"],
    "count distinct people": ["people"],
    "count distinct salaries": ["salaries"],
    "sum": ["sum"],
    "sum where": ["sum where"],
    "average": ["rows", "sum"],
    "counts by department": ["rows by department"],
    "sums by department": ["sums by department"],
    "counts having": ["rows by department"],
    "variance": ["rows", "sum", "squares"],
    "variance of gains": ["rows", "gains", "squared gains"],
    "deviation": ["rows", "sum", "squares"],
    "sum of products": ["products"],
    "sum of a polynomial": ["polynomial"],
    "join, count": ["joined rows"],
    "join, sum": ["joined prices"],
    "self-join, count": ["pairs of orders"],
    "public join, count": ["rows with districts"],
}


def main() -> None:
    store("qrlew_statements", {"pyqrlew": rows()})


def rows():
    data = dataset()
    for limits, (unit, most) in LIMITS.items():
        for name, statement in STATEMENTS["statements"].items():
            if unit is ROWS and "JOIN" in statement:
                continue  # the library joins only rows of one unit
            joined = ROWS_JOINED.get(name, lambda rows: rows)(most)
            settings = f"max_multiplicity={joined}, max_multiplicity_share=1"
            for quantity, value, read_from in claims(data, name, unit, joined):
                yield [name, limits, quantity, value, settings, read_from]


def claims(data, name, unit, most):
    """What is noised, its sensitivity and where that is read; or the library's refusal."""
    try:
        private = data.relation(STATEMENTS["statements"][name]).rewrite_with_differential_privacy(
            data, unit, BUDGET, max_multiplicity=float(most), max_multiplicity_share=1.0
        )
    except (Exception, BaseException) as error:  # a panic of Rust is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return [("not offered", "", f"{type(error).__name__}: {str(error).strip()}")]
    lengths = clipped(private.relation().to_query())
    if not lengths:
        return [("not offered", "", "the rewritten SQL has no noise")]
    parts = PARTS[name]
    assert len(parts) == len(lengths), (name, lengths)
    return [(f"L2 of {part}", f"{lengths[kind(part)]:g}", READ_FROM) for part in parts]


def kind(part):
    """Which column of the rewritten SQL holds a part: counts, sums, or sums of squares."""
    if part in ("sum", "sum where", "sums by department", "gains", "products", "polynomial"):
        return "SUM"
    return {"squares": "SQUARE", "squared gains": "SQUARE", "joined prices": "SUM"}.get(
        part, "COUNT"
    )


def clipped(sql):
    """The length that each sum is clipped to, held to the deviation of its noise."""
    noise = {name: float(deviation) for name, deviation in NOISE.findall(sql)}
    clips = {name: float(length) for name, length in CLIP.findall(sql)}
    share = len(noise)
    lengths = {}
    for name, deviation in noise.items():
        _, which, column = name.split("_", 2)
        if column.startswith("SQUARE_"):
            which, column = "SQUARE", column.removeprefix("SQUARE_")
        length = clips[{"COUNT": "_ONE_", "SUM": "", "SQUARE": "_SQUARE_"}[which] + column]
        multiplier = math.sqrt(2 * math.log(1.25 * share / BUDGET["delta"])) * share
        largest = sys.float_info.max  # at which the library stops
        assert math.isclose(deviation, min(length * multiplier / BUDGET["epsilon"], largest))
        lengths[which] = length
    return lengths


def dataset():
    """The tables' names, columns, bounds and possible values."""
    pool = {"poolclass": sa.pool.StaticPool, "connect_args": {"check_same_thread": False}}
    engine = sa.create_engine("sqlite://", **pool)
    with engine.begin() as connection:
        for statement in filter(str.strip, TABLES.split(";")):
            connection.execute(sa.text(statement))
    data = Dataset.from_database("work", engine, None)
    for table, columns in {"staff": ["salary", "age", "gain"], "orders": ["price"]}.items():
        for column in columns:
            data = data.with_range(None, table, column, *STATEMENTS["bounds"][column])
    data = data.with_possible_values(None, "staff", "department", ["art", "law"])
    return data.with_constraint(None, "customers", "customer", "Unique")


TABLES = """
create table staff (person integer, department text, salary integer, age integer, gain integer);
create table customers (customer integer, city text);
create table orders (customer integer, price integer);
create table districts (city text, district text);
insert into staff select value, 'art', 0, 18, 0 from json_each('[1,2,3,4,5,6,7,8,9]');
insert into customers select value, 'x' from json_each('[1,2,3,4,5,6,7,8,9]');
insert into orders select value, 0 from json_each('[1,2,3,4,5,6,7,8,9]');
insert into districts values ('x', 'north'), ('x', 'south'), ('y', 'east')
"""

if __name__ == "__main__":
    main()
