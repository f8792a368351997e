"""Records that are people: every answer is held to labelled people and all their rows."""

import math
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import oracle_rows
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import refused

import sensitivity_lab as sl

KINDS = {
    "pandas": lambda rows, kinds: pd.DataFrame(rows, columns=list(kinds)).astype(
        {name: kind[0] for name, kind in kinds.items()}
    ),
    "polars": lambda rows, kinds: pl.DataFrame(
        rows, schema={name: kind[1] for name, kind in kinds.items()}
    ),
    "pyarrow": lambda rows, kinds: pa.Table.from_pylist(
        rows, schema=pa.schema({name: kind[2] for name, kind in kinds.items()})
    ),
}
TEXT, WHOLE = (object, pl.String, pa.string()), ("int64", pl.Int64, pa.int64())
ORDERS = {"who": TEXT, "price": WHOLE, "what": TEXT}
VISITS = {"who": TEXT, "minutes": WHOLE}
PEOPLE = ["ann", "bob", "cy", "di"]


def dicts(table):
    if isinstance(table, pd.DataFrame):
        rows = table.to_dict("records")
    else:
        rows = table.to_dicts() if isinstance(table, pl.DataFrame) else table.to_pylist()
    return [{k: None if v is None or v != v else v for k, v in row.items()} for row in rows]


def multiset(rows):
    return tuple(sorted(repr(list(row.items())) for row in rows))


def some_orders(rng, people=PEOPLE):
    return [
        {"who": rng.choice(people), "price": rng.randint(-2, 9), "what": rng.choice(["a", None])}
        for _ in range(rng.randint(1, 6))
    ]


def some_visits(rng, people=PEOPLE):
    return [
        {"who": rng.choice(people), "minutes": rng.choice([0, 5, 30])}
        for _ in range(rng.randint(0, 4))
    ]


# -- what is asked of all rows of some people, as dicts -----------------------------------------


def spent(tables):
    return sum(row["price"] for row in tables[None])


def most_spent(tables):
    return max((row["price"] for row in tables[None]), default=0)


def people_and_rows(tables):
    return len({row["who"] for row in tables[None]}), len(tables[None])


def gaps(tables):
    return sum(row["what"] is None for row in tables[None])


def spent_in_time(tables):
    spent = sum(row["price"] for row in tables["orders"])
    return spent, sum(row["minutes"] for row in tables["visits"])


def came_and_bought_nothing(tables):
    came = {row["who"] for row in tables["visits"]}
    return len(came - {row["who"] for row in tables["orders"]})


def of_table(function, table):
    return function({None: dicts(table)})


def of_tables(function, tables):
    return function({name: dicts(table) for name, table in tables.items()})


def assert_right(found, want, people, tables_of):
    """The value, and a witness with all rows of its people and no others."""
    assert found.value == want.value
    assert found.check()
    brought = [
        {name: multiset(rows) for name, rows in oracle_rows.all_their_rows(people, side).items()}
        for pair in want.pairs
        for side in pair
    ]
    shown = [
        {name: multiset(dicts(table)) for name, table in tables_of(side).items()}
        for side in found.witness
    ]
    assert shown in [brought[i : i + 2] for i in range(0, len(brought), 2)]


def asked(function, universe, want, people, tables_of, **ask):
    if want is None:
        with pytest.raises(sl.Infeasible):
            sl.global_sensitivity(function, universe, **ask)
    else:
        found = sl.global_sensitivity(function, universe, **ask)
        assert_right(found, want, people, tables_of)


def brute_force(function, people, size, name, k, norm=1):
    pairs = oracle_rows.of_population(len(people), size, name, k)
    return oracle_rows.greatest(
        lambda labels: function(oracle_rows.all_their_rows(people, labels) or nothing(people)),
        pairs,
        norm,
    )


def nothing(people):
    return {name: [] for name in people[0]}


