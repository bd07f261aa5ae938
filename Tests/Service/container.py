"""A Debian that boots its own systemd in a container, to see the service under the manager it is made for."""
import os
import shutil
import signal
import subprocess
import time

from conftest import run

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C", "TERM": "dumb"}


class Container:
    """Shares the network of this machine, and nothing else with it."""

    def __init__(self, path, archive):
        self.root = path / "root"
        self.root.mkdir()
        run("tar", "-C", self.root, "-xf", archive)
        # The console's login is of no use here, and the timers would have apt look for upgrades.
        for unit in ("console-getty.service", "apt-daily.timer", "apt-daily-upgrade.timer"):
            (self.root / "etc/systemd/system" / unit).symlink_to("/dev/null")
        self.console = open(path / "console", "wb")
        self.manager = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--directory", str(self.root), "--boot", "--register=no", "--keep-unit",
             "--console=pipe", "--system-call-filter=clock_adjtime", "--link-journal=no", "--resolv-conf=off", "--timezone=off"],
            stdin=subprocess.DEVNULL, stdout=self.console, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            self.leader = self.wait(self.find_leader, 30)
            # `degraded` would mean that a unit of the system itself has failed, which is not looked at here.
            self.wait(lambda: self.call("systemctl", "is-system-running", code=None).stdout.strip() in ("running", "degraded"), 120)
        except BaseException:
            self.close()
            raise

    def find_leader(self):
        """systemd's process number as this machine sees it."""
        if self.manager.poll() is not None:
            raise AssertionError("the container has ended:\n" + self.messages())
        children = run("pgrep", "-P", str(self.manager.pid), "-x", "systemd", code=None).stdout.split()
        return int(children[0]) if children else None

    def messages(self):
        with open(self.console.name, "rb") as file:
            return file.read().decode(errors="replace")[-3000:]

    def wait(self, condition, seconds):
        end = time.monotonic() + seconds
        while not (found := condition()):
            assert time.monotonic() < end, f"not within {seconds} s\n{self.messages()}"
            time.sleep(0.1)
        return found

    def call(self, *command, code=0, **options):
        """Runs a command in the container as root."""
        return run("nsenter", "--target", str(self.leader), "--mount", "--uts", "--ipc", "--pid", "--root", "--wd=/",
                   *command, code=code, env=ENVIRONMENT, **options)

    def install(self, deb):
        shutil.copy(deb, self.root / "root/skyglowd.deb")
        return self.call("dpkg", "--install", "/root/skyglowd.deb").stdout

    def show(self, name):
        """A property of the service."""
        return self.call("systemctl", "show", "--property", name, "--value", "skyglowd.service").stdout.strip()

    def close(self):
        if self.manager.poll() is None:
            # What systemd-nspawn hands on to the system inside as its order to halt.
            self.manager.send_signal(signal.SIGTERM)
            try:
                self.manager.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(self.manager.pid, signal.SIGKILL)
                self.manager.wait()
        self.console.close()
