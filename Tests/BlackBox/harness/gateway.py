"""The program under test: its directories, its configuration, its daemon and its command line."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from . import wire
from .settings import wait_until

STATES = {"starting", "unconfigured", "resolving", "connecting", "registering", "authenticating", "connected",
          "backing-off", "no-network", "error-auth", "error-version", "error-config", "stopping"}
PATTERNS = ("off", "solid", "slow", "fast", "double", "pulse")
PANEL_LINE = re.compile(r"(\d{7,13}) (?:light (message|link) (%s)|beep (\d+))" % "|".join(PATTERNS))


class Gateway:
    """One `skyglowd` with a state and a runtime directory of its own (short paths: a socket lives in one)."""

    def __init__(self, settings, peer=None, *, port=None, certificate=True, binary=None, copy_of=None):
        self.settings, self.peer = settings, peer
        self.binary = binary or settings.binary
        self.directory = Path(tempfile.mkdtemp(prefix="sgd-"))
        self.state, self.runtime = self.directory / "state", self.directory / "run"
        self.runtime.mkdir()
        if copy_of:
            shutil.copytree(copy_of.state, self.state)
        else:
            self.state.mkdir()
        self.config = self.directory / "skyglowd.conf"
        self.sections = {
            "server": {"address": wire.ADDRESS, "certificate": "server.pem",
                       "endpoint": f"127.0.0.1:{port or (peer.port if peer else 9)}"},
            "state": {"directory": str(self.state), "runtime": str(self.runtime)},
            "panel": {"message": "file:panel.log", "link": "file:link.log"},
            "log": {"level": "info"},
        }
        self.write_config()
        if certificate and peer:
            shutil.copy(peer.certificate, self.state / "server.pem")
        self.process, self.errors_seen = None, 0
        self.stderr = self.directory / "stderr"
        self.stdout = self.directory / "stdout"

    # ---- configuration --------------------------------------------------------------------------------------------

    def configure(self, section, **keys):
        """Set keys of a section (`pong_timeout` becomes `pong-timeout`, None removes) and write the file."""
        place = self.sections.setdefault(section, {})
        for key, value in keys.items():
            key = key.replace("_", "-")
            if value is None:
                place.pop(key, None)
            else:
                place[key] = value
        self.write_config()

    def write_config(self):
        text = ""
        for section, keys in self.sections.items():
            text += f"[{section}]\n" + "".join(f"{k} = {v}\n" for k, v in keys.items())
        self.config.write_text(text)

    # ---- the daemon -----------------------------------------------------------------------------------------------

    def start(self, *, connect=True, env=None, prefix=(), **popen):
        """Start `run`, its command behind `prefix`; with `connect`, wait until the peer has seen the poll that ends a login."""
        assert self.process is None, "already running"
        mark = self.peer.mark() if self.peer else 0
        with open(self.stdout, "ab") as out, open(self.stderr, "ab") as err:
            self.process = subprocess.Popen([*prefix, *self.binary, "-c", str(self.config), "run"],
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd="/", env={**os.environ, **(env or {})}, **popen)
        if connect:
            self.wait_online(mark)
        return self

    def wait_online(self, mark, seconds=15):
        self.peer.wait("poll", after=mark, seconds=seconds)
        self.wait_state("connected")

    def wait_running(self):
        wait_until(lambda: self.status_code() != 3, self.settings.seconds(10), "the daemon answers")

    def signal(self, number):
        self.process.send_signal(number)

    def wait_exit(self, seconds=10):
        """Wait for the end that the test asked for; the exit code."""
        process, self.process = self.process, None
        try:
            return process.wait(self.settings.seconds(seconds))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"skyglowd run did not end within {seconds * self.settings.slow_factor:g} s") from None

    def stop(self):
        """SIGTERM and a clean exit."""
        self.signal(signal.SIGTERM)
        code = self.wait_exit()
        assert code == 0, f"exit code {code} after SIGTERM"

    def restart(self, **options):
        self.stop()
        return self.start(**options)

    def kill(self):
        """kill -9: what a power cut leaves of a process."""
        self.signal(signal.SIGKILL)
        self.wait_exit()

    def run_to_end(self, seconds=10, **popen):
        """`run` where it must refuse: exit code and what it said."""
        before = self.stderr.stat().st_size if self.stderr.exists() else 0
        self.start(connect=False, **popen)
        code = self.wait_exit(seconds)
        return code, self.stderr.read_bytes()[before:].decode(errors="replace")

    def crashed(self):
        """The exit code of a daemon that ended though no test asked for it."""
        return None if self.process is None else self.process.poll()

    def close(self):
        if self.process is not None:
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait()
            self.process = None

    def descriptors(self):
        """The open descriptors, sorted; None where only root may see them, since the gateway hides its memory."""
        try:
            return sorted(int(name) for name in os.listdir(f"/proc/{self.process.pid}/fd"))
        except PermissionError:
            return None

    # ---- the command line -----------------------------------------------------------------------------------------

    def cli(self, *arguments, code=0, input="", env=None, **popen):
        """Run a command; its exit code must be `code` (a number, a collection, or None for any but a crash)."""
        done = subprocess.run([*self.binary, "-c", str(self.config), *arguments], input=input, text=True,
                              capture_output=True, cwd="/", timeout=self.settings.seconds(30),
                              env={**os.environ, **(env or {})}, errors="replace", **popen)
        allowed = range(0, 126) if code is None else [code] if isinstance(code, int) else code
        assert done.returncode in allowed, (f"skyglowd {' '.join(arguments)}: exit {done.returncode}, expected {code}\n"
                                            f"stdout: {done.stdout[-2000:]}\nstderr: {done.stderr[-2000:]}")
        return done

    def json(self, *arguments, code=0):
        text = self.cli(*arguments, "--json", code=code).stdout
        try:
            return json.loads(text)
        except ValueError as e:
            raise AssertionError(f"{' '.join(arguments)} --json is no JSON ({e}): {text[:500]!r}") from None

    def add_token(self, bundle="org.example.door"):
        return self.cli("token", "add", bundle).stdout.strip()

    def change_tokens(self, *arguments):
        """A change of the registration set while connected, followed until the next login is complete."""
        mark = self.peer.mark()
        done = self.cli("token", *arguments)
        self.peer.wait("poll", after=mark)
        self.wait_state("connected")
        return done.stdout.strip()

    def status_code(self):
        return self.cli("status", code=(0, 1, 3)).returncode

    def status(self):
        return self.json("status", code=(0, 1))

    def state_name(self):
        done = self.cli("status", "--json", code=(0, 1, 3))
        return "not running" if done.returncode == 3 else json.loads(done.stdout)["state"]

    def wait_state(self, *names, seconds=10):
        seen = []

        def reached():
            seen.append(self.state_name())
            return seen[-1] if seen[-1] in names else None
        return wait_until(reached, self.settings.seconds(seconds), lambda: f"state {' or '.join(names)}, but {seen[-1]}")

    def wait_status(self, condition, what, seconds=10):
        last = {}

        def reached():
            last.update(self.status())
            return condition(last)
        wait_until(reached, self.settings.seconds(seconds), lambda: f"{what}; status was {last}")
        return last

    def inbox(self, *options):
        """Every row by default, however short the command's own default list is."""
        return self.json("inbox", *(options or ("-n", "10000")))

    def rows(self):
        return self.inbox()["notifications"]

    def shown(self):
        """Message ids in the inbox, newest first, as 32 hex digits."""
        return [plain_id(row["msg_id"]) for row in self.rows()]

    def row(self, message):
        """The one row of this message."""
        rows = [r for r in self.rows() if plain_id(r["msg_id"]) == message]
        assert len(rows) == 1, f"{message} is in the inbox {len(rows)} times"
        return rows[0]

    def log(self, *options):
        return self.cli("log", *(options or ("-n", "100000"))).stdout.splitlines()

    def log_after(self, earlier):
        """Lines that were not yet in `earlier`, though the ring may have dropped some of those."""
        lines = self.log()
        if earlier and earlier[-1] in lines:
            place = len(lines) - lines[::-1].index(earlier[-1])
            return lines[place:]
        return lines

    # ---- the panel ------------------------------------------------------------------------------------------------

    def panel(self, name="panel.log"):
        """Lines of a `file:` output as (milliseconds, role or "beep", pattern or count); a line of another form fails."""
        path = self.state / name
        out = []
        for line in path.read_text().split("\n")[:-1] if path.exists() else []:
            match = PANEL_LINE.fullmatch(line)
            assert match, f"{name} has a line of no known form: {line!r}"
            time, role, pattern, beeps = match.groups()
            out.append((int(time), role or "beep", pattern or int(beeps)))
        return out

    def light(self, role="message", name=None):
        """The pattern shown now, `off` before the first line."""
        lines = self.panel(name or ("panel.log" if role == "message" else "link.log"))
        return ([p for _, r, p in lines if r == role] or ["off"])[-1]

    def wait_light(self, on, seconds=10):
        wait_until(lambda: (self.light() != "off") == on, self.settings.seconds(seconds),
                   lambda: f"the message light is {self.light()}, wanted {'on' if on else 'off'}")

    def lightings(self):
        """How often the message light was switched on."""
        return sum(1 for _, role, pattern in self.panel() if role == "message" and pattern != "off")

    # ---- for the report of a failure ------------------------------------------------------------------------------

    def story(self):
        parts = [f"directory {self.directory}"]
        for name, file in (("configuration", self.config), ("standard error", self.stderr)):
            if file.exists():
                parts.append(f"--- {name}\n" + file.read_text(errors="replace")[-3000:])
            else:
                parts.append(f"--- no {name}: {file} is not there")
        try:
            parts.append("--- log\n" + "\n".join(self.log()[-60:]))
        except Exception as e:  # the report must come out whatever state the program is in
            parts.append(f"--- no log: {e}")
        return "\n".join(parts)


def plain_id(text):
    """A message id with or without the dashes of a UUID."""
    return text.replace("-", "").lower()
