"""A server with one worker. While few wait for it a call takes 5 ms; once many do, each takes 25 ms, as where memory is
swapped or a lock is fought for."""

import asyncio
import sys

MANY = 20
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


class Worker:
    def __init__(self):
        self.waiting = 0
        self.lock = asyncio.Lock()

    async def work(self):
        self.waiting += 1
        try:
            async with self.lock:
                await asyncio.sleep(0.025 if self.waiting > MANY else 0.005)
        finally:
            self.waiting -= 1


async def main():
    worker = Worker()

    async def serve(reader, writer):
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                await worker.work()
                writer.write(ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), backlog=128)
    await server.serve_forever()


asyncio.run(main())
