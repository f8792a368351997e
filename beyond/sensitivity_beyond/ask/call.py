"""A filled form as one call of public names, in Python that gives the same anywhere."""

import re
from functools import cached_property
from typing import Any

from sensitivity_beyond.ask.form import FIELDS, Form, Refused, is_shown, must
from sensitivity_beyond.ask.reading import number, quoted, read
from sensitivity_beyond.tables.python import runnable

# The field that a refusal speaks of, by how it begins; else it is that of the line which failed.
SPEAKS_OF = {
    "size": r"size |at least .* exceed|seconds=", "k": r"k must", "keys": r"keys|statement .*key",
    "neighbours": r"no direction|relation", "column": r"of must name|query \S+ (is asked|does not)",
    "missing": r"missing|what .* missing", "most_rows": r"most_rows|people must be at most",
    "person": r"id |query count_people", "clip_low": r"bounds|low|high",
    "function": "query .* (failed|must)", "statement": "query .* (failed|must)",
}  # fmt: skip


class Call:
    """What a form asks: the lines of Python, and what they find."""

    def __init__(self, given: Form) -> None:
        """Take what was filled in, or stood there; a field that is not shown has nothing."""
        self.shown = {name: str(given.get(name, each.start)) for name, each in FIELDS.items()}
        self.data = read(self.shown)
        self.shown["shape"] = self.data.shape
        self.shown["person"] *= self.data.shape == "table"
        self.form = {name: self.shown[name] * is_shown(name, self.shown) for name in FIELDS}

    @cached_property
    def steps(self) -> dict[str, str]:
        """Three lines of Python, each with the field that it is made of."""
        form = self.form
        who = "person" if form["person"] else "known" if form["known"] else "step"
        asked = {"sql": "statement"}.get(form["ask"], form["ask"])
        size, k = number(form, "size", True), number(form, "k", True)
        sizes = f"range({size + 1})" if form["size_kind"] == "hidden" else size
        ask = f"size={sizes}, relation=sl.{form['neighbours']}({k})"
        return {
            who: f"universe = sl.Universe.{self._universe()}",
            asked: self._query(),
            "size": f"found = sl.global_sensitivity(query, universe, {ask})",
        }

    def snippet(self) -> str:
        """Python that gives the same number where the package is installed."""
        lines = ["import sensitivity_lab as sl", "", self.data.python, *self.steps.values()]
        made = runnable([*lines, "print(found.value)", ""])
        return f"import io\n{made}" if "io.StringIO(" in made else str(made)

    def run(self, **budget: Any) -> dict[str, Any]:
        """Run the three lines within a budget, and return all names that they make."""
        space: dict[str, Any] = {self.data.name: self.data.data}  # a page has no such file
        exec("import sensitivity_lab as sl", space)
        limits = "".join(f", {name}={value!r}" for name, value in budget.items())
        for field, line in self.steps.items():
            code = f"{line[:-1]}{limits})" if field == "size" else line
            try:
                exec(compile(runnable([code]), "<form>", "exec"), space)
            except Exception as error:
                own = (name for name, words in SPEAKS_OF.items() if re.match(words, str(error)))
                speaks_of = next((name for name in own if is_shown(name, self.shown)), field)
                known = isinstance(error, (ValueError, TypeError, TimeoutError, ImportError))
                text = str(error) if known else f"{type(error).__name__}: {error}"
                raise Refused(speaks_of, text[:1500]) from error
        return space

    def _universe(self) -> str:
        """The records that data can have."""
        form, name = self.form, self.data.name
        if not form["person"]:
            return f"{'population' if form['known'] == 'known' else 'value_range'}({name})"
        id, most = repr(form["person"]), form["most_rows"] and number(form, "most_rows", True)
        if form["known"] == "known":
            return f"people({name}, id={id})" + f".truncated(rows={most})" * bool(most)
        if not most:
            raise must("most_rows", "be a number where anybody may come", "nothing")
        return f"people(sl.Universe.value_range({name}.drop(columns={id})), most_rows={most})"

    def _query(self) -> str:
        """What is asked: a line, or a function of the caller's."""
        form = self.form
        if form["ask"] == "function":  # its lines, and what calls the last of them the query
            text = form["function"].strip()
            names = re.findall(r"^def (\w+)", text, re.MULTILINE)
            return f"{text}\nquery = {names[-1]}" if names else f"query = ({text})"
        if form["ask"] == "sql":
            keys = [each.strip() for each in form["keys"].split(",") if each.strip()]
            more = f", keys={keys!r}" if keys else ""
            return f"query = sl.sql({quoted(form['statement'].strip())}{more})"
        query = f"query = sl.{form['query']}"
        if form["column"]:
            missing = f", missing={self._exact('missing')}" if form["missing"] else ""
            query += f".of({form['column']!r}{missing})"
        if form["clip_low"] or form["clip_high"]:
            query += f".clipped({self._exact('clip_low')}, {self._exact('clip_high')})"
        if form["group"]:
            public = f", keys={self.data.name}[{form['group']!r}].dropna().unique().tolist()"
            query += f".by({form['group']!r}{public * (form['groups'] == 'public')})"
        return query

    def _exact(self, field: str) -> str:
        """A number as Python: a short decimal means what it says."""
        value = number(self.form, field)
        if value.denominator == 1 or ("/" in self.form[field] or len(self.form[field]) > 15):
            return str(value) if value.denominator == 1 else f'Fraction("{value}")'
        return repr(float(value))