@pytest.mark.parametrize("library", KINDS)
def test_people_of_one_table(library):
    """Catches a person who leaves some of their rows behind, or takes another's along."""
    rng = random.Random(library)
    for _ in range(50):
        rows = some_orders(rng)
        people = oracle_rows.people_of({None: rows}, "who")
        size = rng.randint(0, min(3, len(people)))
        name, k = rng.choice(oracle_rows.RELATIONS), rng.randint(1, 2)
        function, norm = rng.choice((spent, most_spent, gaps)), 1
        if rng.random() < 0.3:
            function, norm = people_and_rows, rng.choice((1, 2, math.inf))
        want = brute_force(function, people, size, name, k, norm)
        universe = sl.Universe.people(KINDS[library](rows, ORDERS), id="who")
        method = rng.choice(("auto", "walk"))
        ask = {"size": size, "relation": getattr(sl, name)(k), "norm": norm, "method": method}
        asked(partial(of_table, function), universe, want, people, lambda t: {None: t}, **ask)


@pytest.mark.parametrize("library", KINDS)
def test_people_of_two_tables(library):
    """Catches a person who is known from one table only, and is forgotten or brings no empty rows."""
    rng = random.Random(library + "two")
    for _ in range(40):
        tables = {"orders": some_orders(rng), "visits": some_visits(rng)}
        people = oracle_rows.people_of(tables, "who")
        size, name = rng.randint(0, min(3, len(people))), rng.choice(oracle_rows.RELATIONS)
        function = rng.choice((spent_in_time, came_and_bought_nothing))
        norm = rng.choice((1, math.inf))
        want = brute_force(function, people, size, name, 1, norm)
        made = {
            "orders": KINDS[library](tables["orders"], ORDERS),
            "visits": KINDS[library](tables["visits"], VISITS),
        }
        universe = sl.Universe.people(made, id="who")
        assert universe.records == len(people)
        ask = {"size": size, "relation": getattr(sl, name)(1), "norm": norm}
        asked(partial(of_tables, function), universe, want, people, dict, **ask)


@pytest.mark.parametrize("library", KINDS)
def test_one_dataset_of_people(library):
    """Catches a dataset of people that is found by its ids only, or only in the universe's order."""
    rng = random.Random(library + "local")
    for _ in range(25):
        rows = some_orders(rng)
        people = oracle_rows.people_of({None: rows}, "who")
        names = sorted({row["who"] for row in rows})
        here = tuple(sorted(rng.sample(range(len(people)), rng.randint(1, len(people)))))
        relation = rng.choice(("SymmetricDifference", "Change"))
        pairs = oracle_rows.of_population(len(people), len(here), relation, 1)
        want = oracle_rows.greatest(
            lambda labels: spent(oracle_rows.all_their_rows(people, labels) or {None: []}),  # noqa: B023
            [pair for pair in pairs if pair[0] == here],
        )
        universe = sl.Universe.people(KINDS[library](rows, ORDERS), id="who")
        held = [row for row in rows if row["who"] in {names[i] for i in here}]
        rng.shuffle(held)
        for dataset in ([names[i] for i in here], *(make(held, ORDERS) for make in KINDS.values())):
            found = sl.local_sensitivity(
                partial(of_table, spent), dataset, universe, relation=getattr(sl, relation)(1)
            )
            assert_right(found, want, people, lambda t: {None: t})


def person_total(tables):
    return sum(row["price"] for row in tables[None])


def worth(table):
    """A number of one person: of all rows they bring."""
    return sum(row["price"] for row in dicts(table))


@pytest.mark.parametrize("library", KINDS)
def test_of_a_function_of_a_person(library):
    """Catches a number of a person's rows that is asked of each row, or of all people's."""
    rng = random.Random(library + "of")
    queries = {
        "sum": sl.SUM,
        "mean": sl.MEAN,
        "median": sl.MEDIAN,
        "max": sl.MAX,
        "count": sl.COUNT,
    }
    for _ in range(30):
        rows = some_orders(rng)
        people = oracle_rows.people_of({None: rows}, "who")
        size, relation = rng.randint(0, len(people)), rng.choice(oracle_rows.RELATIONS)
        name = rng.choice(list(queries))
        numbers = [person_total(person) for person in people]
        want = oracle_rows.greatest(
            lambda labels: oracle_rows.plain(name, [numbers[i] for i in labels]),  # noqa: B023
            oracle_rows.of_population(len(people), size, relation, 1),
            smallest=oracle_rows.SMALLEST.get(name, 0),
        )
        universe = sl.Universe.people(KINDS[library](rows, ORDERS), id="who")
        for method in ("auto", "walk", "solver"):
            ask = {"size": size, "relation": getattr(sl, relation)(1), "method": method}
            if want is None:
                with pytest.raises(ValueError, match=r"feasible|at least"):
                    sl.global_sensitivity(queries[name].of(worth), universe, **ask)
            else:
                found = sl.global_sensitivity(queries[name].of(worth), universe, **ask)
                assert_right(found, want, people, lambda t: {None: t})


