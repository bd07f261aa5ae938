"""Watches skyglowd on an emulated board from outside. Run by cross/emulate, which makes what it needs:

    witness.py --directory DIR --testbed PROGRAM --name TARGET --machine virt|raspi0 [--idle SECONDS] -- QEMU…

In QEMU's arguments, RELAY-COMMAND stands for what carries the board's connections to the server."""
import argparse
import json
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from board import Line, PiZero, Virt
from server import Server

HERE = Path(__file__).resolve().parent
IN_1970, IN_2014, IN_2037, IN_2040 = 3_600, 1_388_534_400, 2_114_380_800, 2_208_988_800


@dataclass
class Layout:
    """What the configuration of a machine puts where."""
    board: type
    message: Line
    inverted: Line
    buzzer: Line
    link: Line
    link_led: str
    button: int = None
    """The LED of the LED class that is on with the message light."""
    message_led: str = None


LAYOUTS = {
    "virt": Layout(
        Virt, message=Line(0), inverted=Line(6, on=0), buzzer=Line(4), link=Line(5), link_led="board:green:link",
        button=2, message_led="board:red:message"),
    "raspi0": Layout(
        PiZero, message=Line(17), inverted=Line(27, on=0), buzzer=Line(22), link=Line(47), link_led="ACT"),
}


def near(measured, expected):
    """Times of an emulator on a busy machine: the middle of several must be right within a quarter."""
    middle = statistics.median(measured)
    assert abs(middle - expected) < max(0.25 * expected, 0.04), f"{middle:.3f} s instead of {expected} s: {measured}"
    return middle


def lengths(changes, on):
    return [after[0] - before[0] for before, after in zip(changes, changes[1:]) if before[1] == on]


def wait_until(condition, seconds, what, pause=0.1):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(pause)


