"""Debian's Firefox, started without a window, with nothing let out."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from bidi import Page
from wall import wall

PREFERENCES = {
    "network.proxy.type": 1,  # all but 127.0.0.1 goes to the wall
    "network.proxy.http": "127.0.0.1",
    "network.proxy.ssl": "127.0.0.1",
    "network.dns.disablePrefetch": True,
    "media.gmp-manager.updateEnabled": False,  # a driven Firefox asks for little else by itself
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "ui.prefersReducedMotion": 1,
}
ENVIRONMENT = {"MOZ_REMOTE_SETTINGS_DEVTOOLS": "1"}  # else it asks for its settings all the same


@contextmanager
def firefox(folder: Path) -> Iterator[Page]:
    """The page of a new Firefox, whose profile is in an empty folder."""
    command = [program(), "--headless", "--remote-debugging-port=0", "--profile", str(folder)]
    environment = {**os.environ, **ENVIRONMENT, "HOME": str(folder)}
    said = folder / "said.txt"
    with wall() as (port, asked), said.open("w", encoding="utf-8") as out:
        chosen = {**PREFERENCES, "network.proxy.http_port": port, "network.proxy.ssl_port": port}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(chosen[name])});" for name in chosen]
        (folder / "user.js").write_text("\n".join(lines), encoding="utf-8")
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
        try:
            yield Page(f"{listening(process, said)}/session", asked)
        finally:
            process.terminate()
            process.wait(60)


def program() -> str:
    """Where Firefox is; without one a reader's run is skipped, and a CI run fails."""
    found = shutil.which("firefox-esr") or shutil.which("firefox")
    if found is None:
        missing = "no Firefox found: the book was not looked at in Firefox"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return found


def listening(process: subprocess.Popen[bytes], said: Path) -> str:
    """Where a Firefox that was just started can be spoken to."""
    end = time.monotonic() + 60
    while not (found := re.search(r"listening on (ws://\S+)\n", said.read_text(encoding="utf-8"))):
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"Firefox did not start: {said.read_text(encoding='utf-8')}")
        time.sleep(0.05)
    return found[1]