def test_of_a_function_of_a_person_with_two_tables():
    """Catches a person who is given as one table, or without the table they are missing from."""
    rng = random.Random(12)

    def balance(tables):
        return sum(r["price"] for r in dicts(tables["orders"])) - len(tables["visits"])

    for _ in range(15):
        tables = {"orders": some_orders(rng), "visits": some_visits(rng)}
        people = oracle_rows.people_of(tables, "who")
        numbers = [sum(r["price"] for r in p["orders"]) - len(p["visits"]) for p in people]
        want = oracle_rows.greatest(
            lambda labels: sum(numbers[i] for i in labels),  # noqa: B023
            oracle_rows.of_population(len(people), 1, "SymmetricDifference", 1),
        )
        made = {
            "orders": KINDS["pandas"](tables["orders"], ORDERS),
            "visits": KINDS["pandas"](tables["visits"], VISITS),
        }
        universe = sl.Universe.people(made, id="who")
        ask = {"size": 1, "relation": sl.SymmetricDifference(1)}
        found = sl.global_sensitivity(sl.SUM.of(balance), universe, **ask)
        assert_right(found, want, people, dict)


def test_any_people():
    """Catches a person left out, who brings nothing or one row twice; and one who is not one record."""
    rng = random.Random(13)
    for _ in range(25):
        rows = [
            {"price": rng.randint(-2, 9), "what": rng.choice(["a", None])}
            for _ in range(rng.randint(1, 3))
        ]
        most = rng.randint(0, 2)
        people = oracle_rows.anybody(rows, most)
        kinds = {name: ORDERS[name] for name in ("price", "what")}
        for made in (
            KINDS["pandas"](rows, kinds),
            KINDS["polars"](rows, kinds),
            sl.Universe.value_range(KINDS["pyarrow"](rows, kinds)),
        ):
            universe = sl.Universe.people(made, most_rows=most)
            assert universe.distinct == len(people)
            size, relation = rng.randint(0, 2), rng.choice(oracle_rows.RELATIONS)
            want = oracle_rows.greatest(
                lambda labels: sum(row["price"] for i in labels for row in people[i]),  # noqa: B023
                oracle_rows.of_range(len(people), size, relation, 1),
            )
            ask = {"size": size, "relation": getattr(sl, relation)(1)}
            if want is None:
                with pytest.raises(sl.Infeasible):
                    sl.global_sensitivity(worth, universe, **ask)
                continue
            for query in (worth, sl.SUM.of(worth)):
                found = sl.global_sensitivity(query, universe, **ask)
                assert found.value == want.value
                assert found.check()


def test_any_people_are_numbered():
    """Catches two people whose rows run together, and an empty-handed one who takes no number."""
    universe = sl.Universe.people(pd.DataFrame({"s": [1, None], "d": ["x", None]}), most_rows=2)
    none, first, second = universe.values[:3]
    given = universe.given(universe.indices([(*first, *second), none, first]))
    assert given["person"].tolist() == [1, 2, 2]
    assert dict(given.drop(columns="person").dtypes) == {"s": "float64", "d": given["d"].dtype}
    for person in universe.values:
        for order in (person, person[::-1]):
            assert universe.values[universe.indices([order])[0]] == person
    frame = pd.DataFrame({"person": [4, 7, 7], "s": [None, 1, None], "d": [None, "x", None]})
    people = Counter(universe.values[i] for i in universe.indices(frame))
    assert people == Counter([second, (*first, *second)])
    known = sl.local_sensitivity(len, frame, universe, relation=sl.Add(1))
    assert known.value == 2


