"""Debian's Firefox without a window, with nothing let out, spoken to in WebDriver BiDi."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import websocket
from conftest import needed

PREFERENCES = {
    "network.proxy.type": 1,  # all but 127.0.0.1 goes to a port where nobody listens
    **dict.fromkeys(("network.proxy.http", "network.proxy.ssl"), "127.0.0.1"),
    **dict.fromkeys(("network.proxy.http_port", "network.proxy.ssl_port"), 9),
    "network.dns.disablePrefetch": True,
    "media.gmp-manager.updateEnabled": False,  # a driven Firefox asks for little else by itself
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "ui.prefersReducedMotion": 1,
}
OWN = ("file:", "data:", "blob:", "http://127.0.0.1:")
ENVIRONMENT = {"MOZ_REMOTE_SETTINGS_DEVTOOLS": "1"}  # else it asks for its settings all the same


class Page:
    """The one page of a running browser, and what it did since it was opened."""

    def __init__(self, address: str) -> None:
        self.requests: list[str] = []  # files do not count
        self.errors: list[str] = []  # raised by a script, or told the console
        self.socket = websocket.create_connection(address, timeout=300, suppress_origin=True)
        self.count = 0
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        created = self.call("browsingContext.create", type="tab")  # the first has no focus
        self.context = created["context"]

    def call(self, method: str, **params: Any) -> Any:
        """Send a command, and note all that happens before its answer."""
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": params}))
        while (message := json.loads(self.socket.recv())).get("id") != self.count:
            self.note(message.get("method"), message["params"])
        if message["type"] == "error":
            raise RuntimeError(f"{method}: {message['message']}")
        return message["result"]

    def note(self, event: str, params: Any) -> None:
        if event == "network.beforeRequestSent":
            self.requests.append(params["request"]["url"])
        elif params["level"] == "error":
            self.errors.append(params["text"])

    def visit(self, address: str) -> None:
        self.requests.clear()
        self.errors.clear()
        self.call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def faults(self) -> list[str]:
        """Its errors, and every request for another machine."""
        self.evaluate("0")  # what is under way has been told before this is answered
        sent = [url for url in self.requests if not url.startswith(OWN)]
        return [*self.errors, *sent]

    def size(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self.call("browsingContext.setViewport", context=self.context, viewport=size)

    def evaluate(self, js: str) -> Any:
        """The value of an expression, or of its promise."""
        code = f"(async () => JSON.stringify(await ({js})) ?? 'null')()"
        where = {"context": self.context}
        found = self.call("script.evaluate", expression=code, target=where, awaitPromise=True)
        if found["type"] == "exception":
            raise RuntimeError(found["exceptionDetails"]["text"])
        return json.loads(found["result"]["value"])

    def wait_for(self, js: str, seconds: float = 30) -> Any:
        """The value of an expression, as soon as it is a true one."""
        end = time.monotonic() + seconds
        while not (value := self.evaluate(js)):
            if time.monotonic() > end:
                raise TimeoutError(f"not within {seconds} s: {js}. Errors: {self.errors}")
            time.sleep(0.1)
        return value

    def click(self, css: str, nth: int = 0) -> None:
        self.evaluate(f"document.querySelectorAll({json.dumps(css)})[{nth}].click()")

    def press(self, key: str) -> None:
        keys = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        actions = [{"type": "key", "id": "keys", "actions": keys}]
        self.call("input.performActions", context=self.context, actions=actions)


@contextmanager
def firefox(folder: Path) -> Iterator[Page]:
    """The page of a new Firefox, whose profile is in an empty folder."""
    missing = "no Firefox found: the book was not looked at in Firefox"
    program = needed(shutil.which("firefox-esr") or shutil.which("firefox"), missing)
    command = [program, "--headless", "--remote-debugging-port=0", "--profile", str(folder)]
    environment = {**os.environ, **ENVIRONMENT, "HOME": str(folder)}
    said = folder / "said.txt"
    chosen = [
        f"user_pref({json.dumps(one)}, {json.dumps(PREFERENCES[one])});" for one in PREFERENCES
    ]
    (folder / "user.js").write_text("\n".join(chosen), encoding="utf-8")
    with said.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
        try:
            yield Page(f"{listening(process, said)}/session")
        finally:
            process.terminate()
            process.wait(60)


def listening(process: subprocess.Popen[bytes], said: Path) -> str:
    """Where a Firefox that was just started can be spoken to."""
    end = time.monotonic() + 60
    while not (found := re.search(r"listening on (ws://\S+)\n", said.read_text(encoding="utf-8"))):
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"Firefox did not start: {said.read_text(encoding='utf-8')}")
        time.sleep(0.05)
    return found[1]
