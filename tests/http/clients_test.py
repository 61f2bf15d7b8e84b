#!/usr/bin/env python3
"""fathom serve with many clients, and with clients that take their time."""
import concurrent.futures
import select
import socket
import time

import serving
from serving import jobs

MANY, MOST = 200, 300


def test_many(tap, server):
    """All connections are open at once, and each asks several times."""
    paths = [f"/api/profile/{row['id']}/{part}" for row in server.profiles().values()
             for part in ("summary", "ranks", "mpi", "timers", "modules")] + ["/api/list", "/", "/api/jobs"]

    def ask(connection, number):
        stream = connection.makefile("rb")
        got = []
        for i in range(4):
            connection.sendall(server.text(paths[(number + i) % len(paths)], headers=["Accept-Encoding: gzip"]))
            got.append(serving.receive(stream))
        return got

    connections = [server.connect() for _ in range(MANY)]
    with concurrent.futures.ThreadPoolExecutor(MANY) as pool:
        answers = [answer for future in [pool.submit(ask, c, i) for i, c in enumerate(connections)] for answer in future.result()]
    bad = [answer for answer in answers if answer is None or answer.status not in (200, 202)]
    tap.ok(len(answers) == 4 * MANY and not bad, f"{MANY} clients at once get what they ask for", bad[:5])
    for connection in connections:
        connection.close()


def test_same(tap, server):
    """The same slice, which nobody has asked for yet."""
    path = f"/api/profile/{list(server.profiles().values())[-1]['id']}/sequence"
    with concurrent.futures.ThreadPoolExecutor(MANY) as pool:
        bodies = {future.result().body for future in [pool.submit(server.ask, path) for _ in range(MANY)]}
    tap.equal(len(bodies), 1, "all get the same")


def test_slow(tap, server):
    """Clients that send a byte now and then do not keep others waiting, and are not waited for for ever."""
    slow = [server.connect() for _ in range(50)]
    request = server.text("/api/list", headers=["X: " + "y" * 500])
    for connection in slow[:25]:
        connection.sendall(request[:20])
    reading = slow[-1]  # asks and does not read
    reading.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    known = next(iter(server.profiles().values()))["id"]
    reading.sendall(server.text(f"/api/profile/{known}/mpi") * 20)
    got = [server.ask("/api/list").status for _ in range(20)]
    tap.equal(got, [200] * 20, "slow clients keep nobody waiting")
    sent, ended = 20, False
    limit = time.monotonic() + serving.LIMIT_S * 2
    trickling = slow[0]
    trickling.setblocking(False)
    while not ended and time.monotonic() < limit:
        try:
            trickling.send(request[sent:sent + 1])
            sent += 1
            ended = trickling.recv(1) == b""
        except BlockingIOError:
            pass
        except ConnectionError:
            ended = True
        assert sent < len(request) - 10
        if not ended:
            time.sleep(0.5)
    tap.ok(ended, "a request that never ends is ended")
    for connection in slow:
        connection.close()


def test_too_many(tap, server):
    """Those that are too many wait until others have gone."""
    connections = [server.connect() for _ in range(MOST + 50)]
    answered = set()
    poll = select.poll()
    for connection in connections:
        connection.sendall(server.text("/api/jobs"))
        poll.register(connection, select.POLLIN)
    while len(answered) < MOST and (ready := poll.poll(serving.LIMIT_S * 1000)):
        for fd, _ in ready:
            poll.unregister(fd)
            answered.add(fd)
    more = poll.poll(300)
    tap.ok(len(answered) == MOST and not more, f"{MOST} connections are served at a time", len(answered), more)
    waiting = [connection for connection in connections if connection.fileno() not in answered]
    for connection in connections:
        if connection.fileno() in answered:
            connection.close()
    got = []
    for connection in waiting:
        with connection, connection.makefile("rb") as stream:
            got.append(serving.receive(stream).status)
    tap.equal(got, [200] * 50, "the others when those have gone")


def main():
    tap = jobs.Tap()
    folder = serving.old_profiles()
    with serving.Server(folder) as server:
        test_many(tap, server)
        test_same(tap, server)
        test_slow(tap, server)
        test_too_many(tap, server)
        tap.equal((server.end(), server.process.stderr.read()), (0, ""), "the server ends well")
    tap.done()


if __name__ == "__main__":
    main()
