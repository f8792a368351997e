"""A change of tables, as text."""

import pandas as pd
from sensitivity_book.pictures.tables import show_change

# --- tables ------------------------------------------------------------------------------


def test_tables_before_and_after_as_text():
    """Catches a caption that is lost, and marks that leave their column."""
    people = pd.DataFrame({"name": ["Ann", "Bob"]}), pd.DataFrame({"name": ["Ann", "Cy"]})
    shown = repr(show_change({"People": people, "Others": people}))
    one = ["", "          name", "          Ann", "− leaves  Bob", "+ joins   Cy"]
    assert shown == "\n".join(["People", *one[1:], "", "Others", *one[1:]])
