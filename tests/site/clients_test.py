#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fathom serve --site with clients that take more than their share, and with clients that take their time."""
import contextlib
import os
import select
import shutil
import socket
import subprocess
import sys
import time

import http_test
from daemons import wait_for
from http_test import ANN, BOB, HEADER, STAFF, Server, fathom, jobs, postgres
from serving import receive

# As doc/API.md has them.
MOST, OF_ONE, QUESTIONS = 300, 60, 40
IDLE_S, REQUEST_S = 15, 20
LATE_S = 15  # of a machine that does something else


def request(server, path, *headers):
    return "\r\n".join([f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *headers, "", ""]).encode()


def is_open(connection):
    """Whether the server has not closed it; nothing is sent or taken."""
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    events = dict(poll.poll(0)).get(connection.fileno(), 0)
    try:
        return not events & (select.POLLERR | select.POLLHUP) and (not events or connection.recv(1, socket.MSG_PEEK) != b"")
    except OSError:
        return False


# ---- more than their share ----

ASK = ("import socket,sys; s=socket.create_connection(('127.0.0.1',int(sys.argv[1])), 60); "
       "s.sendall(f'GET /api/site/me HTTP/1.0\\r\\nHost: 127.0.0.1:{sys.argv[1]}\\r\\n\\r\\n'.encode()); print(s.makefile().read())")


def as_nobody(server):
    return subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", ASK, str(server.port)],
                          capture_output=True, text=True, check=False, timeout=120).stdout


def answers_on(server, connections, *headers):
    """How many of them are answered; the others are closed."""
    answered, ended = set(), set()
    poll = select.poll()
    for connection in connections:
        with contextlib.suppress(OSError):
            connection.sendall(request(server, "/assets/app.css", "If-None-Match: *", *headers))
        poll.register(connection, select.POLLIN)
    by_number = {connection.fileno(): connection for connection in connections}
    while len(answered) + len(ended) < len(connections) and (ready := poll.poll(60000)):
        for number, _ in ready:
            poll.unregister(number)
            try:
                (answered if by_number[number].recv(5) == b"HTTP/" else ended).add(number)
            except OSError:
                ended.add(number)
    return len(answered)


def check_connections(tap, store):
    with Server(store, "") as server:
        held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(MOST)]
        n = answers_on(server, held)
        tap.ok(n == OF_ONE, f"a user of this host has {OF_ONE} connections at a time", n)
        tap.ok('"user": "nobody"' in as_nobody(server), "another user is served meanwhile")
        for connection in held:
            connection.close()
        tap.ok(wait_for(lambda: server.ask("/api/site/me").status == 200), "and the first one again when those are closed")
    with Server(store, HEADER) as server:
        held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
        n = answers_on(server, held, f"X-Remote-User: {ANN}")
        tap.ok(n == 200, "a proxy that is trusted has as many as it needs", n)
        for connection in held:
            connection.close()


def check_questions(tap, address):
    """A table is locked, so that questions about it wait: of one user, then of another."""
    folder = address.split("host=", 1)[1]
    locking = subprocess.Popen([str(postgres.programs() / "psql"), "-q", "-X", address], stdin=subprocess.PIPE, text=True, cwd=folder)
    with Server(address, HEADER) as server:
        assert server.document("/api/site/jobs", user=BOB)
        locking.stdin.write("BEGIN; LOCK TABLE insights IN ACCESS EXCLUSIVE MODE;\n")
        locking.stdin.flush()
        wait_for(lambda: fathom("query", "SELECT COUNT(*) AS n FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = "
                                "'insights'::regclass", "--store", address, "--format", "csv").stdout.split() == ["n", "1"])
        waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(QUESTIONS + 5)]
        for number, connection in enumerate(waiting):
            connection.sendall(request(server, f"/api/site/insights?program=a{number}", f"X-Remote-User: {ANN}"))
        got = [receive(connection.makefile("rb")).status for connection in waiting]
        tap.ok(sorted(got) == [202] * QUESTIONS + [429] * 5, f"a user has {QUESTIONS} questions under way", got)
        others = [server.ask(path, user=BOB).status for path in ("/api/site/jobs", "/api/site/me", "/api/site/jobs?limit=3")]
        tap.ok(others == [200] * 3, "which keep nobody else from being answered", others)
        locking.stdin.write("ROLLBACK;\n")
        locking.stdin.close()
        locking.wait(60)
        tap.ok(wait_for(lambda: server.ask("/api/site/insights?program=b", user=ANN).status == 200), "later they are answered, too")
        for connection in waiting:
            connection.close()


