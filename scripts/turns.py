"""*Your turn*: the last cell of each page of the path, as `scripts/lab.py` puts it into a working copy.

Records, size, function, and the pair: a cell runs as it is, and is meant to be changed.
"""

TURN = """## Your turn

{}

Change the records, the size or the function, and run the cell. It says how far the answer can move, and shows two
datasets that are so far apart.
"""
FIND = "found = sl.global_sensitivity(mine, universe, size=size, relation=sl.Change(1))"
SPAN = "def mine(dataset):\n    return max(dataset) - min(dataset)"
DAYS = "records = [1, 2, 3, 4, 5, 6, 7, 8, 15, 20]\nsize = 6"
KNOWN = "universe = sl.Universe.population(records)"
SCALE = "values = [1, 2, 3]\nsize = 4"
RANGE = "universe = sl.Universe.value_range(values)"

ASKED = {  # what stands above the cell, and the parts of the cell
    "by-hand": (
        "What would *you* publish of ten people?",
        DAYS,
        SPAN,
        KNOWN,
        FIND + "\nsl.plot_witness(found)",
    ),
    "noise": (
        "How wide is the noise that hides one of your ten people?",
        DAYS + "\nepsilon = 1",
        SPAN,
        KNOWN,
        FIND + '\nprint("scale of the noise:", found.value / epsilon)\nfound',
    ),
    "neighbours": (
        "Which kind of neighbours moves your answer further?",
        DAYS,
        SPAN,
        KNOWN,
        "for relation in sl.Change(1), sl.AddRemove(1), sl.SymmetricDifference(1):\n"
        "    found = sl.global_sensitivity(mine, universe, size=size, relation=relation)\n"
        '    print(relation, found.value, *found.witness, sep="  ")',
    ),
    "school": (
        "Your ten people, your question, and all distances at once. The sliders turn k and the size.",
        DAYS,
        SPAN,
        KNOWN,
        "sl.explore(universe, size, [mine, sl.MEAN, sl.MEDIAN, sl.SUM])",
    ),
    "vehicle": (
        "Your scale, your question, and all distances at once. The sliders turn k and the size.",
        SCALE,
        SPAN,
        RANGE,
        "sl.explore(universe, size, [mine, sl.MEAN, sl.MEDIAN, sl.SUM])",
    ),
    "closed-forms": (
        "Does your formula hold?",
        SCALE,
        "def mine(dataset):\n    return max(dataset) + min(dataset)",
        "def formula(low, high):\n    return high - low\n\n" + RANGE,
        FIND + '\nprint("formula:", formula(min(values), max(values)))\nfound',
    ),
    "clipping": (
        "Which bounds would you set?",
        "records = [3, 18, 27, 35, 41, 60, 77, 300]\nlow, high = 0, 80\nsize = 5",
        "def mine(dataset):\n    return sum(min(max(record, low), high) for record in dataset)",
        KNOWN,
        FIND + "\nfound",
    ),
    "tables": (
        "Your table, and a statement that you would send to a database.",
        'records = sl.Universe.product(team=["art", "law"], salary=[0, 50, 100], name="staff")\nsize = 3',
        'mine = sl.sql("SELECT MAX(salary) - MIN(salary) AS span FROM staff")',
        "universe = records",
        FIND + "\nfound",
    ),
    "people": (
        "Your people, each with as many rows as you like.",
        'import pandas as pd\n\nrecords = pd.DataFrame({\n    "person": ["Ann", "Ann", "Bob", "Cy", "Cy", "Cy"],\n'
        '    "price": [10, 20, 5, 1, 2, 30]})\nsize = 2',
        'def mine(rows):\n    return int(rows["price"].max()) if len(rows) else 0',
        'universe = sl.Universe.people(records, id="person")',
        FIND + "\nfound",
    ),
    "audits": (
        "A function of yours, and what you claim of it.",
        "values = [1, 2, 3, 4, 5]\nsize = 4\nclaim = 2",
        "def mine(dataset):\n    return sorted(dataset)[len(dataset) // 2]",
        RANGE,
        "sl.audit(mine, claim, universe, sizes=size, relations=[sl.Change(1)])",
    ),
}


def turn(name: str) -> tuple[str, str]:
    """What stands above the last cell of a page of the path, and the cell."""
    said, records, function, universe, asked = ASKED[name]
    code = f"import sensitivity_lab as sl\n\n{records}\n\n{function}\n\n{universe}\n{asked}"
    return TURN.format(said), code