class Witness:
    def __init__(self, layout, board, server, options):
        self.at, self.board, self.server = layout, board, server
        self.name, self.idle = options.name, options.idle
        self.begin = time.monotonic()

    def says(self, text):
        print(f"{self.name} {time.monotonic() - self.begin:5.1f} s  {text}", flush=True)

    def trigger(self):
        words = self.board.run(f"cat /sys/class/leds/{self.at.link_led}/trigger").split()
        return next((w.strip("[]") for w in words if w.startswith("[")), None)

    def brightness(self, led):
        return int(self.board.run(f"cat /sys/class/leds/{led}/brightness"))

    def status(self):
        return json.loads(self.board.run("skyglowd status --json", code=None))

    def status_code(self):
        return int(self.board.run("skyglowd status >/dev/null 2>&1; echo $?"))

    def quiet(self):
        """Whether the kernel blinks the link LED and the next attempt to connect is far enough away to watch that."""
        status = json.loads(self.board.run("skyglowd status --json", code=None) or "{}")
        now = int(self.board.run("date +%s"))
        return (status.get("state") == "backing-off" and status["next_attempt"] - now > 6
                and self.trigger() == "pattern")

    def start(self):
        """As the user that the package makes, with what udevd lets the group gpio do."""
        self.board.run("su skyglow -c 'exec skyglowd run' >/run/skyglowd.out 2>&1 & echo $! >/run/pid")
        wait_until(lambda: self.status_code() != 3, 30, "the gateway answers")
        status = self.board.run("cat /proc/$(cat /run/pid)/status")
        assert "\nUid:\t900\t900\t900\t900\n" in status and "\nName:\tskyglowd\n" in "\n" + status, status

    def connect(self):
        wait_until(lambda: self.status_code() == 0, 60, "connected", pause=0.25)
        self.board.wait(self.at.link, True)

    # ---- what is shown --------------------------------------------------------------------------------------------

    def boot(self):
        self.board.wait_text("<ready>\n", 120)
        self.says("booted: " + self.board.run("uname -srm"))
        # A board without a clock of its own.
        self.board.run(f"date -s @{IN_1970}")
        self.says(self.board.run("skyglowd --version").splitlines()[0])
        assert self.board.run("skyglowd check") == "configuration OK"
        self.rules()
        # What somebody else had the LED do, to be given back.
        self.board.run(f"echo heartbeat >/sys/class/leds/{self.at.link_led}/trigger")
        assert self.trigger() == "heartbeat"
        self.token = self.board.run("skyglowd token add org.example.door")

    def rules(self):
        """What udevd has made of the rules: the group's, and nobody else's."""
        devices = ["/dev/gpiochip0", *(f"/sys/class/leds/{led}/{name}" for led in filter(None, (self.at.link_led, self.at.message_led))
                                       for name in ("brightness", "trigger"))]
        for device in devices:
            mode = self.board.run(f"stat -c '%U:%G %a' {device}")
            assert mode in ("root:gpio 660", "root:gpio 664"), f"{device}: {mode}"
        self.says(f"udevd {self.board.run('udevadm --version')}: {len(devices)} files are the group's, the gateway is nobody special")

    def away(self):
        """No server: the kernel flashes the link light in pairs."""
        self.server.ask("listen off")
        self.start()
        assert self.board.run("skyglowd log | grep -c panel:", code=None) == "0", self.board.run("skyglowd log")
        # An attempt to connect shows itself for a moment and begins the pattern anew: none may fall into the measurement.
        wait_until(self.quiet, 120, "a pause between two attempts", pause=0.25)
        mark = time.time()
        time.sleep(4.5)
        changes = self.board.changes(self.at.link, mark)
        ons, offs = lengths(changes, True), lengths(changes, False)
        flash, gap = near(ons, 0.1), near([t for t in offs if t < 1], 0.15)
        rest = near([t for t in offs if t > 1], 1.65)
        self.says(f"no server: link light in pairs, {len(ons)} flashes of {flash:.3f} s, {gap:.3f} and {rest:.3f} s apart")

    def online(self):
        self.server.ask("listen on")
        self.board.run("skyglowd reconnect")
        # More than 300 s off is refused (SGP v2 §4), until a time service does this.
        wait_until(lambda: "AUTH_FAIL" in (self.status()["last_end"] or ""), 60, "refused", pause=0.25)
        assert not self.status()["clock_trusted"] and "clock not trusted" in self.board.run("skyglowd status", code=1)
        self.board.run(f"date -s @{int(time.time())}")
        self.connect()
        assert self.status()["clock_trusted"]
        self.says("1970: refused, the clock not trusted, and connected once it was set")
        assert self.trigger() == "none" and self.brightness(self.at.link_led) > 0
        assert not self.board.is_on(self.at.message) and not self.board.is_on(self.at.inverted)
        self.says("connected over TCP: link light steady")

    def notify(self):
        mark, begin = time.time(), time.monotonic()
        self.server.ask("mark")
        self.server.ask(f"notify {self.token} title=Door sound=bell")
        self.board.wait(self.at.message, True)
        self.board.wait(self.at.inverted, True)
        took = time.monotonic() - begin
        self.server.ask("wait acked status=0")
        assert self.at.message_led is None or self.brightness(self.at.message_led) > 0
        return mark, took

    def notification(self):
        mark, took = self.notify()
        self.says(f"notification: line {self.at.message.number} high and the active-low one low after "
                  f"{took * 1000:.0f} ms, acknowledged")
        time.sleep(0.8)
        beeps = lengths(self.board.changes(self.at.buzzer, mark), True)
        assert len(beeps) == 1, f"{len(beeps)} beeps"
        self.says(f"buzzer: one beep of {near(beeps, 0.12):.3f} s")

    def still(self):
        """Connected, a light that blinks slowly, nothing to do: the kernel blinks and the process sleeps."""
        led = self.at.message_led or self.at.link_led
        self.board.run("cp $SKYGLOWD_CONFIG /run/kept.conf; sed -i -e 's/^message = .*/message = led:" + led + "/'"
                       + (" -e '/^link =/d'" if led == self.at.link_led else "") + " $SKYGLOWD_CONFIG")
        self.board.run("printf '[route all]\\nbundle = *\\nlight = slow\\n' >>$SKYGLOWD_CONFIG; skyglowd reload")
        self.server.ask("mark")
        self.server.ask(f"notify {self.token} title=Door")
        self.server.ask("wait acked status=0")
        time.sleep(1)
        assert "[timer]" in self.board.run(f"cat /sys/class/leds/{led}/trigger")
        count = "grep ^voluntary /proc/$(cat /run/pid)/status"
        before = self.board.run(count)
        time.sleep(self.idle)
        after = self.board.run(count)
        assert before == after, f"woken while idle: {before} {after}"
        self.says(f"idle for {self.idle} s, {led} blinking slowly: not woken once")
        self.board.run("cp /run/kept.conf $SKYGLOWD_CONFIG; skyglowd reload")
        self.board.wait(self.at.link, True)

    def button(self):
        bounces = [(1, 0.002), (0, 0.002)] * 3
        self.board.drive(self.at.button, *bounces, (1, 0.2), *[(0, 0.002), (1, 0.002)] * 3, (0, 0))
        self.board.wait(self.at.message, False)
        self.board.wait(self.at.inverted, False)
        assert self.board.run("skyglowd inbox --unread 2>/dev/null") == ""
        presses = self.board.run("skyglowd log | grep -c 'button: everything'", code=None)
        assert presses == "1", f"{presses} presses"
        self.says("button with bouncing contacts: one press, the light is out, the inbox read")

    def button_with_other_actions(self):
        """The button does what the configuration says, after as long as it says."""
        self.board.run("cp $SKYGLOWD_CONFIG /run/kept.conf")
        # The section of the panel is the last one.
        self.board.run("printf 'press = reconnect\\nhold = read-all\\nhold-time = 1\\n' >>$SKYGLOWD_CONFIG; skyglowd reload")
        self.notify()
        logged = {words: self.presses(words) for words in ("reconnect", "everything", "panel test")}
        self.board.drive(self.at.button, (1, 0.3), (0, 0))
        wait_until(lambda: self.presses("reconnect") == logged["reconnect"] + 1, 10, "a short press reconnects")
        self.connect()
        assert self.board.is_on(self.at.message)
        self.board.drive(self.at.button, (1, 1.5), (0, 0))
        self.board.wait(self.at.message, False)
        self.board.run("cp /run/kept.conf $SKYGLOWD_CONFIG; skyglowd reload")
        after = {words: self.presses(words) - before for words, before in logged.items()}
        assert after == {"reconnect": 1, "everything": 1, "panel test": 0}, after
        self.says("button with other actions: a short press reconnects, one of 1.5 s puts the light out")

    def patterns(self):
        """The levels over time of the line that the gateway switches, and of that of the LED that the kernel does."""
        self.board.run("cp $SKYGLOWD_CONFIG /run/kept.conf; printf '[route all]\\nbundle = *\\nlight = off\\n' >>$SKYGLOWD_CONFIG")
        # How many changes are waited for, and how long it is on, off within a pair, and off between two.
        for name, count, length, gap, rest in (("slow", 5, 1, None, 1), ("double", 9, 0.1, 0.15, 1.65), ("pulse", 4, 0.08, None, 4.92)):
            self.board.run(f"sed -i 's/^light = .*/light = {name}/' $SKYGLOWD_CONFIG; skyglowd reload; skyglowd read all")
            for line in (self.at.message, self.at.inverted):
                self.board.wait(line, False)
            mark = time.time()
            self.server.ask("mark")
            self.server.ask(f"notify {self.token} title=Door")
            self.server.ask("wait acked status=0")
            for line in (self.at.message, self.at.inverted):
                wait_until(lambda: len(self.board.changes(line, mark)) >= count, 15, f"{count} changes of line {line.number}")
                changes = self.board.changes(line, mark)[:count]
                assert [on for _, on in changes] == ([True, False] * count)[:count], changes
                if line is self.at.inverted and self.at.message_led:
                    # How the kernel's trigger begins, depends on how soon udevd makes its files writable.
                    del changes[0]
                offs = lengths(changes, False)
                within = [off for off in offs if gap and off < 0.5]
                on, off = near(lengths(changes, True), length), near([off for off in offs if off not in within], rest)
                pairs = f"{near(within, gap):.3f} and " if gap else ""
                self.says(f"{name}: line {line.number} {on:.3f} s on, {pairs}{off:.3f} s off")
        self.board.run("cp /run/kept.conf $SKYGLOWD_CONFIG; skyglowd reload; skyglowd read all")
        self.board.wait(self.at.message, False)
        self.board.wait(self.at.inverted, False)

    def presses(self, words):
        return int(self.board.run(f"skyglowd log | grep -c 'button: {words}'", code=None))

    def panel_test(self):
        mark = time.time()
        if self.at.button is None:
            self.board.run("skyglowd read all && skyglowd panel test")
        else:
            self.board.drive(self.at.button, (1, 2.6), (0, 0))
        time.sleep(1.5)
        changes = self.board.changes(self.at.message, mark)
        on, off = near(lengths(changes, True), 0.125), near(lengths(changes, False), 0.125)
        wait_until(lambda: self.board.changes(self.at.buzzer, mark)[3:], 20, "the buzzer had its turn")
        self.says(("" if self.at.button is None else "long press: ")
                  + f"panel test, line {self.at.message.number} blinks {on:.3f} s on, {off:.3f} s off; two beeps")
        time.sleep(1.5)
        self.board.wait(self.at.link, True)

    def in_use(self):
        refused = self.board.run("skyglowd panel off 2>&1", code=69)
        assert self.board.is_on(self.at.link), refused
        self.board.run("sed s:/skyglow$:/other: $SKYGLOWD_CONFIG >/run/other.conf")
        said = self.board.run("skyglowd -c /run/other.conf panel off 2>&1", code=69)
        assert "in use by `skyglowd` on /dev/gpiochip" in said, said
        self.says("a line in use: " + said.splitlines()[-1])

    def memory(self):
        """After lights, beeps, presses and the panel test. Only a counting build knows."""
        count = json.loads(self.board.run("skyglowd status --json"))["memory"]["allocations_since_ready"]
        if count is not None:
            assert count == 0, f"{count} allocations since READY"
            self.says("allocations since READY: none")

    def stop(self):
        self.board.run("skyglowd stop")
        assert not self.board.is_on(self.at.message) and not self.board.is_on(self.at.inverted)
        assert self.trigger() == "heartbeat"
        self.says("stopped: lines inactive, the link LED has its heartbeat again")

    def killed(self):
        self.start()
        self.connect()
        self.notify()
        self.board.run("kill -9 $(cat /run/pid)")
        time.sleep(0.5)
        assert self.board.is_on(self.at.link), "the dead gateway's light went out by itself"
        self.board.run("skyglowd panel off")
        for line in (self.at.message, self.at.inverted, self.at.buzzer, self.at.link):
            self.board.wait(line, False, seconds=1)
        assert self.trigger() == "heartbeat"
        self.says("kill -9 and panel off: everything is out, the link LED has its heartbeat again")

    def after_the_crash(self):
        """The light comes back from what is durable."""
        self.start()
        self.board.wait(self.at.message, True)
        self.connect()
        self.board.run("skyglowd read all")
        self.board.wait(self.at.message, False)
        self.says("started again: the unread notification lights up, read from the command line it goes out")

    def wrong_years(self):
        """A board that is new, and a server, in the same wrong year; then in another one, after a boot."""
        self.board.run("mv /var/lib/skyglow /var/lib/kept && mkdir -m 700 /var/lib/skyglow && chown skyglow:skyglow /var/lib/skyglow")
        token = self.token
        for year, seconds in (("1970", IN_1970), ("2014", IN_2014)):
            self.board.run(f"echo 0000{year}-0000-4000-8000-000000000000 >/run/boot && "
                           "mount -o bind /run/boot /proc/sys/kernel/random/boot_id")
            away = seconds - int(time.time())
            self.server.ask(f"fault clock {away}")
            self.board.run(f"date -s @{seconds}")
            if token == self.token:
                self.token = self.board.run("skyglowd token add org.example.door")
            self.start()
            self.connect()
            assert not self.status()["clock_trusted"] and self.board.run("skyglowd log -n 1").startswith(f"{year}-01-01T")
            self.still_valid(away)
            self.says(f"{year}: connected, dates are judged in that year, the clock not trusted")
            self.board.run("skyglowd read all; skyglowd stop; umount /proc/sys/kernel/random/boot_id")
        self.token = token
        self.board.run("rm -rf /var/lib/skyglow && mv /var/lib/kept /var/lib/skyglow")
        self.server.ask("fault clock off")
        self.board.run(f"date -s @{int(time.time())}")

    def after_a_crash_without_panel_off(self):
        """As on a board without systemd: what the LED had first is known all the same."""
        self.board.run("kill -9 $(cat /run/pid)")
        time.sleep(0.5)
        assert self.trigger() == "none"
        self.start()
        self.connect()
        self.board.run("skyglowd stop")
        assert self.trigger() == "heartbeat"
        assert self.board.run("wc -l </run/skyglow/lights") == "1"
        self.says("kill -9, started and stopped: the link LED has its heartbeat again")

    def clock(self):
        """The server goes to 2040, and the board follows when its clock is set; then the board's falls back alone. Where the
        guest's own date(1) ends in 2038, it is 2037."""
        ends = "invalid" in self.board.run(f"date -u -d @{IN_2040} +%Y 2>&1", code=None)
        year, there = ("2037", IN_2037) if ends else ("2040", IN_2040)
        self.start()
        self.connect()
        ahead = there - int(time.time())
        self.server.ask(f"fault clock {ahead}")
        self.board.run("skyglowd reconnect")
        wait_until(lambda: self.status()["state"] == "error-auth", 60, "refused", pause=0.25)
        self.server.ask("mark")
        self.board.run(f"date -s @{int(time.time()) + ahead}")
        # No command may wake it.
        self.server.ask("wait authenticated within=20")
        self.connect()
        assert self.status()["clock_trusted"] and self.board.run("skyglowd log -n 1").startswith(f"{year}-01-01T")
        self.still_valid(ahead)
        self.says(f"{year}: refused, and connected by itself once the clock was set")
        self.board.run(f"date -s @{IN_1970}")
        self.still_valid(ahead)
        status = self.status()
        assert status["clock_trusted"] and abs(status["clock_offset"] - (there - IN_1970)) < 300, status
        self.says(f"back in 1970 by mistake: corrected by {status['clock_offset']} s, nothing has expired")
        self.server.ask("fault clock off")
        self.board.run(f"date -s @{int(time.time())}; skyglowd read all; skyglowd stop")

    def still_valid(self, ahead):
        """A notification that expires in ten minutes is shown, one that expired before is not."""
        for expires, status in ((600, 0), (-600, 3)):
            self.server.ask("mark")
            self.server.ask(f"notify {self.token} title=Door expires={ahead + expires}")
            self.server.ask(f"wait acked status={status}")

    def all(self):
        pressed = [self.button, self.button_with_other_actions]
        steps = [self.boot, self.away, self.online, self.notification, self.still, *pressed, self.patterns,
                 self.panel_test, self.in_use, self.memory, self.stop, self.killed, self.after_the_crash,
                 self.after_a_crash_without_panel_off, self.wrong_years, self.clock]
        for step in steps:
            if step not in pressed or self.at.button is not None:
                step()
        self.says("passed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument("--testbed", type=Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--machine", choices=LAYOUTS, required=True)
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
        layout = LAYOUTS[options.machine]
        board = layout.board([word.replace("RELAY-COMMAND", relay) for word in options.qemu], options.directory)
        try:
            Witness(layout, board, server, options).all()
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
