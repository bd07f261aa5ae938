"""A network namespace with mounts of its own. Nothing of it has a name on this machine: it ends with its last process."""
import contextlib
import ctypes
import os
import subprocess

CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)

# Ends with the tests, however they end: at the end of its standard input, which they hold.
KEEPER = """
mount -t sysfs sysfs /sys
if [ -n "$1" ]; then mount --bind "$1" /etc; fi
echo ready
exec cat
"""


class Namespace:
    """`etc` is shown as /etc to what runs inside."""

    def __init__(self, etc=None):
        self.keeper = subprocess.Popen(["unshare", "--net", "--mount", "sh", "-ec", KEEPER, "sh", str(etc or "")],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.keeper.stdout.readline() == "ready\n", "no namespace could be made"
        self.pid = self.keeper.pid
        # Duplicate address detection was long ago.
        self.set(ipv6__conf__default__accept_dad=0, ipv6__conf__all__accept_dad=0)
        self.ip("link set lo up")

    @property
    def prefix(self):
        """What a command begins with to run inside. It is killed when the thread that started it ends."""
        return ["setpriv", "--pdeathsig", "KILL", "nsenter", "-t", str(self.pid), "--net", "--mount", "--"]

    def run(self, *command, text="", check=True):
        done = subprocess.run(["nsenter", "-t", str(self.pid), "--net", "--mount", "--", *map(str, command)], input=text,
                              capture_output=True, text=True, timeout=30)
        if check and done.returncode:
            raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr}{text}")
        return done.stdout

    def ip(self, *lines):
        """Each is what stands behind `ip`."""
        self.run("ip", "-batch", "-", text="\n".join(lines) + "\n")

    def nft(self, rules):
        self.run("nft", "-f", "-", text=rules)

    def set(self, **values):
        """Kernel settings; `__` stands for the separator."""
        self.run("sh", "-ec", "\n".join(f"echo {value} >/proc/sys/net/{name.replace('__', '/')}"
                                        for name, value in values.items()))

    @contextlib.contextmanager
    def entered(self):
        """What this thread makes is made inside: sockets stay where they were made, and so do those they accept."""
        home, inside = (os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                        for path in ("/proc/thread-self/ns/net", f"/proc/{self.pid}/ns/net"))
        try:
            self._go(inside)
            try:
                yield
            finally:
                self._go(home)
        finally:
            os.close(home)
            os.close(inside)

    @staticmethod
    def _go(descriptor):
        if libc.setns(descriptor, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")

    def close(self):
        self.keeper.kill()
        self.keeper.wait()
        self.keeper.stdin.close()
        self.keeper.stdout.close()


def join(left, left_name, right, right_name):
    """A cable between two namespaces."""
    subprocess.run(["ip", "link", "add", "name", left_name, "netns", str(left.pid), "type", "veth",
                    "peer", "name", right_name, "netns", str(right.pid)], check=True, capture_output=True)
