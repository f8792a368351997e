"""The worked examples of the book, as tables and as universes, each with its source."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import pandas as pd
from pandas.io.formats.style import Styler

from sensitivity_lab import (
    COUNT,
    MEAN,
    MEDIAN,
    STD,
    SUM,
    VARIANCE,
    AddRemove,
    Change,
    Relation,
    Universe,
    quantile,
)

# Columns in words, as pictures have them, and what their answers are counted in.
WORDS = {
    "school_year": "school year",
    "absence_days": "days of absence",
    "driving_proficiency": "driving proficiency",
}
UNITS = {"school year": "years", "days of absence": "days", "mood": "points"}
UNITS["driving proficiency"] = "points"

_DOCUMENT = "Global Sensitivity From Scratch (gonzalo-munillag/Blog, commit 965016e)"
_PAPER = "Lee and Clifton, How Much Is Enough? Choosing ε for Differential Privacy (2011)"


@dataclass(frozen=True, eq=False)
class Scenario:
    """A setting in which sensitivity is asked: the universe of each column, and the release.

    `size` is the number of records in a release, `distances` the k of the source. `frame`
    shows what is known: the records of a population, or the values that a record may take.

    >>> school_large().universes["school_year"].count(size=6)
    53
    """

    name: str
    description: str
    source: str
    frame: pd.DataFrame
    universes: dict[str, Universe]
    size: int
    distances: tuple[int, ...]

    @property
    def relations(self) -> list[Relation]:
        """Exactly k added or removed, and at most k changed, at each of its distances."""
        return [family(k) for family in (AddRemove, Change) for k in self.distances]

    @property
    def published(self) -> pd.DataFrame:
        """The source's numbers of this scenario, in the columns of `sensitivity_lab.sweep`."""
        every = published_sensitivities().rename(columns={"value": "sensitivity"})
        return every[every["scenario"] == self.name].drop(columns="scenario")

    @property
    def columns(self) -> dict[str, Universe]:
        """The universes by their columns in words."""
        return {
            name: Universe.value_range([*universe.values], name=name)
            if universe.unlimited
            else Universe.population(self.frame[column].rename(name))
            for column, universe in self.universes.items()
            for name in [WORDS.get(column, column)]
        }

    def published_for(
        self, universes: dict[str, Universe], size: int, ks: Sequence[int]
    ) -> pd.DataFrame | None:
        """The source's numbers at these distances, in words; of other data it says nothing."""
        known = universes == self.columns and size == self.size and {*ks} <= {*self.distances}
        published = self.published.replace({"column": WORDS})
        return published[published["k"].isin(ks)] if known else None


# The source's ten queries, in its order: a percentile is a quantile here, the 50th the median.
QUERIES = (MEAN, MEDIAN, COUNT, SUM, STD, VARIANCE, *map(quantile, (0.25, 0.5, 0.75, 0.9)))


def school_small() -> Scenario:
    """Return the school of four pupils, of whom three are released.

    >>> school_small().frame
        name  school_year  absence_days
    0  Chris            1             1
    1  Kelly            2             2
    2    Pat            3             3
    3  Terry            4            10

    Source: Lee and Clifton (2011), taken up by *Global Sensitivity From Scratch*.
    """
    frame = pd.DataFrame(
        {
            "name": ["Chris", "Kelly", "Pat", "Terry"],
            "school_year": [1, 2, 3, 4],
            "absence_days": [1, 2, 3, 10],
        }
    )
    return _school("school_small", f"{_PAPER}; {_DOCUMENT}", frame, size=3, distances=(1,))


def school_large() -> Scenario:
    """Return the school of ten pupils, of whom six are released.

    Some pupils share a school year: equal values that are different records.

    >>> school_large().frame["school_year"].tolist()
    [1, 2, 2, 2, 5, 5, 7, 8, 9, 9]

    Source: *Global Sensitivity From Scratch*, scenario (a).
    """
    frame = pd.DataFrame(
        {
            "name": [
                *("Chris", "Kelly", "Keny", "Sherry", "Jerry"),
                *("Morty", "Beth", "Summer", "Squanchy", "Rick"),
            ],
            "school_year": [1, 2, 2, 2, 5, 5, 7, 8, 9, 9],
            "absence_days": [1, 2, 3, 4, 5, 6, 7, 8, 15, 20],
        }
    )
    return _school("school_large", _DOCUMENT, frame, size=6, distances=(1, 2, 3, 4))


def _school(
    name: str, source: str, frame: pd.DataFrame, *, size: int, distances: tuple[int, ...]
) -> Scenario:
    columns = ("school_year", "absence_days")
    return Scenario(
        name=name,
        description=f"{size} of {len(frame)} known pupils are released; who, is not known.",
        source=source,
        frame=frame,
        universes={column: Universe.population(frame[column]) for column in columns},
        size=size,
        distances=distances,
    )


