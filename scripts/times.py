"""Where a run of the checks spends its time: its parts, the tests by module,
the notebooks and their cells.

`make` leaves the times of each test in `_build/times`, and `.ci/run` those of its parts.
"""

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

TIMES = Path(__file__).parents[1] / "_build" / "times"


def seconds(report: Path) -> Counter[tuple[str, str]]:
    """The seconds of each test of a report, by its module and its name."""
    cases = ElementTree.parse(report).iter("testcase")
    found: Counter[tuple[str, str]] = Counter()
    for case in cases:
        found[case.get("classname", ""), case.get("name", "")] += float(case.get("time", 0))
    return found


def summed(times: Counter[tuple[str, str]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (module, _), time in times.items():
        found[module.removeprefix("tests.")] += time
    return found


def table(title: str, times: Counter[str], most: int) -> str:
    lines = [f"{title}: {sum(times.values()):,.0f} s"]
    lines += [f"{time:8.1f}  {name}" for name, time in times.most_common(most) if time >= 1]
    return "\n".join(lines)


def main(folder: Path) -> str:
    """At most forty lines."""
    parts = folder / "parts"
    lines = parts.read_text(encoding="utf-8").splitlines() if parts.exists() else []
    shown = [
        table("Parts", Counter({line.partition(" ")[2]: int(line.split()[0]) for line in lines}), 8)
    ]
    for name, most in (("test", 9), ("browser", 5), ("notebooks", 5)):
        if (folder / f"{name}.xml").exists():
            shown.append(table(name.capitalize(), summed(seconds(folder / f"{name}.xml")), most))
    if (folder / "notebooks.xml").exists():
        cells = seconds(folder / "notebooks.xml")
        slow = Counter({f"{module} {name}": time for (module, name), time in cells.items()})
        shown.append(table("Cells", slow, 5))
    return "\n".join(shown)


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if len(sys.argv) > 1 else TIMES))
