"""The form in Jupyter: `sl.explore()` without a universe shows it."""

import base64
from html import escape
from typing import Any

from sensitivity_beyond.ask.answer import DESK, answer, curve, look
from sensitivity_beyond.ask.form import EXAMPLES, FIELDS, is_shown

KINDS = {"choice": "RadioButtons", "menu": "Dropdown", "column": "Dropdown",
    "lines": "Textarea", "file": "FileUpload"}  # fmt: skip


def form() -> Any:
    """The form as widgets: controls, what was read or refused, and the answer."""
    import ipywidgets as kit

    from sensitivity_lab.plotting.explore import KEYS

    wide: dict[str, Any] = {"layout": {"width": "44rem"}, "style": {"description_width": "18rem"}}
    examples = kit.Dropdown(options={"": {}, **EXAMPLES}, description="An example", **wide)
    go, said, read = kit.Button(description="Ask"), kit.HTML(), kit.HTML()
    found, drawn, made = kit.HTML(), kit.HTML(), {}
    for name, each in FIELDS.items():
        more = {"options": [(words, value) for value, words in each.choices.items()]}
        more = {} if name == "file" else wide | (more if each.choices else {})
        made[name] = getattr(kit, KINDS.get(each.kind, "Text"))(description=each.label, **more)

    def given() -> dict[str, str]:
        filled = {name: each.value for name, each in made.items()}
        packed = [(one["name"], base64.b64encode(one["content"])) for one in filled["file"]]
        return filled | {"file": "".join(f"{name}\n{text.decode()}" for name, text in packed)}

    def changed(turned: Any = None) -> None:
        """Read again, and show the fields that are asked beside what is chosen."""
        seen = look(given())
        read.value = seen.get("html", escape(seen.get("refused", "")) if turned else "")
        for name, each in FIELDS.items():
            menu = {words: value for value, words in each.choices.items()}
            menu |= {column: column for column in seen["columns"]}
            if each.kind == "column" and made[name].options != tuple(menu.items()):
                made[name].options = tuple(menu.items())
            asked = is_shown(name, given() | {"shape": seen["shape"]})
            made[name].layout.display = None if asked else "none"

    def fill(example: dict[str, str]) -> None:
        for name in [name for name in FIELDS if name != "file"] * 2:  # a table first, its columns
            value = example.get(name, FIELDS[name].start)
            if FIELDS[name].kind != "column" or value in dict(made[name].options).values():
                made[name].value = value

    def asked(_pressed: Any = None) -> None:
        """Answer below; what is refused is said, with the field that it speaks of."""
        said.value, found.value, drawn.value = "Asking, for two minutes at the most.", "", ""
        got = answer(given(), DESK)
        said.value, found.value = escape(got.get("refused", "")), got["html"]
        if "refused" in got:
            said.value = f"<b>{escape(FIELDS[got['field']].label)}</b>: {said.value}"
        else:
            drawn.value = curve(budget=DESK)["html"]

    for control in made.values():
        control.observe(changed, "value")
    examples.observe(lambda turned: fill(turned["new"]), "value")
    go.on_click(asked)
    fill({})
    changed()
    return kit.VBox([examples, *made.values(), read, go, said, found, drawn, kit.HTML(KEYS)])