# ---- slow clients ----

class Slow:
    """A client that does something every half second until it is closed."""

    def __init__(self, server, name, until_s, begins, step=None):
        self.name, self.until_s, self.step = name, until_s, step
        self.connection = socket.socket()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.connection.connect(("127.0.0.1", server.port))
        self.begun, self.ended = time.monotonic(), None
        self.connection.sendall(begins)
        self.connection.setblocking(False)

    def goes_on(self):
        closed = not is_open(self.connection)
        try:
            if self.step and not closed:
                self.step(self.connection)
        except BlockingIOError:
            pass
        except OSError:
            closed = True
        if closed:
            self.ended = time.monotonic() - self.begun
            self.connection.close()
        return not closed


def send_header(connection):
    connection.send(b"X-Slow: y\r\n")


def poke(connection):
    """A connection that is closed answers with a reset; one on which a response is sent does not read."""
    connection.send(b"\r\n")


def read_little(connection):
    poke(connection)
    connection.recv(1024)


def check_slow(tap, store):
    with Server(store, HEADER) as server:
        user = f"X-Remote-User: {ANN}"
        large = request(server, "/assets/app.js", user) * 30
        half = request(server, "/api/site/jobs", user)[:-2]
        slow = [Slow(server, "says nothing", IDLE_S, b""),
                Slow(server, "stops within the headers", IDLE_S, half),
                Slow(server, "sends a header now and then", REQUEST_S, half, send_header),
                Slow(server, "does not read the answer", IDLE_S, large, poke),
                Slow(server, "reads too little of the answer", IDLE_S, large, read_little)]
        bodies = [Slow(server, "sends a body slowly", 1, half + b"Content-Length: 100000\r\n\r\nx"),
                  Slow(server, "sends a body in pieces", 1, half + b"Transfer-Encoding: chunked\r\n\r\n5\r\nh")]
        answers = []
        for client in bodies:
            client.connection.settimeout(60)
            answers.append(receive(client.connection.makefile("rb")))
            tap.ok(answers[-1] is not None and answers[-1].status == 400 and answers[-1].headers["connection"] == "close",
                   f"who {client.name} is refused at once", answers[-1])
            client.connection.setblocking(False)
        left, worst = slow + bodies, 0
        limit = time.monotonic() + REQUEST_S + 2 * LATE_S
        while left and time.monotonic() < limit:
            left = [client for client in left if client.goes_on()]
            begun = time.monotonic()
            status = server.ask("/api/site/jobs?limit=1", user=BOB).status
            worst = max(worst, time.monotonic() - begun)
            if status != 200:
                tap.ok(False, "others are served", status)
                break
            time.sleep(0.5)
        for client in slow:
            tap.ok(client.ended is not None and client.until_s - 3 < client.ended < client.until_s + LATE_S,
                   f"who {client.name} is closed after {client.until_s} s", client.ended)
        tap.ok(all(client.ended is not None for client in bodies), "so are those with bodies", [client.ended for client in bodies])
        tap.ok(worst < LATE_S, "others are served meanwhile", worst)
    tap.ok(server.status == 0, "the server ends well", server.status)


def main():
    tap = jobs.Tap()
    if os.geteuid() != 0:
        tap.skip("clients of a site", "it needs root")
        return tap.done()
    os.environ.pop("FATHOM_STORE", None)
    os.environ["FATHOM_SITE_CONFIG"] = str(http_test.WORK / "none.conf")
    (http_test.WORK / "none.conf").touch()
    store = str(http_test.WORK / "few.db")
    fathom("init", "--no-spool", "--store", store)
    fathom("simulate", "--store", store, "--jobs", 50, "--users", 4)
    check_connections(tap, store)
    why = postgres.why_not()
    if why:
        tap.skip("questions that take long", why)
    else:
        with postgres.server() as address:
            fathom("init", "--no-spool", "--store", address)
            fathom("simulate", "--store", address, "--jobs", 50, "--users", 4)
            check_questions(tap, address)
    check_slow(tap, store)
    shutil.rmtree(http_test.WORK)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
