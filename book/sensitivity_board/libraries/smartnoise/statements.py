"""Ask SmartNoise SQL about the common statements: smartnoise_statements.csv.

No data are read. The library rewrites a statement into exact aggregates, each with a mechanism;
at ε = 1 the scale of its Laplace noise is the L1 sensitivity, to the precision of a search.
Its metadata say what a person may have: `private_id` and `max_ids`, or `row_privacy`.
"""

import pandas as pd
import snsql
from asking import STATEMENTS, store

LIMITS = {
    "person; rows 1": {"max_ids": 1},
    "person; rows 2": {"max_ids": 2},
    "row; rows 1": {"row_privacy": True},
}
READ_FROM = "scale of the aggregate's Laplace mechanism x epsilon"
TABLES = {
    "staff": ["person", "department", "salary", "age", "gain"],
    "customers": ["customer", "city"],
    "orders": ["customer", "price"],
    "districts": ["city", "district"],
}
PARTS = {
    "COUNT(*)": "rows",
    "COUNT(salary)": "rows",
    "COUNT(gain)": "rows",
    "COUNT(DISTINCTperson)": "people",
    "COUNT(DISTINCTsalary)": "salaries",
    "SUM(salary)": "sum",
    "SUM(salary*salary)": "squares",
    "SUM(gain)": "gains",
    "SUM(gain*gain)": "squared gains",
}
BY = {"rows": "rows by department", "sum": "sums by department"}
WHERE = {"rows": "rows where", "sum": "sum where"}


def main() -> None:
    store("smartnoise_statements", {"smartnoise-sql": rows()})


def rows():
    for limits, table_options in LIMITS.items():
        told = "; ".join(f"{name}: {value}" for name, value in table_options.items())
        for name, statement in STATEMENTS["statements"].items():
            for quantity, value, read_from in claims(statement, table_options):
                yield [name, limits, quantity, value, f"censor_dims: False; {told}", read_from]


def claims(statement, table_options):
    """What is noised, its sensitivity and where that is read; or the library's refusal."""
    try:
        exact, _ = reader(table_options)._rewrite(qualified(statement))
    except ValueError as error:
        return [("not offered", "", str(error).partition(": [<")[0])]
    return [
        (f"L1 of {part(column.expression, statement)}", f"{scale(symbol):.6g}", READ_FROM)
        for column, symbol in zip(exact.select.namedExpressions, exact._select_symbols, strict=True)
        if symbol.mechanism
    ]


def scale(symbol):
    return symbol.mechanism.scale * symbol.mechanism.epsilon


def part(expression, statement):
    name = PARTS[str(expression).replace(" ", "")]
    if "WHERE" in statement:
        return WHERE[name]
    return BY[name] if "GROUP BY" in statement else name


def qualified(statement):
    """The statement with each table in the schema `db`, as the library wants it."""
    for table in TABLES:
        statement = statement.replace(f"FROM {table}", f"FROM db.{table}")
        statement = statement.replace(f"JOIN {table}", f"JOIN db.{table}")
    return statement


def reader(table_options):
    tables = {name: described(columns, table_options) for name, columns in TABLES.items()}
    frames = {f"db.{name}": pd.DataFrame(columns=columns) for name, columns in TABLES.items()}
    privacy = snsql.Privacy(epsilon=1.0, delta=1e-6)
    return snsql.from_df(frames, privacy=privacy, metadata={"": {"db": tables}})


def described(columns, table_options):
    """The metadata of a table: what a person may have, the id, and the bounds of its numbers."""
    metadata = {"censor_dims": False, **table_options}
    for column in columns:
        if column in STATEMENTS["bounds"]:
            lower, upper = STATEMENTS["bounds"][column]
            metadata[column] = {"type": "int", "lower": lower, "upper": upper}
        else:
            ids = column in ("person", "customer") and "row_privacy" not in table_options
            metadata[column] = {"type": "string", **({"private_id": True} if ids else {})}
    return metadata


if __name__ == "__main__":
    main()
