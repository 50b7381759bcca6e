"""A proxy that delays every byte to and from a server on this machine."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


@contextmanager
def slow_proxy(address: str, seconds: float) -> Iterator[str]:
    """Yield the address of a proxy of a server that adds `seconds` to a round trip."""
    proxy = _Proxy(address, seconds)
    begun = threading.Event()
    thread = threading.Thread(target=asyncio.run, args=(proxy.serve(begun),), daemon=True)
    thread.start()
    begun.wait()
    try:
        yield f"http://127.0.0.1:{proxy.port}/"
    finally:
        proxy.end()
        thread.join()


class _Proxy:
    """A proxy on a free port."""

    def __init__(self, address: str, seconds: float) -> None:
        place = urlsplit(address)
        self._host, self._server_port = place.hostname, place.port
        self._seconds = seconds
        self.port = 0

    async def serve(self, begun: threading.Event) -> None:
        """Serve until `end`, which other threads may call once `begun` is set."""
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        begun.set()
        await self._ended.wait()
        server.close()

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(self._seconds)  # The handshake of a connection takes a round trip.
        answers, requests = await asyncio.open_connection(self._host, self._server_port)
        with suppress(ConnectionError):
            await asyncio.gather(self._carry(reader, requests), self._carry(answers, writer))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward data in order, half a round trip later, and then the end of the stream."""
        parts: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def deliver() -> None:
            while True:
                due, part = await parts.get()
                await asyncio.sleep(due - self._loop.time())
                if not part:
                    writer.close()
                    return
                writer.write(part)

        delivering = asyncio.create_task(deliver())
        while part := await reader.read(65536):
            parts.put_nowait((self._loop.time() + self._seconds / 2, part))
        parts.put_nowait((self._loop.time(), b""))
        await delivering
