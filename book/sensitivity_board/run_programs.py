"""Run programs and write down what they say: python run_programs.py FILE PROGRAM.py ...

The Python is any that has the programs' library: nothing else is imported. Of each program the
file gets, as JSON by its name, DATASETS, `claim()` and `answer` of both; or its error.
"""

import importlib.util
import json
import sys
import traceback
from pathlib import Path


def main(file, *programs):
    told = {Path(path).stem: said(path) for path in programs}
    Path(file).write_text(json.dumps(told, default=plain), encoding="utf-8")


def said(path):
    """What one program says; a program that raises does not stop the others."""
    try:
        spec = importlib.util.spec_from_file_location("program", path)
        program = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(program)
        datasets = list(program.DATASETS)
        answers = [program.answer(dataset) for dataset in datasets]
        return {"datasets": datasets, "claim": program.claim(), "answers": answers}
    except Exception as error:
        return {"error": traceback.format_exception_only(error)[-1].strip()}


def plain(value):
    """A number or an array of NumPy as Python's own; a fraction as the board writes it."""
    return value.tolist() if hasattr(value, "tolist") else {"number": str(value)}


if __name__ == "__main__":
    main(*sys.argv[1:])
