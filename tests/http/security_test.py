#!/usr/bin/env python3
"""fathom serve answers its own user, and nobody and nothing else."""
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile

import serving
from serving import jobs

REFUSED = b"fathom serve: "


def flipped(token, place):
    return token[:place] + ("0" if token[place] != "0" else "1") + token[place + 1:]


def test_token(tap, server):
    wrong = {"none": "/", "empty": "/?token=", "wrong": "/?token=" + "0" * 32, "short": "/?token=" + server.token[:-1],
             "long": f"/?token={server.token}0", "upper case": "/?token=" + flipped(server.token, 0).upper()}
    wrong |= {f"character {place} differs": "/?token=" + flipped(server.token, place) for place in (0, 15, 31)}
    for name, path in wrong.items():
        got = server.ask(path, token=None)
        tap.ok(got.status == 403 and got.body.startswith(REFUSED) and got.body.count(b".\n") == 1 and
               "set-cookie" not in got.headers and server.token.encode() not in got.body, f"token: {name}", got)
    for path in ("/api/list", "/assets/app.js", "/api/jobs", "/nothing"):
        tap.equal(server.ask(path, token=None).status, 403, f"{path} needs it, too")
        tap.equal(server.ask(f"{path}?token={server.token}", token=None).status, 403, f"{path} takes none in its query")
    for name, given in {"wrong": "0" * 32, "last character": flipped(server.token, 31), "longer": server.token + "0"}.items():
        tap.equal(server.ask("/api/list", token=given).status, 403, f"Bearer: {name}")
    tap.equal(server.ask("/api/list", token=None, headers=[f"Authorization: Basic {server.token}"]).status, 403,
              "another scheme of authorization")
    tap.equal(server.ask("/api/list").status, 200, "Bearer: right")


def test_cookie(tap, server):
    got = server.ask(f"/?token={server.token}", token=None)
    cookie = got.headers.get("set-cookie", "")
    name, value = cookie.split(";")[0].split("=")
    tap.ok(got.status == 303 and got.headers["location"] == "/" and got.headers["cache-control"] == "no-store",
           "the right token leads to /, without the token", got)
    tap.equal(sorted(cookie.split("; ")[1:]), ["HttpOnly", "Path=/", "SameSite=Strict"], "the cookie is for this server")
    tap.equal((name, value), (f"fathom-{server.port}", server.token), "its name has the port")
    for path in ("/", "/api/list"):
        tap.equal(server.ask(path, token=None, headers=[f"Cookie: a=b; {name}={value}; c=d"]).status, 200,
                  f"{path} with the cookie")
    for what, given in {"another value": f"{name}={flipped(value, 7)}", "another port": f"fathom-1={value}",
                        "no value": name, "empty": f"{name}="}.items():
        tap.equal(server.ask("/api/list", token=None, headers=[f"Cookie: {given}"]).status, 403, f"cookie: {what}")


def test_host(tap, server):
    for host in (f"127.0.0.1:{server.port}", f"localhost:{server.port}"):
        tap.equal(server.ask("/api/list", host=host).status, 200, f"host {host.split(':')[0]}")
    wrong = ["attacker.example", f"attacker.example:{server.port}", "127.0.0.1", "localhost", f"127.0.0.1:{server.port + 1}",
             f"127.0.0.1.attacker.example:{server.port}", f"localhost.attacker.example:{server.port}",
             f"0.0.0.0:{server.port}", f"127.0.0.1:{server.port}@attacker.example", f"[::1]:{server.port}"]
    for host in wrong:
        tap.equal(server.ask("/api/list", host=host).status, 403, f"host {host.replace(str(server.port), 'PORT')}")
    tap.equal(server.ask("/api/list", host=False, version="HTTP/1.0").status, 403, "no host")
    got = server.ask("/api/list", headers=["Host: attacker.example"])
    tap.ok(got is None or got.status in (400, 403), "two hosts", got)
    tap.equal(server.ask(f"/?token={server.token}", host="attacker.example", token=None).status, 403,
              "a name that was made to point here gets no cookie")


