"""A `fathom serve` for tests, and requests to it written byte by byte: no library in between makes them any better."""
import gzip
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parent.parent.parent))
sys.path.insert(0, str(SOURCE / "tests/jobs"))
import jobs  # noqa: E402

OLD = SOURCE / "tests/format/old/0.1.0"
LIMIT_S = 60


class Response:
    """What came back: status, headers (names in lower case), body as sent and as meant."""

    def __init__(self, status, headers, raw):
        self.status, self.headers, self.raw = status, headers, raw
        self.body = gzip.decompress(raw) if headers.get("content-encoding") == "gzip" else raw

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:300]!r}"


def receive(stream, head=False):
    """Reads one response from a file of a connection; None if the connection was closed."""
    line = stream.readline(65536)
    if not line:
        return None
    status = int(line.split()[1])
    headers = {}
    while (line := stream.readline(65536)) not in (b"\r\n", b"\n", b""):
        name, value = line.decode("latin-1").split(":", 1)
        headers[name.lower()] = value.strip()
    if head or status in (204, 304):
        return Response(status, headers, b"")
    if headers.get("transfer-encoding") == "chunked":
        raw = b""
        while size := int(stream.readline().split(b";")[0], 16):
            raw += stream.read(size)
            stream.readline()
        stream.readline()
        return Response(status, headers, raw)
    return Response(status, headers, stream.read(int(headers.get("content-length", 0))))


class Server:
    """`with Server(...) as server:` serves the given places, and ends with the block."""

    def __init__(self, *words, env=None, prefix=(), cwd=None, session=False):
        self.segments = pathlib.Path(tempfile.mkdtemp(prefix="segments-", dir=jobs.SCRATCH))
        self.process = subprocess.Popen(
            [*prefix, jobs.FATHOM, "serve", *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, cwd=cwd, start_new_session=session,
            env=jobs.environment((env or {}).get("FATHOM_DIR", self.segments), env))
        self.path = self.port = None
        self.line = self.process.stdout.readline()
        self.token = ""
        match = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})\n", self.line)
        if match:
            self.port, self.token = int(match[1]), match[2]
        elif self.line.startswith("Serving at "):
            self.path = self.line.split()[2].rstrip(";")
            self.line += self.process.stdout.readline()
            self.token = re.search(r"token=([0-9a-f]{32})\n", self.line)[1]

    def __enter__(self):
        assert self.token, (self.line, self.process.stderr.read())
        return self

    def __exit__(self, *_):
        self.end()

    def end(self, sent=15):
        """Sends the signal and returns the status."""
        if self.process.poll() is None:
            self.process.send_signal(sent)
        try:
            return self.process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "no end"

    @property
    def host(self):
        return f"127.0.0.1:{self.port}" if self.port else "localhost:8080"

    def connect(self):
        if self.path:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(LIMIT_S)
            connection.connect(self.path)
            return connection
        return socket.create_connection(("127.0.0.1", self.port), timeout=LIMIT_S)

    def text(self, path, method="GET", host=None, token=True, headers=(), version="HTTP/1.1"):
        """The bytes of a request; `token`: True for the right one as Bearer, None for none."""
        lines = [f"{method} {path} {version}"]
        if host is not False:
            lines.append(f"Host: {host or self.host}")
        if token:
            lines.append(f"Authorization: Bearer {self.token if token is True else token}")
        return "\r\n".join([*lines, *headers, "", ""]).encode("latin-1")

    def ask(self, path, **how):
        """One request on a connection of its own."""
        with self.connect() as connection:
            connection.sendall(self.text(path, **how))
            with connection.makefile("rb") as stream:
                return receive(stream, how.get("method") == "HEAD")

    def document(self, path):
        """The JSON at a path; asks again while the server reads."""
        while (response := self.ask(path)).status == 202:
            pass
        assert response.status == 200, response
        return response.json()

    def profiles(self):
        return {pathlib.Path(row["file"]).name: row for row in self.document("/api/list")["profiles"]}


def old_profiles():
    """A directory with copies of profiles of an earlier version."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="profiles-", dir=jobs.SCRATCH))
    for file in OLD.glob("*.fathom"):
        shutil.copy(file, folder)
    return folder
