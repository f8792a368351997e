"""A browser that is spoken to in WebDriver BiDi, as it speaks it itself: no driver is needed."""

import json
import time
from base64 import b64decode
from pathlib import Path
from typing import Any

import websocket

OWN = ("file:", "data:", "blob:", "http://127.0.0.1:")


class Page:
    """The one page of a running browser, and what it did since it was opened."""

    def __init__(self, address: str, asked: list[str]) -> None:
        self.requests: list[str] = []  # files do not count
        self.errors: list[str] = []  # raised by a script, or told the console
        self.asked = asked  # of other machines, by anything in this browser
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
        for noted in (self.requests, self.errors, self.asked):
            noted.clear()
        self.call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def faults(self) -> list[str]:
        """Its errors, and every request for another machine: as it was sent, and as it met the wall."""
        self.evaluate("0")  # what is under way has been told before this is answered
        sent = [url for url in self.requests if not url.startswith(OWN)]
        return [*self.errors, *sent, *self.asked]

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

    def where(self, css: str, nth: int = 0) -> dict[str, int]:
        """The middle of a part, which is brought into the window."""
        look = "part => (part.scrollIntoView({block: 'center'}), part.getBoundingClientRect())"
        box = self.evaluate(f"({look})(document.querySelectorAll({json.dumps(css)})[{nth}])")
        return {"x": int(box["x"] + box["width"] / 2), "y": int(box["y"] + box["height"] / 2)}

    def point(self, css: str, nth: int = 0) -> None:
        """Move the mouse there, where it stays."""
        self.act("pointer", [{"type": "pointerMove", **self.where(css, nth)}])

    def pull(self, hand: str, css: str, x: int, y: int) -> None:
        """Pull a part so many pixels to the right and down, by `mouse` or by `touch`."""
        at = self.where(css)
        moved = [{"x": at["x"] + x * i // 4, "y": at["y"] + y * i // 4} for i in range(5)]
        first, *ends = ({"type": "pointerMove", **one} for one in moved)
        down, up = ({"type": f"pointer{way}", "button": 0} for way in ("Down", "Up"))
        self.act("pointer", [first, down, *ends, up], hand)

    def click(self, css: str, nth: int = 0) -> None:
        self.point(css, nth)
        self.act("pointer", [{"type": f"pointer{way}", "button": 0} for way in ("Down", "Up")])

    def press(self, *keys: str) -> None:
        self.act("key", [{"type": k, "value": key} for key in keys for k in ("keyDown", "keyUp")])

    def act(self, device: str, actions: list[dict[str, Any]], hand: str = "mouse") -> None:
        source: dict[str, Any] = {"type": device, "id": f"{device} {hand}", "actions": actions}
        if device == "pointer":
            source["parameters"] = {"pointerType": hand}
        self.call("input.performActions", context=self.context, actions=[source])

    def screenshot(self, path: Path) -> None:
        shot = self.call("browsingContext.captureScreenshot", context=self.context)
        path.write_bytes(b64decode(shot["data"]))