def vehicle() -> Scenario:
    """Return the vehicle that sends four readings of its driver's mood and proficiency.

    Only the values that a reading may take are known, so copies never run out.

    >>> vehicle().universes["mood"]
    Universe.value_range([1, 2], name='mood')
    >>> vehicle().frame
                    column  value
    0                 mood      1
    1                 mood      2
    2  driving_proficiency      1
    3  driving_proficiency      2
    4  driving_proficiency      3

    Source: *Global Sensitivity From Scratch*, scenario (b), whose text lets proficiency start
    at 0 and whose universe, kept here, starts at 1.
    """
    values = {"mood": [1, 2], "driving_proficiency": [1, 2, 3]}
    pairs = [(column, value) for column, allowed in values.items() for value in allowed]
    return Scenario(
        name="vehicle",
        description="4 readings are released; each takes one of a few known values.",
        source=_DOCUMENT,
        frame=pd.DataFrame(pairs, columns=["column", "value"]),
        universes={
            column: Universe.value_range(allowed, name=column) for column, allowed in values.items()
        },
        size=4,
        distances=(1, 2, 3),
    )


def scenarios() -> dict[str, Scenario]:
    """Return the three scenarios by name.

    >>> list(scenarios())
    ['school_small', 'school_large', 'vehicle']

    Source: as the scenarios say in `source`.
    """
    return {scenario.name: scenario for scenario in (school_small(), school_large(), vehicle())}


def published_sensitivities() -> pd.DataFrame:
    """Return the 320 global sensitivities that *Global Sensitivity From Scratch* printed.

    >>> published = published_sensitivities()
    >>> len(published), list(published.columns)
    (320, ['scenario', 'column', 'query', 'relation', 'k', 'value'])
    >>> published.attrs["commit"]
    '965016e'

    Scenarios, queries and relations bear the names they have here: the document's "unbounded"
    is `AddRemove`, its "bounded" is `Change`. `attrs` says where the numbers stand: document,
    notebook, commit. Cost: reads one file. Source: Munilla Garrido (2021a).
    """
    return _published("published_global_sensitivity.json")


def against_published(table: pd.DataFrame, published: pd.DataFrame | None) -> Styler | pd.DataFrame:
    """Return a table of `compare` with the published numbers beside its own, and a count above it.

    >>> from sensitivity_lab import AddRemove, compare
    >>> vehicle_ = vehicle()
    >>> asked = compare(QUERIES, vehicle_.columns, size=4, relations=[AddRemove(1)])
    >>> against_published(asked, vehicle_.published_for(vehicle_.columns, 4, [1])).caption
    '20 of 20 published numbers agree, to 1e-9.
     The closed form is attained 20 times, loose 0 times.'

    Without published numbers the table stays as it is. Source: those of `published_sensitivities`.
    """
    if published is None:
        return table
    keys = ["column", "query", "relation", "k"]
    both = table.merge(published, on=keys, suffixes=("", "_published"))
    attained = both["closed_form"] == both["sensitivity"]
    numbers = ["ours", "published", "closed form"]
    both[numbers] = both[["sensitivity", "sensitivity_published", "closed_form"]].astype(float)
    agree = (both["ours"] - both["published"]).abs() <= 1e-9
    status = agree.map({True: "equal", False: "differs"})
    both["status"] = status + attained.map({True: ", attained", False: ", loose"})
    both["relation"] = both["relation"].map({"AddRemove": "unbounded", "Change": "bounded"})
    both["query"] += ", " + both["column"]
    shown = both[["query", "relation", "k", *numbers, "status"]]
    return (
        Styler(shown, uuid="published", cell_ids=False)
        .hide(axis="index")
        .set_table_attributes('class="dataframe folded"')
        .set_caption(
            f"{agree.sum()} of {len(both)} published numbers agree, to 1e-9. The closed form is "
            f"attained {attained.sum()} times, loose {(~attained).sum()} times."
        )
        .format(dict.fromkeys(numbers, "{:.6g}"))
    )


def published_local_sensitivities() -> pd.DataFrame:
    """Return the 200 local sensitivities that the companion notebook on local sensitivity printed.

    >>> published = published_local_sensitivities()
    >>> len(published), sorted(set(published["scenario"]))
    (200, ['school_large', 'school_small'])

    The dataset is the first `size` records of the scenario's frame; names and `attrs` are as in
    `published_sensitivities`. Cost: reads one file. Source: Munilla Garrido (2021b), *Local
    sensitivity from scratch*.
    """
    return _published("published_local_sensitivity.json")


def _published(name: str) -> pd.DataFrame:
    file = resources.files("sensitivity_book") / "data" / name
    published = json.loads(file.read_text(encoding="utf-8"))
    table = pd.DataFrame(published["rows"], columns=published["columns"])
    table.attrs = {key: published[key] for key in ("document", "notebook", "commit")}
    return table
