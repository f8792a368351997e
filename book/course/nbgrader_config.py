"""How nbgrader marks the course: it reads what a notebook handed in, and runs nothing of it."""

import re

from nbformat.v4 import new_output
from nbgrader import preprocessors as steps
from nbgrader.api import Gradebook
from nbgrader.utils import is_grade, is_solution
from sensitivity_book.grading import BLANK, Verdict, grade, handed_in

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "sensitivity"
c.ClearSolutions.code_stub = {"python": "# Your lines come here."}
c.ClearSolutions.text_stub = "*Write your answer here.*"


class Judge(steps.NbGraderPreprocessor):
    """Put the verdict of the staff's hidden test below each answer, for nbgrader to count."""

    def preprocess(self, notebook, resources):
        about, cells = resources["nbgrader"], {}
        notebook.metadata = {"kernelspec": notebook.metadata.kernelspec}
        with Gradebook(about["db_url"]) as book:
            for cell in notebook.cells:
                name = cell.metadata.get("nbgrader", {}).get("grade_id")
                cells[name] = still(cell)
                if is_grade(cell) and not is_solution(cell):
                    source = book.find_source_cell(name, about["notebook"], about["assignment"])
                    above = cells.get(f"{name}-own", {}).get("outputs", ())
                    cell.outputs = [verdict(source.source, cell.get("outputs", ()), above)]
        return notebook, resources


def still(cell):
    """Take out what a browser would run where somebody reads it: all markup, outputs but text."""
    cell.metadata = {"nbgrader": cell.metadata.get("nbgrader", {})}
    cell.pop("attachments", None)
    for shown in (one for one in cell.get("outputs", ()) if "data" in one):
        shown.data = {"text/plain": shown.data.get("text/plain", "")}
    if cell.cell_type != "code":
        cell.source = re.sub("<(?=[^ ])", "< ", cell.source)
    return cell


def verdict(source, outputs, above):
    """What the hidden test of the staff's own cell says of the answer that was printed."""
    hidden = re.search("### BEGIN HIDDEN TESTS\n(.*)### END", source, re.DOTALL)[1]
    exec(hidden, scope := {})
    given = handed_in("".join(one.text for one in outputs if one.output_type == "stream"))
    try:
        said = grade(scope["judge"], given)
    except Exception as error:  # nobody's answer keeps the others from being marked
        said = Verdict(False, f"This answer cannot be read: {type(error).__name__}.")
    if said.right:
        return new_output("stream", text=f"Right. {said.words}".rstrip())
    stopped = [f"{one.ename}: {one.evalue}"[:500] for one in above if one.output_type == "error"]
    words = said.words if outputs else "This cell was not run. Run all cells, and save."
    words = f"The cell above stopped. {stopped[-1]}" if said == BLANK and stopped else words
    return new_output("error", ename="Not right", evalue=words, traceback=[words])


checks = [steps.DeduplicateIds, steps.OverwriteKernelspec, steps.OverwriteCells]
counts = [Judge, steps.LimitOutput, steps.SaveAutoGrades, steps.AssignLatePenalties]
c.Autograde.sanitize_preprocessors = [*checks, steps.CheckCellMetadata]
c.Autograde.autograde_preprocessors = [*counts, steps.CheckCellMetadata]
