"""Ask Tumult about the common statements, and store tumult_statements.csv.

A statement is asked as a query of the same meaning, and `Session._noise_info` says what noise the
query gets. At ε = 1 the parameter of geometric noise is the L1 sensitivity times the number of
aggregates, among which the library shares out ε evenly; at ρ = 1 the variance of discrete Gaussian
noise is half the squared L2 sensitivity times that number. For a single number both are one, and
L1 is stored; for several both are, which tells a wrong share.
"""

import math

import pandas as pd
import tmlt.analytics as ta
from asking import STATEMENTS, store
from pyspark.sql import SparkSession

BUDGETS = {"L1": ta.PureDPBudget(1), "L2": ta.RhoZCDPBudget(1)}
GEOMETRIC = "parameter of its geometric noise at epsilon 1"
GAUSSIAN = "variance of its discrete Gaussian noise at rho 1"
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "1",
}
LIMITS = {
    "row; rows 1": ("AddMaxRows(1)", []),
    "row; rows 2": ("AddMaxRows(2)", []),
    "person; rows 1": ("AddRowsWithID", [ta.MaxRowsPerID(1)]),
    "person; rows 2": ("AddRowsWithID", [ta.MaxRowsPerID(2)]),
    "person; groups 2; rows per group 1": (
        "AddRowsWithID",
        [ta.MaxGroupsPerID("department", 2), ta.MaxRowsPerGroupPerID("department", 1)],
    ),
}
DEPARTMENTS = ta.KeySet.from_dict({"department": ["art", "law"]})
SALARY, GAIN, PRICE = ((c, *STATEMENTS["bounds"][c]) for c in ("salary", "gain", "price"))
GAINS = ["gains", "centred squared gains", "rows"]
SPREAD = ["centred sum", "centred squares", "rows"]  # of a variance or a deviation
TABLES = {
    "staff": {"person": ["1"], "department": ["art"], "salary": [0], "age": [18], "gain": [0]},
    "customers": {"customer": ["1"], "city": ["x"]},
    "orders": {"customer": ["1"], "price": [0]},
    "orders_again": {"customer": ["1"], "price again": [0]},
}
DISTRICTS = {"city": ["x", "x", "y"], "district": ["north", "south", "east"]}
NONE = "not offered", "no query of the library has this meaning"
CHOSEN = "not comparable", "a quantile is chosen by the exponential mechanism"


def main() -> None:
    store("tumult_statements", {"tmlt.analytics": asked_of_all()})


def asked_of_all():
    spark = SparkSession.builder.config(map=QUIET).getOrCreate()
    for limits, (change, constraints) in LIMITS.items():
        sessions = [session(spark, change, budget) for budget in BUDGETS.values()]
        for name, statement in STATEMENTS["statements"].items():
            if "groups" not in limits or "GROUP BY" in statement:
                for claim in claims(sessions, name, change, constraints):
                    yield [name, limits, *claim]


def claims(sessions, name, change, constraints):
    """What is noised, its sensitivity, the settings and where that is read."""
    told = "; ".join([change, *map(short, constraints)])
    parts, query = asked(name, constraints)
    if not query:
        quantity, reason = parts
        yield quantity, "", told, reason
        return
    several = len(parts) > 1 or "department" in parts[0]
    for opened, norm in zip(sessions, BUDGETS if several else ["L1"], strict=False):
        noises = [noise["noise_parameter"] for noise in opened._noise_info(query, BUDGETS[norm])]
        for part, noise in zip(parts, noises, strict=True):
            value = noise / len(parts) if norm == "L1" else math.sqrt(2 * noise / len(parts))
            read_from = GEOMETRIC if norm == "L1" else GAUSSIAN
            share = f", shared by {len(parts)}" if len(parts) > 1 else ""
            yield f"{norm} of {part}", f"{value:.6g}", told, read_from + share


def short(constraint):
    return repr(constraint).replace("max=", "").replace("grouping_column=", "")


