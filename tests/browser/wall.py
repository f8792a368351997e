"""A proxy that lets nothing through: what a browser asks of other machines ends here, and is known."""

from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread


@contextmanager
def wall() -> Iterator[tuple[int, list[str]]]:
    """Its port, and the first line of each request that came."""
    asked: list[str] = []

    class Refusal(StreamRequestHandler):
        def handle(self) -> None:
            asked.append(self.rfile.readline().decode("latin-1").strip())
            self.wfile.write(b"HTTP/1.1 502 Nothing leaves\r\n\r\n")

    with ThreadingTCPServer(("127.0.0.1", 0), Refusal) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_address[1], asked
        finally:
            server.shutdown()
