"""The system calls of a gateway, seen and met with by strace (board/dependencies installs it)."""
import collections
import re
import shutil
import signal
import subprocess
import time

import pytest

CALL = re.compile(r"^([a-z][a-z0-9_]*)\(")
SETTLED = 0.05      # s without a system call


class Trace:
    """Attached to a running gateway from now until `detach`, or until that has ended. `kill` is (call, N): SIGKILL instead
    of the N-th call of that name from now on, which is then not made."""

    def __init__(self, gateway, kill=None):
        if shutil.which("strace") is None:
            pytest.skip("needs strace")
        self.gateway, self.file = gateway, gateway.directory / "trace"
        self.file.unlink(missing_ok=True)
        options = ["-e", f"inject={kill[0]}:signal=SIGKILL:when={kill[1]}"] if kill else []
        self.strace = subprocess.Popen(["strace", "-o", self.file, "-yy", "-s", "16", *options, "-p", str(gateway.process.pid)],
                                       stderr=subprocess.PIPE)
        first = self.strace.stderr.readline().decode()
        if "attached" not in first:
            self.detach()
            pytest.skip(f"nobody may be traced here: {first}")

    def detach(self):
        self.strace.terminate()
        self.strace.communicate()

    def lines(self):
        """Every call that was begun, in order; the first line may be the end of one that was begun before."""
        return [line for line in self.file.read_text(errors="replace").splitlines() if CALL.match(line)]

    def counts(self):
        """How often each call was begun."""
        return collections.Counter(CALL.match(line)[1] for line in self.lines() if not line.startswith("restart_syscall("))

    def died(self, done, seconds=10):
        """Whether the gateway was killed, after which it may be started again; false once `done()` is true and the gateway
        has had nothing to do for a moment."""
        end, size, since = time.monotonic() + self.gateway.settings.seconds(seconds), -1, 0
        while self.gateway.process.poll() is None:
            now = time.monotonic()
            assert now < end, "neither killed nor done"
            if not done():
                size = -1
            elif self.file.stat().st_size != size:
                size, since = self.file.stat().st_size, now
            elif now - since > SETTLED:
                self.detach()
                return False
            time.sleep(0.003)
        self.detach()
        assert self.gateway.wait_exit() == -signal.SIGKILL
        return True


def kills(counts):
    """Every (call, N) of a ladder, told by `send` whether the gateway died of the last one: each call that was counted,
    and on from there for as long as there are more of it."""
    for name, count in sorted(counts.items()):
        number, died = 1, True
        while died or number <= count:
            died = yield name, number
            number += 1
