"""Ask OpenDP's Polars part about the statements: opendp_polars_statements.csv.

A statement is asked as a query of the same meaning in a context, and `summarize` says what noise
it gets. At ε = 1 the scale of Laplace noise is the L1 sensitivity times the number of aggregates,
among which the library shares out ε evenly; at ρ = 1/2 the scale of Gaussian noise is the L2
sensitivity times the root of that number. Where an aggregate cannot move, as a count cannot when a
row is changed, it gets no noise and takes no share. A scale has the precision of a search.

For a single number both are one, and L1 is stored; for several both are, which tells a wrong share.
"""

import json
import math
import warnings
from functools import cache

import opendp.prelude as dp
import polars as pl
from asking import STATEMENTS, store

LOSSES = {"L1": {"epsilon": 1.0}, "L2": {"rho": 0.5}}
READ_FROM = {
    "L1": "scale of its Laplace noise at epsilon 1",
    "L2": "scale of its Gaussian noise at rho 1/2",
}
SCHEMA = {
    "person": pl.Int64,
    "department": pl.String,
    "salary": pl.Int32,
    "age": pl.Int32,
    "gain": pl.Int32,
}
MOST = 1000  # rows in a table, and in a department
SALARY = tuple(STATEMENTS["bounds"]["salary"])
BY_PERSON = {"contributions": 1, "identifier": "person"}
LIMITS = {
    "row; rows 1": ({"contributions": 1}, []),
    "row; rows 2": ({"contributions": 2}, []),
    "change; rows 1": ({"changes": 1}, []),
    "person; rows 1": (BY_PERSON, [("truncate_per_group", 1, None)]),
    "person; rows 2": (BY_PERSON, [("truncate_per_group", 2, None)]),
    "person; groups 2; rows per group 1": (
        BY_PERSON,
        [
            ("truncate_per_group", 1, ["department"]),
            ("truncate_num_groups", 2, ["department"]),
        ],
    ),
}


def column(expression):
    return expression.fill_null(0)


salary, age = pl.col("salary"), pl.col("age")
QUERIES = {
    "count": (["rows"], lambda q: q.select(dp.len())),
    "count where": (["rows where"], lambda q: q.filter(age >= 40).select(dp.len())),
    "count distinct people": (["people"], lambda q: q.select(pl.col("person").dp.n_unique())),
    "count distinct salaries": (["salaries"], lambda q: q.select(salary.dp.n_unique())),
    "sum": (["sum"], lambda q: q.select(column(salary).dp.sum(SALARY))),
    "sum where": (
        ["sum where"],
        lambda q: q.filter(salary <= 50).select(column(salary).dp.sum((0, 50))),
    ),
    "average": (["sum", "rows"], lambda q: q.select(column(salary).dp.mean(SALARY))),
    "counts by department": (["rows by department"], lambda q: by_department(q, dp.len())),
    "sums by department": (
        ["sums by department"],
        lambda q: by_department(q, column(salary).dp.sum(SALARY)),
    ),
    "sum of products": (
        ["products"],
        lambda q: q.select(column(salary * age).dp.sum((0, 9000))),
    ),
    "sum of a polynomial": (
        ["polynomial"],
        lambda q: q.select(column(salary * (100 - salary)).dp.sum((0, 2500))),
    ),
}
SAME = {"counts having": "counts by department"}  # HAVING is asked of the noisy counts
SEVERAL = "sum", "rows by department", "sums by department"
NONE = "not offered", "no expression of the library's DP namespace answers it"
OTHERS = {"median": ("not comparable", "a quantile is chosen by its noisy score")}


def main() -> None:
    dp.enable_features("contrib")
    warnings.simplefilter("ignore", FutureWarning)  # counts below 0 are given as 0, so far
    store("opendp_polars_statements", {"opendp": asked_of_all()})


def asked_of_all():
    for limits, (unit, truncations) in LIMITS.items():
        for name, statement in STATEMENTS["statements"].items():
            if "groups" not in limits or "GROUP BY" in statement:
                for claim in claims(name, unit, truncations):
                    yield [name, limits, *claim]


def claims(name, unit, truncations):
    """What is noised, its sensitivity, the settings and where that is read."""
    told = "; ".join(
        [
            "unit_of(" + ", ".join(f"{key}={value}" for key, value in unit.items()) + ")",
            *(f"{how}({most}" + (f", {by})" if by else ")") for how, most, by in truncations),
        ]
    )
    name = SAME.get(name, name)
    if name not in QUERIES:
        quantity, reason = OTHERS.get(name, NONE)
        yield quantity, "", told, reason
        return
    parts, _ = QUERIES[name]
    for norm in LOSSES if parts[0] in SEVERAL else ["L1"]:
        try:
            noises = scales(name, norm, json.dumps([unit, truncations]))
        except dp.OpenDPException as error:
            yield "not offered", "", told, str(error).strip().splitlines()[-1].strip()
            return
        noisy = sum(scale > 0 for scale in noises)  # an aggregate that cannot move costs nothing
        shared = noisy if norm == "L1" else math.sqrt(noisy)
        share = f", shared by {noisy}" if noisy > 1 else ""
        for part, scale in zip(parts, noises, strict=True):
            value = scale / shared if scale else 0
            yield f"{norm} of {part}", f"{value:.6g}", told, READ_FROM[norm] + share


@cache
def scales(name, norm, asked):
    """The scales of the noise that a query gets, aggregate by aggregate."""
    unit, truncations = json.loads(asked)
    by_key = dp.polars.Margin(by=["department"], max_length=MOST, max_groups=2)
    context = dp.Context.compositor(
        data=pl.LazyFrame(schema=SCHEMA),
        privacy_unit=dp.unit_of(**unit),
        privacy_loss=dp.loss_of(**LOSSES[norm]),
        split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=MOST), by_key],
    )
    query = context.query()
    for how, most, by in truncations:
        query = getattr(query, how)(most, by=by)
    return QUERIES[name][1](query).summarize()["scale"].to_list()


def by_department(query, expression):
    """A query for every department, those without people too."""
    keys = pl.LazyFrame({"department": ["art", "law"]}, schema_overrides={"department": pl.String})
    return query.group_by("department").agg(expression).with_keys(keys)


if __name__ == "__main__":
    main()
