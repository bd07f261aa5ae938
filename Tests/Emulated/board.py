"""An emulated board: the guest on its serial line, the levels of its GPIO lines as the machine traces them, and its
inputs as the machine drives them. Everything is seen and done from outside the guest."""
import os
import re
import socket
import subprocess
import threading
import time

OUTPUT = re.compile(r"^\d+@(\d+\.\d+):pl061_set_output (\S+) setting output (\d+) to (\d+)")


class Board:
    def __init__(self, command, directory):
        self.trace, self.socket_path = directory / "trace", directory / "qtest"
        self.text, self.news = "", threading.Condition()
        self.log = open(directory / "console", "w")
        self.process = subprocess.Popen(
            [*command, "-trace", "pl061_set_output", "-msg", "timestamp=on", "-D", str(self.trace),
             "-qtest", f"unix:{self.socket_path},server=on,wait=off", "-qtest-log", "/dev/null"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while data := os.read(self.process.stdout.fileno(), 65536):
            text = data.decode(errors="replace").replace("\r", "")
            self.log.write(text)
            self.log.flush()
            with self.news:
                self.text += text
                self.news.notify_all()
        with self.news:
            self.text += "\n<end>\n"
            self.news.notify_all()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

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

    def run(self, command, code=0, seconds=30):
        """What a command in the guest prints. `code` None: any exit status."""
        self.process.stdin.write(command.encode() + b"\n")
        said, match = self.wait_text(r"<status (\d+)>\n", seconds)
        assert code is None or int(match[1]) == code, f"{command!r} ended with {match[1]}: {said}"
        return said.strip()

    # ---- its lines ------------------------------------------------------------------------------------------------

    def changes(self, line, after=0.0):
        """(time, level) of each change of an output since then, in Unix seconds."""
        found = (OUTPUT.match(text) for text in self.trace.read_text().splitlines())
        return [(float(m[1]), int(m[4])) for m in found if m and int(m[3]) == line and float(m[1]) > after]

    def level(self, line):
        changes = self.changes(line)
        return changes[-1][1] if changes else 0

    def wait_level(self, line, level, seconds=10):
        end = time.monotonic() + seconds
        while self.level(line) != level:
            assert time.monotonic() < end, f"line {line} is not {level} within {seconds} s"
            time.sleep(0.02)

    def drive(self, line, *steps):
        """Sets an input to each (level, seconds to hold it)."""
        chip = next(m[2] for m in map(OUTPUT.match, self.trace.read_text().splitlines()) if m)
        with socket.socket(socket.AF_UNIX) as machine:
            machine.connect(str(self.socket_path))
            for level, hold in steps:
                machine.sendall(f"set_irq_in {chip} unnamed-gpio-in {line} {level}\n".encode())
                answer = machine.recv(100)
                assert answer.startswith(b"OK"), answer
                time.sleep(hold)