def asked(name, constraints):
    """The parts of a statement that are noised, in the library's order, and the query."""

    def staff(before=lambda query: query):
        return limited(before(ta.QueryBuilder("staff")), constraints)

    def distinct_salaries():
        return staff().count_distinct(columns=["salary"])

    def by_department():
        return staff().groupby(DEPARTMENTS)

    simple = {
        "count": lambda: (["rows"], staff().count()),
        "count where": lambda: (["rows where"], staff(older).count()),
        "count distinct people": lambda: (["people"], staff().count_distinct(columns=["person"])),
        "count distinct salaries": lambda: (["salaries"], distinct_salaries()),
        "sum": lambda: (["sum"], staff().sum(*SALARY)),
        "sum where": lambda: (["sum where"], staff(low).sum("salary", 0, 50)),
        "average": lambda: (["centred sum", "rows"], staff().average(*SALARY)),
        "counts by department": lambda: (["rows by department"], by_department().count()),
        "counts having": lambda: (["rows by department"], by_department().count()),
        "sums by department": lambda: (["sums by department"], by_department().sum(*SALARY)),
        "variance": lambda: (SPREAD, staff().variance(*SALARY)),
        "deviation": lambda: (SPREAD, staff().stdev(*SALARY)),
        "variance of gains": lambda: (GAINS, staff().variance(*GAIN)),
        "median": lambda: (CHOSEN, None),
        "minimum": lambda: (CHOSEN, None),
        "maximum": lambda: (CHOSEN, None),
        "sum of products": lambda: (["products"], staff(product).sum("made", 0, 9000)),
        "sum of a polynomial": lambda: (["polynomial"], staff(polynomial).sum("made", 0, 2500)),
        "public join, count": lambda: (["rows with districts"], in_districts(constraints).count()),
    }
    joins = {
        "join, count": lambda: (["joined rows"], joined("customers", constraints).count()),
        "join, sum": lambda: (["joined prices"], joined("customers", constraints).sum(*PRICE)),
        "self-join, count": lambda: (
            ["pairs of orders"],
            joined("orders_again", squared(constraints)).count(),
        ),
    }
    if constraints:
        return (simple | joins)[name]()
    return simple.get(name, lambda: (TRUNCATED, None))()


TRUNCATED = "not comparable", "a join of two private tables is of tables cut down beforehand"


def limited(query, constraints):
    for constraint in constraints:
        query = query.enforce(constraint)
    return query


def in_districts(constraints):
    """A row is in at most two districts."""
    customers = ta.QueryBuilder("customers").join_public("districts")
    return limited(customers, [ta.MaxRowsPerID(2)] if constraints else [])


def squared(constraints):
    """Each order is paired with each order of its customer."""
    return [ta.MaxRowsPerID(constraint.max**2) for constraint in constraints]


def joined(other, constraints):
    return limited(ta.QueryBuilder("orders").join_private(ta.QueryBuilder(other)), constraints)


def older(query):
    return query.filter("age >= 40")


def low(query):
    return query.filter("salary <= 50")


def product(query):
    return made(query, lambda row: {"made": row["salary"] * row["age"]})


def polynomial(query):
    return made(query, lambda row: {"made": row["salary"] * (100 - row["salary"])})


def made(query, of_row):
    return query.map(of_row, new_column_types={"made": "INTEGER"}, augment=True)


def session(spark, change, budget):
    """The tables, each protected in the same way, and a public one."""
    builder = ta.Session.Builder().with_privacy_budget(budget)
    if change == "AddRowsWithID":
        builder = builder.with_id_space("people")
    for name, columns in TABLES.items():
        if change == "AddRowsWithID":
            id_column = "person" if name == "staff" else "customer"
            protected = ta.AddRowsWithID(id_column, "people")
        else:
            protected = ta.AddMaxRows(int(change[-2]))
        frame = spark.createDataFrame(pd.DataFrame(columns))
        builder = builder.with_private_dataframe(name, frame, protected_change=protected)
    opened = builder.build()
    opened.add_public_dataframe("districts", spark.createDataFrame(pd.DataFrame(DISTRICTS)))
    return opened


if __name__ == "__main__":
    main()
