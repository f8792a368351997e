"""Make of each file a script that a page may load, from a file as from a server.

A page that was opened from a file may not fetch, but it may load scripts.  So each file becomes
one, `liveFile("name", packed, "…")`, its bytes in base64, and packed with gzip where that makes it
smaller. One set of files serves both.

Pyodide itself comes as two modules.  A page from a file can start only a classic worker, and not
every browser lets that import a module from memory.  So both become functions in one classic
script.
"""

import base64
import gzip
import json
import re

WORTH_PACKING = 0.95  # of its size


def wrap(name: str, content: bytes) -> str:
    """Return the script that hands a file to the page."""
    packed = gzip.compress(content, 9, mtime=0)
    worth = len(packed) < WORTH_PACKING * len(content)
    text = base64.b64encode(packed if worth else content).decode()
    return f'liveFile({json.dumps(name)},{json.dumps(worth)},"{text}")'


def classic(loader: str, module: str) -> str:
    """Return Pyodide's two modules, `pyodide.mjs` and `pyodide.asm.mjs`, as one classic script."""
    loader = replaced(r"export\{(\w+) as loadPyodide,\w+ as version\};", r"return \1;", loader, 1)
    module = replaced(
        r"export default _createPyodideModule;", "return _createPyodideModule;", module, 1
    )
    module = replaced(r"import\.meta\.url", '"http://files.invalid/"', module, 3)
    loader, module = (re.sub(r"//# sourceMappingURL=.*", "", part) for part in (loader, module))
    return (
        # Pyodide tells a module worker by this function, and uses nothing else of it.
        'self.importScripts = () => { throw new TypeError("this worker imports no scripts"); };\n'
        f"const loadPyodide = {function(loader)};\n"
        f"const createPyodideModule = {function(module)};\n"
    )


def function(body: str) -> str:
    """Return an expression that has the value which the body returns."""
    return f'(() => {{"use strict";\n{body}\n}})()'


def replaced(pattern: str, by: str, text: str, times: int) -> str:
    """Replace a pattern that must occur so many times."""
    text, found = re.subn(pattern, by, text)
    if found != times:
        raise ValueError(f"Pyodide must have {pattern} {times} times, got {found}")
    return text
