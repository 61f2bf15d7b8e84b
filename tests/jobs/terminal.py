"""What a command shows on a terminal of a given width."""
import fcntl
import os
import pty
import struct
import subprocess
import termios


def shown(columns, command, cwd=None):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen(command, stdout=theirs, cwd=cwd,
                          env={name: value for name, value in os.environ.items() if name != "COLUMNS"}):
        os.close(theirs)
        return read(ours)


def read(terminal):
    text = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError: # the other end is closed
            more = b""
        if not more:
            os.close(terminal)
            return text.decode().replace("\r", "")
        text += more
