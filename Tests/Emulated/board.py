"""An emulated board: the guest on its serial line, the levels of its GPIO lines as the machine has them, and its inputs
as the machine drives them. Everything is seen and done from outside the guest."""
import os
import re
import socket
import subprocess
import threading
import time
from dataclasses import dataclass

OUTPUT = re.compile(r"^\d+@(\d+\.\d+):pl061_set_output (\S+) setting output (\d+) to (\d+)")


@dataclass(frozen=True)
class Line:
    """A GPIO line and the level at which what hangs on it is on."""
    number: int
    on: int = 1


class Board:
    """The guest, and the machine's socket for tests. Which levels its lines had is for the machines below to tell."""

    def __init__(self, command, directory, options=()):
        self.socket_path = directory / "qtest"
        self.text, self.news = "", threading.Condition()
        self.process = subprocess.Popen(
            [*command, *options, "-qtest", f"unix:{self.socket_path},server=on,wait=off", "-qtest-log", "/dev/null"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while data := os.read(self.process.stdout.fileno(), 65536):
            with self.news:
                self.text += data.decode(errors="replace").replace("\r", "")
                self.news.notify_all()

    def close(self):
        self.process.kill()
        self.process.wait()

    # ---- the guest ------------------------------------------------------------------------------------------------

    def wait_text(self, pattern, seconds):
        """Takes what the guest has said up to the pattern."""
        end = time.monotonic() + seconds
        with self.news:
            while not (match := re.search(pattern, self.text)):
                left = end - time.monotonic()
                assert left > 0 and self.process.poll() is None, f"no {pattern!r} from the guest, but: {self.text[-2000:]}"
                self.news.wait(min(left, 0.5))
            said, self.text = self.text[:match.start()], self.text[match.end():]
            return said, match

    def run(self, command, code=0, seconds=60):
        """What a command in the guest prints. `code` None: any exit status."""
        self.process.stdin.write(command.encode() + b"\n")
        said, match = self.wait_text(r"<status (\d+)>\n", seconds)
        assert code is None or int(match[1]) == code, f"{command!r} ended with {match[1]}: {said}"
        return said.strip()

    # ---- its lines ------------------------------------------------------------------------------------------------

    def history(self, number):
        """(Unix seconds, level) of every change of a line, the oldest first."""
        raise NotImplementedError

    def changes(self, line, after=0.0):
        """(Unix seconds, on) of each change of an output since then."""
        return [(when, level == line.on) for when, level in self.history(line.number) if when > after]

    def is_on(self, line):
        history = self.history(line.number)
        return bool(history) and history[-1][1] == line.on

    def wait(self, line, on, seconds=10):
        end = time.monotonic() + seconds
        while self.is_on(line) != on:
            assert time.monotonic() < end, f"line {line.number} is not {'on' if on else 'off'} within {seconds} s"
            time.sleep(0.02)

    def machine(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(self.socket_path))
        return connection


class Virt(Board):
    """The PL061 of qemu's `virt`, which traces its outputs."""

    def __init__(self, command, directory):
        self.trace = directory / "trace"
        super().__init__(
            command, directory, ["-trace", "pl061_set_output", "-msg", "timestamp=on", "-D", str(self.trace)])

    def _changes(self):
        return [match for match in map(OUTPUT.match, self.trace.read_text().splitlines()) if match]

    def history(self, number):
        return [(float(m[1]), int(m[4])) for m in self._changes() if int(m[3]) == number]

    def drive(self, number, *steps):
        """Sets an input to each (level, seconds to hold it)."""
        chip = self._changes()[0][2]
        with self.machine() as machine:
            for level, hold in steps:
                machine.sendall(f"set_irq_in {chip} unnamed-gpio-in {number} {level}\n".encode())
                answer = machine.recv(100)
                assert answer.startswith(b"OK"), answer
                time.sleep(hold)


class PiZero(Board):
    """The BCM2835 of qemu's `raspi0`, whose level registers are read some hundred times a second. It has no inputs."""
    LEVELS = (0x20200034, 0x20200038)

    def __init__(self, command, directory):
        super().__init__(command, directory)
        self.histories = [[] for _ in range(54)]
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while not self.socket_path.exists():
            time.sleep(0.05)
        try:
            with self.machine() as machine, machine.makefile("rwb", buffering=0) as registers:
                self._sample(registers)
        except (OSError, IndexError):
            # The machine's end. Were it anything else, the lines would seem to stand still, which no test survives.
            pass

    def _sample(self, registers):
        before = -1
        while self.process.poll() is None:
            levels = 0
            for shift, address in zip((0, 32), self.LEVELS):
                registers.write(b"readl 0x%x\n" % address)
                levels |= int(registers.readline().split()[1], 16) << shift
            now = time.time()
            for number, history in enumerate(self.histories):
                if before < 0 or (levels ^ before) >> number & 1:
                    history.append((now, levels >> number & 1))
            before = levels
            time.sleep(0.004)

    def history(self, number):
        return list(self.histories[number])