def test_threads_and_audits_of_people():
    """Catches people who are told in rows by a worker or a report."""
    rows = [
        {"who": who, "price": price, "what": "a"}
        for who, price in zip("aabcc", range(5), strict=True)
    ]
    people = oracle_rows.people_of({None: rows}, "who")
    universe = sl.Universe.people(KINDS["pandas"](rows, ORDERS), id="who")
    want = brute_force(spent, people, 2, "SymmetricDifference", 1)
    ask = {"sizes": 2, "relations": [sl.SymmetricDifference(1)]}
    for claim, verdict in ((0, "exact"), (1, "loose"), (-1, "too small")):
        assert sl.audit(worth, want.value + claim, universe, **ask).rows[0].verdict == verdict
    searched = sl.audit(worth, 0, universe, method="search", trials=200, **ask).rows[0]
    assert searched.found == want.value
    with ThreadPoolExecutor(2) as pool:
        found = sl.global_sensitivity(
            worth, universe, size=2, relation=sl.SymmetricDifference(1), executor=pool
        )
    assert_right(found, want, people, lambda t: {None: t})


def test_ids_of_every_kind():
    """Catches ids that are numbers, dates or categories, and two tables whose ids differ in kind."""
    for ids in (
        [3, 1, 3],
        [1.5, 2.5, 1.5],
        pd.to_datetime(["2024", "2023", "2024"]),
        pd.Categorical(["b", "a", "b"]),
    ):
        frame = pd.DataFrame({"who": ids, "price": [1, 2, 4]})
        universe = sl.Universe.people(frame, id="who")
        assert universe.distinct == 2
        found = sl.global_sensitivity(worth, universe, size=1, relation=sl.Change(1))
        assert found.value == 3
        assert found.check()
        assert [dict(side.dtypes) for side in found.witness] == [dict(frame.dtypes)] * 2
    one, other = (
        pd.DataFrame({"who": [1, 2], "a": [0, 0]}),
        pl.DataFrame({"who": [2, 3], "b": [0, 0]}),
    )
    assert sl.Universe.people({"one": one, "other": other}, id="who").values == (1, 2, 3)


def test_a_column_of_people_is_asked_of_all_their_rows():
    """Catches a person's column taken for one number."""
    rng = random.Random(14)
    for _ in range(20):
        rows = some_orders(rng)
        people = oracle_rows.people_of({None: rows}, "who")
        size, relation = rng.randint(0, len(people)), rng.choice(("Change", "SymmetricDifference"))
        want = brute_force(spent, people, size, relation, 1)
        universe = sl.Universe.people(KINDS["polars"](rows, ORDERS), id="who")
        ask = {"size": size, "relation": getattr(sl, relation)(1)}
        found = sl.global_sensitivity(sl.SUM.of("price"), universe, **ask)
        assert_right(found, want, people, lambda t: {None: t})
        capped = lambda tables: sum(min(5, max(0, r["price"])) for r in tables[None])  # noqa: E731
        for query in (
            sl.SUM.of("price").clipped(0, 5),
            sl.SUM.of("price").clipped(0, 9).clipped(-2, 5),
        ):
            found = sl.global_sensitivity(query, universe, **ask)
            assert_right(
                found, brute_force(capped, people, size, relation, 1), people, lambda t: {None: t}
            )


SEVERAL = {
    "orders": pd.DataFrame({"who": ["x", "y", "x"], "price": [1, 2, 3]}),
    "visits": pd.DataFrame({"who": ["y", "z", "y", "y"], "minutes": [5, 6, 7, 8]}),
}


@pytest.mark.parametrize(
    "query",
    [
        sl.COUNT,
        sl.SUM.of("price"),
        sl.SUM.of("price").clipped(0, 2),
        sl.MEAN.of("price"),
        sl.COUNT.by("who"),
        sl.count_where(lambda row: row.price > 2),
    ],
    ids=str,
)
def test_a_column_of_several_tables_is_refused_before_any_work(query):
    """Catches a refusal that comes from the walk, with a dataset, and names no way out."""
    universe = sl.Universe.people(SEVERAL, id="who")
    words = ("rows of one table", "orders, visits", "SUM.of(lambda person: len(person['orders']))")
    with refused(ValueError, *words):
        sl.global_sensitivity(query, universe, size=1, relation=sl.Change(1))
    with refused(ValueError, *words):
        sl.local_sensitivity(query, ["x"], universe, relation=sl.Change(1))
    way_out = sl.SUM.of(lambda tables: len(tables["orders"]))
    assert sl.global_sensitivity(way_out, universe, size=1, relation=sl.Change(1)).value == 2
