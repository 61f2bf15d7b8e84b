"""Hosts as in hosts.py that also have processes of their own: pid namespaces with their own /proc. One of them cannot
enter another's, so a door outside does it for them, as sshd would: it gets the command, its place and its streams,
and when whoever asked is gone the command is ended.
"""
import array
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time

import hosts

INIT = ("import signal, time; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"  # nobody stays a zombie
        "while True: time.sleep(1000)")
CLIENT = """#!/usr/bin/python3
import array, json, os, socket, sys
words = sys.argv[1:]
while words and words[0].startswith("-"):
    words.pop(0)
door = socket.socket(socket.AF_UNIX)
door.connect("{root}/door")
text = json.dumps([words[0], " ".join(words[1:]), os.getcwd(), dict(os.environ)]).encode()
door.sendmsg([len(text).to_bytes(4, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
door.sendall(text)
for fd in (0, 1):
    os.close(fd)
status = door.recv(1)
sys.exit(status[0] if status else 255)
"""


class Machines(hosts.Hosts):
    """with Machines("nodea", "nodeb") as fleet: ..."""

    def __enter__(self):
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", self.root], check=True)
        self.inits = {name: self._boot(name) for name in self.names}
        script = pathlib.Path(self.agent)
        script.write_text(CLIENT.format(root=self.root), encoding="utf-8")
        script.chmod(0o755)
        self.door = socket.socket(socket.AF_UNIX)
        self.door.bind(str(self.root / "door"))
        self.door.listen(64)
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.door.close()
        for init in self.inits.values():
            init.kill()
            init.wait()
        subprocess.run(["umount", "-l", self.root], check=False)
        self.root.rmdir()

    def _boot(self, name):
        ready, known = self.root / f"{name}.up", self.root / "hosts"
        # a launcher takes what has one of its own addresses for its own host
        known.write_text("127.0.0.1 localhost\n" + "".join(f"127.0.1.{i} {other}\n" for i, other in
                                                           enumerate(self.names, 1)), encoding="utf-8")
        boot = f'{hosts.SHM} {name} && mount --bind {known} /etc/hosts && touch {ready} && exec python3 -c "{INIT}"'
        init = subprocess.Popen(["unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", "sh",
                                 "-c", boot])
        while not ready.exists():
            time.sleep(0.02)
        return init

    def _first(self, name):
        """The host's process 1, as seen from outside."""
        pid = self.inits[name].pid
        return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()[0]

    def _serve(self):
        while True:
            try:
                caller = self.door.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._answer, args=(caller,), daemon=True).start()

    def _answer(self, caller):
        size, extra, _, _ = caller.recvmsg(4, socket.CMSG_SPACE(12))
        streams = array.array("i")
        streams.frombytes(extra[0][2][:12])
        length, text = int.from_bytes(size, "big"), b""
        while len(text) < length:
            text += caller.recv(length - len(text))
        name, line, cwd, env = json.loads(text)
        status = self._run(caller, name, line, cwd, env, streams)
        for fd in streams:
            os.close(fd)
        try:
            caller.send(bytes([status]))
        except OSError:
            pass
        caller.close()

    def _run(self, caller, name, line, cwd, env, streams):
        if name not in self.inits:
            os.write(streams[2], f"no route to host {name}\n".encode())
            return 255
        process = subprocess.Popen(["nsenter", f"--target={self._first(name)}", "--mount", "--uts", "--pid", "sh", "-c",
                                    f"cd '{cwd}' && {line}"], env=env, stdin=streams[0], stdout=streams[1],
                                   stderr=streams[2], start_new_session=True)
        gone = threading.Thread(target=self._watch, args=(caller, process), daemon=True)
        gone.start()
        status = process.wait()
        return status if status >= 0 else 128 - status

    def _watch(self, caller, process):
        try:
            while caller.recv(1):
                pass
        except OSError:
            pass
        try:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGHUP)
        except ProcessLookupError:
            pass

    def start(self, name, words, **options):
        """Starts a command on one of the hosts; the process is that of the caller, not the command itself."""
        return subprocess.Popen([self.agent, name, *(f"'{word}'" for word in words)], **options)

    def processes(self, name):
        """(pid there, state, tracer, words) of all processes of a host but its first, seen from outside."""
        space, found = os.readlink(f"/proc/{self._first(name)}/ns/pid"), []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(path / "ns/pid") != space:
                    continue
                lines = (path / "status").read_text(encoding="utf-8").splitlines()
                words = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
            except OSError:  # it is gone
                continue
            status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
            pid = int(status["NSpid"].split()[-1])
            if pid != 1 and words:
                found.append((pid, status["State"][0], int(status["TracerPid"]), words))
        return sorted(found)
