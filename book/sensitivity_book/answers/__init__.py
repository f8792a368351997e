"""Answers that readers type under an exercise: a number, a dataset or a function.

To give an exercise a field:

1. Write a function without parameters that returns a `NumberAnswer`, a `DatasetAnswer` or a
   `FunctionAnswer` (`kinds`), in the module of its page.  `far` in `by_hand` is the field
   `by-hand-far`. A new page's module joins `PAGES` of `registry`.  The right number is computed
   there by the package, never typed in.
2. Name the field below its exercise, before the hint.  The lines inside are for readers in
   JupyterLab, where they are a cell; `page.elsewhere` writes them, and a test compares them:

       ```{answer} by-hand-far
       # A study of six, as days
       from sensitivity_book.answers import check_answer
       check_answer("by-hand-far", "1, 2, 3, 4, 5, 6")
       ```

3. A number whose solution says others near it has a second route in `NUMBERS` of
   `tests/book/test_answers.py`; a dataset or function has one right submission and two wrong ones
   in `SUBMISSIONS`, with the words that they get.

These modules ask for nothing beyond the package and `scenarios`: the Python in a page has no scipy
and no OpenDP, and a start should be short.  A judge gets datasets that are read, and are in the
universe, of the size and neighbours; `judges` has the judge of functions.  `ladder.ladder` makes
the witnesses of a sensitivity from every pair of neighbours, so its query, universe and size are
small.

A page compares a number by itself, in `book/_static/answers.js`, and JupyterLab by `compare`, the
same in Python. A dataset of an exercise on paper is judged by the page too: `by` says what the
verdict depends on, and `on_paper` writes down every verdict there is. A page has other datasets and
functions checked by `check.check`, in the Python that runs in the page.
"""

from sensitivity_book.answers.check import check_answer

__all__ = ["check_answer"]
