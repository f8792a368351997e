"""Ask Tumult how much noise it adds, and store the answers as tumult.csv: it needs Java 17.

Two quantities come from a query in a session, by `Session._noise_info`: the parameter of the
geometric noise at ε = 1, which is the L1 sensitivity, and the variance of the discrete Gaussian
noise at ρ = 1, which is half the squared L2 sensitivity. A third comes from the core library:
the stability of a private join. A value is empty where the library refuses the query.
"""

import pandas as pd
import tmlt.analytics as ta
from asking import store
from pyspark.sql import SparkSession
from tmlt.core.domains.collections import DictDomain
from tmlt.core.domains.spark_domains import SparkDataFrameDomain, SparkStringColumnDescriptor
from tmlt.core.transformations.spark_transformations import join

BUDGETS = {
    "geometric parameter at epsilon 1": ta.PureDPBudget(1),
    "discrete Gaussian variance at rho 1": ta.RhoZCDPBudget(1),
}
BY_PERSON = ta.AddRowsWithID("id", "people")
STATES = ta.KeySet.from_dict({"state": ["North", "South"]})
STRATEGIES = {
    "DropExcess(1)": (ta.TruncationStrategy.DropExcess(1), join.TruncationStrategy.TRUNCATE, 1),
    "DropExcess(2)": (ta.TruncationStrategy.DropExcess(2), join.TruncationStrategy.TRUNCATE, 2),
    "DropExcess(3)": (ta.TruncationStrategy.DropExcess(3), join.TruncationStrategy.TRUNCATE, 3),
    "DropNonUnique": (ta.TruncationStrategy.DropNonUnique(), join.TruncationStrategy.DROP, 1),
}
JOINS = [
    ("DropExcess(1)", "DropExcess(1)"),
    ("DropExcess(1)", "DropExcess(2)"),
    ("DropExcess(1)", "DropExcess(3)"),
    ("DropExcess(2)", "DropExcess(2)"),
    ("DropExcess(3)", "DropExcess(3)"),
    ("DropExcess(2)", "DropNonUnique"),
    ("DropNonUnique", "DropExcess(2)"),
    ("DropNonUnique", "DropNonUnique"),
]
DISTANCES = [(1, 0), (0, 1), (1, 1), (1, 2), (2, 1)]


def main() -> None:
    spark = SparkSession.builder.config("spark.ui.enabled", "false").getOrCreate()
    store("tumult", {"tmlt.core": join_stabilities(), "tmlt.analytics": noise_parameters(spark)})


def join_stabilities():
    """How many rows of a private join may change, by how many rows of the left and right may."""
    table = SparkDataFrameDomain({"key": SparkStringColumnDescriptor()})
    for left, right in JOINS:
        _, left_strategy, left_most = STRATEGIES[left]
        _, right_strategy, right_most = STRATEGIES[right]
        transformation = join.PrivateJoin(
            input_domain=DictDomain({"left": table, "right": table}),
            left_key="left",
            right_key="right",
            left_truncation_strategy=left_strategy,
            right_truncation_strategy=right_strategy,
            left_truncation_threshold=left_most,
            right_truncation_threshold=right_most,
        )
        for rows_left, rows_right in DISTANCES:
            value = transformation.stability_function({"left": rows_left, "right": rows_right})
            parameters = f"{left} x {right}; rows {rows_left} left, {rows_right} right"
            yield ["private join", parameters, "stability", value]


def noise_parameters(spark):
    """The noise of each query under both kinds of budget."""
    for name, parameters, query, changes in queries():
        for quantity, budget in BUDGETS.items():
            session = new_session(spark, budget, *changes)
            try:
                (noise,) = session._noise_info(query, budget)
                value = noise["noise_parameter"]
            except RuntimeError:
                value = ""
            yield [name, parameters, quantity, f"{value:g}" if value else ""]


def queries():
    """Name, parameters, query, and the protected changes of the tables users and purchases."""
    one, three = ta.AddMaxRows(1), ta.AddMaxRows(3)
    by_row, by_id = (one, one), (BY_PERSON, BY_PERSON)
    yield "count", "AddMaxRows(1)", users().count(), by_row
    yield "count", "AddMaxRows(3)", users().count(), (three, three)
    for low, high in ((0, 3), (-2, 3), (1, 3)):
        yield "sum", f"AddMaxRows(1); bounds {low} to {high}", users().sum("n", low, high), by_row
    yield "flat map, count", "AddMaxRows(1); max_rows 3", three_rows_each(users()).count(), by_row
    zips = users().join_public("zips").count()
    yield "public join, count", "AddMaxRows(1); key in 3 rows", zips, by_row
    for left, right in JOINS:
        joined = users().join_private(
            ta.QueryBuilder("purchases"), STRATEGIES[left][0], STRATEGIES[right][0]
        )
        yield "private join, count", f"AddMaxRows(1); {left} x {right}", joined.count(), by_row
    yield "count", "AddRowsWithID; no constraint", users().count(), by_id
    yield (
        "count",
        "AddRowsWithID; MaxRowsPerID(4)",
        users().enforce(ta.MaxRowsPerID(4)).count(),
        by_id,
    )
    states = users().enforce(ta.MaxRowsPerID(8)).groupby(STATES).count()
    yield "counts by state", "AddRowsWithID; MaxRowsPerID(8)", states, by_id
    groups = (
        users().enforce(ta.MaxGroupsPerID("state", 4)).enforce(ta.MaxRowsPerGroupPerID("state", 2))
    )
    bounds = "AddRowsWithID; MaxGroupsPerID(4) MaxRowsPerGroupPerID(2)"
    yield "counts by state", bounds, groups.groupby(STATES).count(), by_id
    yield "count", bounds, groups.count(), by_id
    after = three_rows_each(users()).enforce(ta.MaxRowsPerID(2)).count()
    yield "flat map, count", "AddRowsWithID; flat map, then MaxRowsPerID(2)", after, by_id
    before = three_rows_each(users().enforce(ta.MaxRowsPerID(2))).count()
    yield "flat map, count", "AddRowsWithID; MaxRowsPerID(2), then flat map", before, by_id
    joined = users().join_private(ta.QueryBuilder("purchases")).enforce(ta.MaxRowsPerID(4)).count()
    on_id = "AddRowsWithID; joined on the ID, then MaxRowsPerID(4)"
    yield "private join, count", on_id, joined, by_id


def users():
    """A new builder each time: its methods change it in place."""
    return ta.QueryBuilder("users")


def three_rows_each(query):
    return query.flat_map(
        lambda row: [{"genre": "a"}] * 3,
        new_column_types={"genre": "VARCHAR"},
        augment=True,
        max_rows=3,
    )


def new_session(spark, budget, users_change, purchases_change):
    """Two private tables and a public one in which a zip code has at most three rows."""
    users = pd.DataFrame({"id": ["a"], "zip": ["x"], "state": ["North"], "n": [1]})
    purchases = pd.DataFrame({"id": ["a"], "item": ["tea"]})
    zips = pd.DataFrame({"zip": ["x", "x", "x", "y"], "region": ["1", "2", "3", "4"]})
    builder = ta.Session.Builder().with_privacy_budget(budget)
    if isinstance(users_change, ta.AddRowsWithID):
        builder = builder.with_id_space(users_change.id_space)
    given = ("users", users, users_change), ("purchases", purchases, purchases_change)
    for name, table, change in given:
        frame = spark.createDataFrame(table)
        builder = builder.with_private_dataframe(name, frame, protected_change=change)
    session = builder.build()
    session.add_public_dataframe("zips", spark.createDataFrame(zips))
    return session


if __name__ == "__main__":
    main()
