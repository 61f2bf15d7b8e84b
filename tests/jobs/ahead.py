"""Starting jobs ahead of other programs, so that their ranks have cores on a busy machine: AHEAD in front of the launcher, and
in front of the program, because niceness counts within a session only where the kernel groups processes by session, and ranks
may have sessions of their own. Nothing where that is not allowed. Real-time scheduling would not do: kernels leave a twentieth
of each core to other programs then, which is as much as the finding no-cpu takes."""
import subprocess

AHEAD = ["sh", "-c", 'echo -20 2>&- >/proc/self/autogroup; exec nice -n -20 "$@"', "sh"]
if subprocess.run([*AHEAD, "nice"], capture_output=True, text=True, check=False).stdout != "-20\n":
    AHEAD = []
