"""The guide for contributors, held to the project that it guides through."""

import re
from dataclasses import replace
from textwrap import dedent

import pytest
from conftest import ROOT

import sensitivity_lab as sl
from sensitivity_lab import catalogue, relations
from sensitivity_lab.proved.ranks import family as ranks

GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = [dedent(block) for block in re.findall(r"^ *```python\n(.*?)^ *```", GUIDE, re.S | re.M)]
MARKS = sl.Universe.value_range([1, 2, 6])


def made(block, module, name):
    """What a block of the guide defines, as if it stood in a module."""
    namespace = dict(vars(module))
    exec(block, namespace)
    return namespace[name]


def test_the_guide_names_files_that_there_are():
    """Catches a file that has moved."""
    paths = re.findall(r"`([\w./-]+\.(?:py|md|ipynb|yml|bib))`", GUIDE)
    assert len(set(paths)) > 10
    folders = [ROOT, ROOT / "sensitivity_lab", ROOT / "book" / "sensitivity_board"]
    wanted = [path for path in paths if path != "figures.py" and not path.endswith("NAME.csv")]
    missing = [path for path in wanted if not any((folder / path).exists() for folder in folders)]
    assert missing == []


@pytest.mark.parametrize(
    "recipe",
    re.split(r"^## (?=An? )", GUIDE.split("## Style")[0], flags=re.M)[1:],
    ids=lambda r: r[:8],
)
def test_a_recipe_is_short(recipe):
    """Catches a recipe that has become a manual."""
    assert len([line for line in recipe.splitlines()[1:] if line.strip()]) < 28


@pytest.mark.parametrize(
    "relation", [sl.Change(1), sl.Change(3), sl.SymmetricDifference(2), sl.AddRemove(2)], ids=str
)
def test_the_examples_of_the_guide_agree(relation):
    """Catches a closed form or solver in the guide that enumeration of its query refutes."""
    family = made(BLOCKS[3], ranks, "Midrange")
    midrange = replace(made(BLOCKS[0], catalogue, "MIDRANGE"), proved=family())
    for size in (1, 2, 3):
        ask = {"size": size, "relation": relation}
        swept, walked, solved = (
            sl.global_sensitivity(midrange, MARKS, **ask, method=method)
            for method in ("sweep", "walk", "solver")
        )
        form = sl.closed_form(midrange, bounds=(1, 6), **ask)
        assert swept.value == walked.value == solved.value == form.value
        for pair in (solved.witness, form.witness):
            assert abs(midrange(pair[0]) - midrange(pair[1])) == form.value
        walked, solved = (
            sl.local_sensitivity(midrange, (2,) * size, MARKS, relation=relation, method=method)
            for method in ("walk", "solver")
        )
        assert walked.value == solved.value


def test_the_relation_of_the_guide_is_served():
    """Catches an example that the package refuses."""
    relation = made(BLOCKS[2], relations, "AddOrChange")(2)
    found = sl.global_sensitivity(sl.MEAN, MARKS, size=2, relation=relation)
    assert found.check()
    assert set(relation.moves) == {(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)}
