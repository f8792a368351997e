"""The form: its fields in plain words, when each is shown, and five examples that fill it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Form = Mapping[str, str]  # what was filled in, by the names of fields
Wanted = Mapping[str, tuple[str, ...]]  # of some fields what must be chosen; () is anything


@dataclass(frozen=True)
class Field:
    """One field: what it asks, how it is filled, and beside which choices it is shown."""

    name: str
    label: str
    kind: str  # line, number, lines, file, choice, menu; column: a menu of what was read
    when: Wanted = field(default_factory=dict)  # "shape" is of what was read, as `Data` has it
    help: str = ""
    start: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)


NAMES = "SUM MEAN MEDIAN MIN MAX quantile(0.25) quantile(0.75) VARIANCE STD"
NUMBERS = tuple(NAMES.split())
LISTED: Wanted = {"ask": ("query",)}
OF_NUMBERS: Wanted = {**LISTED, "query": NUMBERS}
TABLE: Wanted = {**LISTED, "shape": ("table",)}
RANGE: Wanted = {"source": ("range",)}

PARTS: Mapping[str, tuple[Field, ...]] = {
    "What may a record be?": (
        Field("source", "Where are the values?", "choice", start="pasted", choices={
            "pasted": "I paste a list or a table",
            "file": "I choose a CSV file on this computer",
            "range": "I name a range of numbers"}),
        Field("pasted", "Your list, or your table with its header", "lines",
            {"source": ("pasted",)}, "A number a line, or cells as a spreadsheet copies them."),
        Field("file", "CSV file", "file", {"source": ("file",)}, "It stays on this computer."),
        Field("low", "Lowest value", "number", RANGE),
        Field("high", "Highest value", "number", RANGE),
        Field("step", "In steps of", "number", RANGE, start="1"),
        Field("known", "Do you know everybody who may be in the data?", "choice",
            {"source": ("pasted", "file")}, start="known", choices={
                "known": "Yes: these records, each once at the most",
                "any": "No: anybody may come, with any of these values"})),
    "Who counts as one person?": (
        Field("person", "One person is", "column", choices={"": "each record, or row"}),
        Field("most_rows", "Rows that one person may bring, at the most", "number",
            {"person": ()}, "Empty: as many as they have in the table.")),
    "What is published?": (
        Field("ask", "The question is", "choice", start="query", choices={
            "query": "a number from a list", "function": "a function in Python",
            "sql": "a SQL statement"}),
        Field("query", "Number", "menu", LISTED, start="MEAN", choices={
            "COUNT": "how many records", "count_people": "how many people", "SUM": "sum",
            "MEAN": "mean", "MEDIAN": "median", "MIN": "minimum", "MAX": "maximum",
            "quantile(0.25)": "lower quartile", "quantile(0.75)": "upper quartile",
            "VARIANCE": "variance", "STD": "standard deviation",
            "count_distinct": "how many different values"}),
        Field("column", "Of the column", "column",
            {**TABLE, "query": (*NUMBERS, "count_distinct")}, choices={"": "choose one"}),
        Field("missing", "A missing cell counts as", "number", {**TABLE, "query": NUMBERS},
            "Needed only where cells are missing."),
        Field("clip_low", "Cut each number to at least", "number", OF_NUMBERS),
        Field("clip_high", "Cut each number to at most", "number", OF_NUMBERS,
            "Both empty: numbers stay as they are."),
        Field("group", "For each group of", "column", {**TABLE, "query": ("COUNT", *NUMBERS)},
            choices={"": "no group: one number of all"}),
        Field("groups", "Which groups are published?", "choice", {**TABLE, "group": ()},
            start="public", choices={
                "public": "all in the column, also while nobody is in them",
                "seen": "those that somebody is in"}),
        Field("function", "Function", "lines", {"ask": ("function",)},
            "It gets numbers as a sorted tuple, a table as a DataFrame of pandas."),
        Field("statement", "Statement", "lines", {"ask": ("sql",)},
            "The table has whatever name you select from."),
        Field("keys", "Columns of numbers that name a group", "line", {"ask": ("sql",)},
            "Names with commas between, or nothing."),
        Field("size_kind", "The number of records is", "choice", start="public", choices={
            "public": "public: everybody may know it",
            "hidden": "not public: it may be any, up to a largest"}),
        Field("size", "How many records", "number", help="Of people, how many people."),
        Field("neighbours", "Data are compared in which", "choice", start="SymmetricDifference",
            choices={
                "SymmetricDifference": "at most k join or leave (unbounded, symmetric distance)",
                "AddRemove": "exactly k join, or exactly k leave (unbounded, add-remove)",
                "Add": "exactly k join (add)", "Remove": "exactly k leave (remove)",
                "Change": "at most k are replaced (bounded, change-one, Hamming)"}),
        Field("k", "k: how many are hidden together", "number", start="1")),
}  # fmt: skip
FIELDS = {each.name: each for part in PARTS.values() for each in part}

STAFF = "team,pay\nart,2400\nart,3100\nlaw,4800\nlaw,6500\nlaw,2900\n"
EXAMPLES: Mapping[str, Form] = {
    "A school": {
        "pasted": "days\n1\n2\n3\n4\n5\n6\n7\n8\n15\n20\n", "size": "6", "neighbours": "Change"},
    "A vehicle": {
        "source": "range", "low": "1", "high": "3", "query": "MEDIAN", "size": "6",
        "neighbours": "AddRemove", "k": "2"},
    "Salaries, cut to a bound": {
        "source": "range", "low": "0", "high": "200000", "step": "1000", "query": "SUM",
        "clip_low": "0", "clip_high": "100000", "size_kind": "hidden", "size": "100"},
    "A table by group": {
        "pasted": STAFF, "known": "any", "query": "SUM", "column": "pay", "clip_low": "0",
        "clip_high": "5000", "group": "team", "size_kind": "hidden", "size": "50"},
    "A SQL statement": {
        "pasted": STAFF, "known": "any", "ask": "sql", "size": "2",
        "statement": "SELECT team, AVG(pay) AS pay\nFROM staff\nGROUP BY team"},
}  # fmt: skip


def is_shown(name: str, form: Form) -> bool:
    """Whether a field is asked, beside what else was chosen."""
    wanted = FIELDS[name].when.items()
    return all(form[other] in one if one else bool(form[other]) for other, one in wanted)


class Refused(ValueError):
    """What cannot be asked, in one sentence, and the field that this speaks of."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


def must(field: str, rule: str, got: object) -> Refused:
    """A refusal of what stands in a field."""
    return Refused(field, f"“{FIELDS[field].label}” must {rule}, got {got}")
