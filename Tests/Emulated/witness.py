"""Watches skyglowd on an emulated board from outside. Run by cross/emulate, which makes what it needs:

    witness.py --directory DIR --testbed PROGRAM --name TARGET [--idle SECONDS] -- QEMU…

In QEMU's arguments, RELAY-COMMAND stands for what carries the board's connections to the server."""
import argparse
import statistics
import sys
import time
from pathlib import Path

from board import Board
from server import Server

HERE = Path(__file__).resolve().parent
MESSAGE, BUTTON, BUZZER, LINK, LOW = 0, 2, 4, 5, 6
LEDS = "/sys/class/leds/board:"


def near(measured, expected):
    """Times of an emulator on a busy machine: the middle of several must be right within a quarter."""
    middle = statistics.median(measured)
    assert abs(middle - expected) < max(0.25 * expected, 0.04), f"{middle:.3f} s instead of {expected} s: {measured}"
    return middle


def lengths(changes, level):
    return [after[0] - before[0] for before, after in zip(changes, changes[1:]) if before[1] == level]


def wait_until(condition, seconds, what, pause=0.1):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(pause)


class Witness:
    def __init__(self, board, server, name, idle):
        self.board, self.server, self.name, self.idle = board, server, name, idle
        self.begin = time.monotonic()

    def says(self, text):
        print(f"{self.name} {time.monotonic() - self.begin:5.1f} s  {text}", flush=True)

    def trigger(self, led):
        words = self.board.run(f"cat {LEDS}{led}/trigger").split()
        return next((w.strip("[]") for w in words if w.startswith("[")), None)

    def brightness(self, led):
        return int(self.board.run(f"cat {LEDS}{led}/brightness"))

    def start(self):
        self.board.run("skyglowd run >/run/skyglowd.out 2>&1 & echo $! >/run/pid")
        wait_until(lambda: self.board.run("skyglowd status >/dev/null 2>&1; echo $?") != "3", 20, "the gateway answers")

    def connect(self):
        wait_until(lambda: self.board.run("skyglowd status >/dev/null 2>&1; echo $?") == "0", 40, "connected",
                   pause=0.25)

    # ---- what is shown --------------------------------------------------------------------------------------------

    def boot(self):
        self.board.wait_text("<ready>\n", 60)
        self.says("booted: " + self.board.run("uname -srm"))
        self.says(self.board.run("skyglowd --version").splitlines()[0])
        assert self.board.run("skyglowd check") == "configuration OK"
        assert self.trigger("green:link") == "heartbeat"
        self.token = self.board.run("skyglowd token add org.example.door")

    def away(self):
        """No server: the kernel flashes the link light in pairs."""
        self.server.ask("listen off")
        self.start()
        assert self.board.run("skyglowd log | grep -c panel:", code=None) == "0", self.board.run("skyglowd log")
        wait_until(lambda: self.trigger("green:link") == "pattern", 20, "the pattern trigger is set")
        mark = time.time()
        time.sleep(4.5)
        changes = self.board.changes(LINK, mark)
        ons, offs = lengths(changes, 1), lengths(changes, 0)
        flash, gap = near(ons, 0.1), near([t for t in offs if t < 1], 0.15)
        rest = near([t for t in offs if t > 1], 1.65)
        self.says(f"no server: link light in pairs, {len(ons)} flashes of {flash:.3f} s, {gap:.3f} and {rest:.3f} s apart")

    def online(self):
        self.server.ask("listen on")
        self.board.run("skyglowd reconnect")
        self.connect()
        self.board.wait_level(LINK, 1)
        assert self.trigger("green:link") == "none" and self.brightness("green:link") > 0
        assert self.board.level(MESSAGE) == 0 and self.board.level(LOW) == 1
        self.says("connected over TCP: link light steady")

    def notify(self):
        mark, begin = time.time(), time.monotonic()
        self.server.ask("mark")
        self.server.ask(f"notify {self.token} title=Door sound=bell")
        self.board.wait_level(MESSAGE, 1)
        self.board.wait_level(LOW, 0)
        took = time.monotonic() - begin
        self.server.ask("wait acked status=0")
        assert self.brightness("red:message") > 0
        return mark, took

    def notification(self):
        mark, took = self.notify()
        self.says(f"notification: line {MESSAGE} high and the active-low LED on after {took * 1000:.0f} ms, acknowledged")
        time.sleep(0.8)
        beeps = lengths(self.board.changes(BUZZER, mark), 1)
        assert len(beeps) == 1, f"{len(beeps)} beeps"
        self.says(f"buzzer: one beep of {near(beeps, 0.12):.3f} s")

    def still(self):
        """Lights on, connected, nothing to do: the process sleeps."""
        count = "grep ^voluntary /proc/$(cat /run/pid)/status"
        before = self.board.run(count)
        time.sleep(self.idle)
        after = self.board.run(count)
        assert before == after, f"woken while idle: {before} {after}"
        self.says(f"idle for {self.idle} s: not woken once")

    def button(self):
        bounces = [(1, 0.002), (0, 0.002)] * 3
        self.board.drive(BUTTON, *bounces, (1, 0.2), *[(0, 0.002), (1, 0.002)] * 3, (0, 0))
        self.board.wait_level(MESSAGE, 0)
        self.board.wait_level(LOW, 1)
        assert self.board.run("skyglowd inbox --unread 2>/dev/null") == ""
        presses = self.board.run("skyglowd log | grep -c 'button: everything'", code=None)
        assert presses == "1", f"{presses} presses"
        self.says("button with bouncing contacts: one press, the light is out, the inbox read")

    def long_press(self):
        mark = time.time()
        self.board.drive(BUTTON, (1, 2.6), (0, 0))
        time.sleep(1.5)
        changes = self.board.changes(MESSAGE, mark)
        on, off = near(lengths(changes, 1), 0.125), near(lengths(changes, 0), 0.125)
        wait_until(lambda: self.board.changes(BUZZER, mark)[3:], 20, "the buzzer had its turn")
        self.says(f"long press: panel test, line {MESSAGE} blinks {on:.3f} s on, {off:.3f} s off; the buzzer beeps twice")
        self.board.wait_level(LINK, 1)
        time.sleep(1.5)

    def in_use(self):
        said = self.board.run("skyglowd panel off 2>&1", code=69)
        assert self.board.level(LINK) == 1
        self.board.run("sed s:/skyglow$:/other: $SKYGLOWD_CONFIG >/run/other.conf")
        said += "\n" + self.board.run("skyglowd -c /run/other.conf panel off 2>&1", code=None)
        assert "in use by `skyglowd` on /dev/gpiochip" in said, said
        self.says("a line in use: " + said.splitlines()[-1])
        self.board.run(f"echo 1 >{LEDS}green:link/brightness")

    def stop(self):
        self.board.run("skyglowd stop")
        assert self.board.level(MESSAGE) == 0 and self.board.level(LOW) == 1
        assert self.trigger("green:link") == "heartbeat"
        self.says("stopped: lines inactive, the link LED has its heartbeat again")

    def killed(self):
        self.start()
        self.connect()
        self.board.wait_level(LINK, 1)
        self.notify()
        self.board.run("kill -9 $(cat /run/pid)")
        time.sleep(0.5)
        assert self.board.level(MESSAGE) == 1 and self.board.level(LINK) == 1
        self.board.run("skyglowd panel off")
        for line, level in ((MESSAGE, 0), (BUZZER, 0), (LINK, 0), (LOW, 1)):
            assert self.board.level(line) == level, f"line {line} is left on"
        assert self.trigger("green:link") == "none"
        self.says("kill -9 and panel off: everything is out")

    def after_the_crash(self):
        """The light comes back from what is durable."""
        self.start()
        self.board.wait_level(MESSAGE, 1)
        self.connect()
        self.board.run("skyglowd read all")
        self.board.wait_level(MESSAGE, 0)
        self.board.run("skyglowd stop")
        self.says("started again: the unread notification lights up, read from the command line it goes out")

    def all(self):
        for step in (self.boot, self.away, self.online, self.notification, self.still, self.button, self.long_press,
                     self.in_use, self.stop, self.killed, self.after_the_crash):
            step()
        self.says("passed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument("--testbed", type=Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--idle", type=int, default=5, help="seconds in which nothing may wake it")
    parser.add_argument("--certificate-only", action="store_true", help="make the server's certificate and end")
    parser.add_argument("qemu", nargs="*")
    options = parser.parse_args()
    directory = options.directory / "server"
    directory.mkdir(exist_ok=True)
    server = Server(options.testbed, directory)
    try:
        if options.certificate_only:
            return print(server.certificate)
        relay = f"{sys.executable} {HERE / 'relay.py'} {server.port}"
        board = Board([word.replace("RELAY-COMMAND", relay) for word in options.qemu], options.directory)
        try:
            Witness(board, server, options.name, options.idle).all()
        except BaseException:
            print(board.text[-3000:])
            try:
                print(board.run("skyglowd log", code=None))
            except (AssertionError, OSError):
                pass
            raise
        finally:
            board.close()
    finally:
        server.close()


main()