def test_origin(tap, server):
    def status(*headers):
        return server.ask("/api/list", headers=headers).status

    tap.equal(status(f"Origin: http://127.0.0.1:{server.port}"), 200, "own origin")
    for origin in ("http://attacker.example", "null", f"https://127.0.0.1:{server.port}", "http://127.0.0.1",
                   f"http://127.0.0.1:{server.port + 1}", f"http://127.0.0.1:{server.port}.attacker.example",
                   f"http://localhost:{server.port}"):
        tap.equal(status(f"Origin: {origin}"), 403, f"origin {origin.replace(str(server.port), 'PORT')}")
    for site, wanted in {"same-origin": 200, "none": 200, "same-site": 403, "cross-site": 403, "": 403}.items():
        tap.equal(status(f"Sec-Fetch-Site: {site}"), wanted, f"Sec-Fetch-Site: {site or '(empty)'}")
    tap.equal(server.ask(f"/?token={server.token}", token=None, headers=["Sec-Fetch-Site: cross-site"]).status, 403,
              "a link of another site")


def test_methods(tap, server):
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "get"):
        got = server.ask("/api/list", method=method, headers=["Content-Length: 0"])
        tap.ok(got is None or got.status in (400, 405, 501), f"{method} is refused", got)
    got = server.ask("/api/list", method="HEAD")
    tap.ok(got.status == 200 and int(got.headers["content-length"]) > 0, "HEAD", got)
    with server.connect() as connection:
        connection.sendall(server.text("/api/list", headers=["Content-Length: 5"]) + b"hello")
        with connection.makefile("rb") as stream:
            got = serving.receive(stream)
            tap.ok(got.status == 400 and serving.receive(stream) is None, "a body is refused, and the connection closed", got)
    for value in ("chunked", "gzip, chunked"):
        with server.connect() as connection:
            connection.sendall(server.text("/api/list", headers=[f"Transfer-Encoding: {value}"]) + b"5\r\nhello\r\n0\r\n\r\n")
            with connection.makefile("rb") as stream:
                got = serving.receive(stream)
                tap.ok(got is None or got.status in (400, 501), f"so is one that is {value}", got)


def test_paths(tap, server, folder):
    secret = folder / "secret"
    secret.write_text("not for you")
    known = next(iter(server.profiles().values()))["id"]
    paths = ["/api/profile/../..", "/api/profile/../../etc/passwd", f"/api/profile/{known}/../../../etc/passwd",
             "/api/profile/%2e%2e/%2e%2e/etc/passwd", f"/api/profile/{known}/%2e%2e%2fsecret", "/../../etc/passwd",
             "//etc/passwd", "/etc/passwd", "/secret", f"/{secret}", "/assets/../secret", "/assets/app.js/../../secret",
             f"/api/profile/{known}/sources//etc/passwd", f"/api/profile/{known}/sources/%2fetc%2fpasswd",
             f"/api/profile/{known}/..\\..\\secret", f"/api/profile/{known}/summary%00", "/api/list%00", "/api/list/",
             f"/api/profile/{known}/", f"/api/profile/{known}", f"/api/profile/{known.upper()}/summary",
             f"/api/profile/{known[:-1]}/summary", f"/api/profile/{'0' * 16}/summary", f"/api/profile/{known}/summary/",
             f"/api/profile/{known}/tree/calls/-1", f"/api/profile/{known}/tree/calls/99999999999999999999999",
             f"/api/profile/{known}/topology/999999999999/0/0", f"/api/profile/{known}/" + "a" * 200,
             "/api/job/../../summary", "/api/job/%2e%2e/summary", "/api/job/nobody/summary", "/api/job/nobody/stream",
             "/api/scale/../list", "/?x=1&token2=3"]
    for path in paths[:-1]:
        got = server.ask(path)
        tap.ok(got.status in (400, 404) and b"root:" not in got.body and b"not for you" not in got.body,
               f"nothing at {path.replace(known, 'ID').replace(str(folder), 'DIR')[:60]}", got)
    for path in ("/\r\nX: y", "api/list", "*"):
        got = server.ask(path)
        tap.ok(got is None or got.status != 200, f"no page at {path!r}", got)
    for query in ("", "?mode=strong", f"?mode=strong&profiles={known}", f"?mode=x&profiles={known},{known}",
                  f"?mode=same&profiles={known},../../etc/passwd", f"?mode=same&profiles={known},{known}",
                  f"?mode=strong&profiles={','.join([known] * 40)}", "?mode=strong&profiles=,", f"?mode=same&profiles={known},"):
        tap.equal(server.ask("/api/scale" + query).status, 400, f"no comparison of {query.replace(known, 'ID')[:50]}")


