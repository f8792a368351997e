"""DuckDB's own worker script as a function, so that Python and DuckDB share one worker.

What it would take from the worker it is given instead: where it answers, and where it fetches from.  So it
reads nothing but the files that it is handed, and asks nobody for anything.
"""

import re

GIVEN = "globalThis, self, console, XMLHttpRequest, fetch, process, require, module, exports"


def classic(script: str) -> str:
    """Return a classic script that makes of DuckDB's script a function, `duckdb`."""
    if not script.startswith('"use strict";var duckdb='):
        raise ValueError("DuckDB's script must define duckdb")
    for name, times in {"globalThis.onmessage": 1, "globalThis.postMessage": 1}.items():
        if (found := script.count(name)) != times:
            raise ValueError(f"DuckDB's script must have {name} {times} times, got {found}")
    body = re.sub(r"//# sourceMappingURL=.*", "", script)
    return f"const duckdb = ({GIVEN}) => {{\n{body}\n}};\n"
