"""The testbed as a child process: one command in, its reply out."""
import subprocess


class Server:
    def __init__(self, program, directory):
        self.process = subprocess.Popen(
            [str(program), "serve", "--dir", str(directory), "--events", str(directory / "events")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        ready = dict(word.split("=", 1) for word in self.process.stdout.readline().split() if "=" in word)
        self.port, self.http = int(ready["port"]), int(ready["http"])
        self.certificate, self.fingerprint = ready["certificate"], ready["fingerprint"]

    def ask(self, command):
        """The reply, which must not be an error."""
        self.process.stdin.write(command + "\n")
        while line := self.process.stdout.readline():
            assert not line.startswith("error "), f"{command}: {line}"
            if line.startswith("ok "):
                return line.strip()
        raise AssertionError(f"{command}: the server has ended")

    def close(self):
        self.process.kill()
        self.process.wait()
