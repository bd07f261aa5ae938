"""A network that nothing changes while the tests run."""
import ctypes
import os
import shutil
import subprocess

CLONE_NEWNET = 0x40000000
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
# An address and a way out, as every board has; what is sent there is never answered.
LINKS = """\
link set lo up
link add name eth0 type veth peer name wire0
link set wire0 up
link set eth0 up
address add 198.51.100.2/24 dev eth0
neighbour add 198.51.100.1 lladdr 02:00:00:00:00:01 dev eth0
route add default via 198.51.100.1
"""


def isolate():
    """Puts this thread, and what it starts from now on, into a network namespace of its own, and says whether it could.

    A gateway tries again at once when a link, an address or a route changes: other tests on this machine that make
    interfaces would cut the delays that are measured here short."""
    ip = shutil.which("ip", path=PATH)
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0 or ip is None:
        return False
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        if libc.unshare(CLONE_NEWNET) != 0:
            return False
        if subprocess.run([ip, "-batch", "-"], input=LINKS, text=True, capture_output=True).returncode == 0:
            return True
        assert libc.setns(home, CLONE_NEWNET) == 0, "this machine's network cannot be gone back to"
        return False
    finally:
        os.close(home)