def test_sizes(tap, server):
    for name, path in {"2,000 characters": "/" + "a" * 2000, "a long query": "/api/list?" + "b" * 1500}.items():
        tap.ok(server.ask(path).status in (200, 404), f"an address of {name} is read")
    for name, path in {"path": "/" + "a" * 3000, "query": "/api/list?" + "b" * 3000, "huge path": "/" + "a" * 100000}.items():
        got = server.ask(path)
        tap.ok(got is None or got.status in (414, 431), f"long address: {name}", got)
    for name, headers in {"one": ["X: " + "y" * 50000], "many": [f"X-{i}: y" for i in range(5000)]}.items():
        try:
            got = server.ask("/api/list", headers=headers)
        except ConnectionError:
            got = None
        tap.ok(got is None or got.status in (400, 413, 431), f"large headers: {name}", got)
    for name, sent in {"zeros": b"\0" * 5000, "noise": os.urandom(5000), "no version": b"GET /\r\n\r\n",
                       "no request": b"\r\n" * 3000, "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 300}.items():
        with server.connect() as connection:
            try:
                connection.sendall(sent)
                connection.shutdown(1)
                answer = connection.recv(12)
            except ConnectionError:
                answer = b""
        tap.ok(b" 200" not in answer, f"{name} is no request", answer)
    tap.equal(server.ask("/api/list").status, 200, "and the server goes on")


def test_headers(tap, server):
    known = next(iter(server.profiles().values()))["id"]
    for path, token in {"/": True, "/api/list": True, f"/api/profile/{known}/summary": True, "/nothing": True, "/x": None}.items():
        headers = server.ask(path, token=token).headers
        policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
        tap.ok(policy["default-src"] == "'none'" and policy["script-src"] == "'self'" and policy["frame-ancestors"] == "'none'"
               and policy["base-uri"] == "'none'" and policy["form-action"] == "'none'" and policy["connect-src"] == "'self'"
               and headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
               and headers["cross-origin-resource-policy"] == "same-origin" and "access-control-allow-origin" not in headers,
               f"headers of {path.replace(known, 'ID')}{'' if token else ', refused'}", headers)
    page = server.ask("/").body.decode()
    tap.ok("<script defer src=" in page or "built without" in page, "the page has no script of its own", page)


def test_socket(tap, folder):
    place = pathlib.Path(tempfile.mkdtemp(prefix="s-", dir="/tmp"))
    try:
        path = place / "socket"
        with serving.Server(folder, "--socket", path) as server:
            mode = os.stat(path)
            tap.ok(stat.S_ISSOCK(mode.st_mode) and stat.S_IMODE(mode.st_mode) == 0o600, "only the owner can use the socket")
            tap.ok(f"ssh -L 8080:{path} " in server.line and f"http://localhost:8080/?token={server.token}" in server.line,
                   "the line for ssh is printed", server.line)
            for host, wanted in {"localhost:8080": 200, "localhost:9": 200, "localhost": 200, "127.0.0.1:8080": 200,
                                 "attacker.example:8080": 403, "localhost.attacker.example": 403, "localhost:x": 403,
                                 "localhost:123456": 403}.items():
                tap.equal(server.ask("/api/list", host=host).status, wanted, f"socket: host {host}")
            tap.equal(server.ask("/api/list", token=None).status, 403, "socket: the token is needed, too")
            test_other_user(tap, server, place, path)
            second = subprocess.run([jobs.FATHOM, "serve", folder, "--socket", path], capture_output=True, text=True, check=False)
            tap.ok(second.returncode == 1 and "is used by another server" in second.stderr, "a socket in use stays", second)
        tap.ok(not path.exists(), "it is removed at the end")
        with serving.Server(folder, "--socket", path) as server:
            server.end(9)
        tap.ok(path.exists(), "after SIGKILL it is still there")
        with serving.Server(folder, "--socket", path) as server:
            tap.equal(server.ask("/api/list").status, 200, "and the next server replaces it")
        path.write_text("a file of mine")
        failed = subprocess.run([jobs.FATHOM, "serve", folder, "--socket", path], capture_output=True, text=True, check=False)
        tap.ok(failed.returncode == 1 and path.read_text() == "a file of mine" and "not a socket" in failed.stderr,
               "a file is not replaced", failed)
        open_to_all = place / "open"
        open_to_all.mkdir()
        open_to_all.chmod(0o777)
        failed = subprocess.run([jobs.FATHOM, "serve", folder, "--socket", open_to_all / "s"], capture_output=True, text=True,
                                check=False)
        tap.ok(failed.returncode == 1 and failed.stderr.count("\n") == 1 and "other users could replace" in failed.stderr,
               "not in a directory where others can replace it", failed)
        failed = subprocess.run([jobs.FATHOM, "serve", folder, "--socket", place / ("x" * 120)], capture_output=True, text=True,
                                check=False)
        tap.ok(failed.returncode == 2 and "1 to 107 bytes" in failed.stderr, "not with a path that is too long", failed)
    finally:
        shutil.rmtree(place)


def test_other_user(tap, server, place, path):
    if os.getuid() != 0 or not shutil.which("setpriv"):
        tap.skip("another user", "needs root and setpriv")
        return
    import users
    place.chmod(0o755)
    asking = ("import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n"
              "s.sendall(sys.argv[2].encode())\nprint(s.recv(65536).decode())")

    def ask():
        request = server.text("/api/list").decode()
        return subprocess.run([*users.ALONE, "/usr/bin/python3", "-c", asking, path, request], capture_output=True, text=True,
                              check=False)

    got = ask()
    tap.ok(got.returncode != 0 and "PermissionError" in got.stderr, "another user cannot connect", got)
    path.chmod(0o666)
    got = ask()
    tap.ok(" 403 " in got.stdout.splitlines()[0] and "another user" in got.stdout,
           "nor ask, if the socket were open to all, even with the token", got)
    path.chmod(0o600)


def test_other_user_of_port(tap, server):
    """Another user is not listened to, even with the token, and cannot take the connections of the user."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        tap.skip("another user at the port", "needs root and setpriv")
        return
    import users
    asking = ("import socket, sys\n"
              "try:\n"
              "    s = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
              "    s.sendall(sys.argv[2].encode())\n"
              "    print('got', len(s.recv(65536)))\n"
              "except ConnectionError:\n"
              "    print('got 0')\n")
    request = server.text("/api/list").decode()
    got = {who: subprocess.run([*prefix, "/usr/bin/python3", "-c", asking, str(server.port), request], capture_output=True,
                               text=True, check=False).stdout.split() for who, prefix in (("other", users.ALONE), ("own", []))}
    tap.ok(got["other"] == ["got", "0"] and int(got["own"][1]) > 0, "another user gets nothing at the port", got)
    taking = ("import socket, sys\n"
              "kept = []\n"
              "for i in range(400):\n"
              "    kept.append(socket.create_connection(('127.0.0.1', int(sys.argv[1]))))\n"
              "print('taken', flush=True)\n"
              "sys.stdin.read()")
    with subprocess.Popen([*users.ALONE, "/usr/bin/python3", "-c", taking, str(server.port)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as taker:
        said = taker.stdout.readline()
        with server.connect() as connection:
            connection.sendall(server.text("/api/list"))
            connection.settimeout(10)  # an unfinished request of another user would be waited for 20 s
            with connection.makefile("rb") as stream:
                try:
                    status = serving.receive(stream).status
                except TimeoutError:
                    status = "no answer"
        tap.equal((said, status), ("taken\n", 200), "and cannot take all connections")
        taker.stdin.close()


def main():
    tap = jobs.Tap()
    folder = serving.old_profiles()
    with serving.Server(folder) as server:
        test_other_user_of_port(tap, server)
        test_token(tap, server)
        test_cookie(tap, server)
        test_host(tap, server)
        test_origin(tap, server)
        test_methods(tap, server)
        test_paths(tap, server, folder)
        test_sizes(tap, server)
        test_headers(tap, server)
        tap.ok(server.process.poll() is None and server.end() == 0, "nothing of this has ended the server")
        tap.equal(server.process.stderr.read(), "", "and it has said nothing")
    test_socket(tap, folder)
    tap.done()


if __name__ == "__main__":
    main()
