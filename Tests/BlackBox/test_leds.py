"""LEDs of the kernel's LED class: in a mount namespace, a tree of plain files stands in for /sys/class/leds.

A plain file keeps no list of triggers: what was written is put into the kernel's form where a gateway comes to read it.
"""
import random
import re
import subprocess
import time

import pytest

TRIGGERS = ("none", "mmc0", "heartbeat", "timer", "pattern")


class Tree:
    """LEDs that a person has set: each with a trigger and a brightness."""

    def __init__(self, path, **leds):
        self.path = path
        for name, (trigger, brightness) in leds.items():
            (path / name).mkdir(parents=True)
            (path / name / "max_brightness").write_text("255\n")
            self.set(name, trigger, brightness)

    def set(self, name, trigger, brightness):
        (self.path / name / "trigger").write_text(
            " ".join(f"[{t}]" if t == trigger else t for t in TRIGGERS) + "\n")
        (self.path / name / "brightness").write_text(f"{brightness}\n")

    def get(self, name):
        """Trigger in force and brightness. A write that was cut off by a kill has emptied the file, which the kernel's
        files do not know."""
        trigger, brightness = ((self.path / name / file).read_text().strip() for file in ("trigger", "brightness"))
        marked = re.search(r"\[(.+?)\]", trigger)
        return marked[1] if marked else trigger or "none", int(brightness or 0)

    def settle(self):
        """As the kernel shows it."""
        for led in self.path.iterdir():
            self.set(led.name, *self.get(led.name))
            for file in ("delay_on", "delay_off", "pattern"):
                (led / file).write_text("")


@pytest.fixture
def board(world, root, tmp_path):
    """A gateway without a server and two LEDs."""
    tree = Tree(tmp_path / "leds", ACT=("mmc0", 7), PWR=("none", 255))
    script = tmp_path / "board"
    script.write_text(f"""#!/bin/sh -e
mount -t tmpfs tmpfs /sys/class
mkdir /sys/class/leds
mount --bind {tree.path} /sys/class/leds
exec "$@"
""")
    script.chmod(0o755)
    inside = ["unshare", "--mount", "--propagation", "private", str(script)]
    if subprocess.run([*inside, "true"], capture_output=True).returncode != 0:
        pytest.skip("NOT RUN: nothing can be mounted here")
    gateway = world.gateway(binary=[*inside, *world.settings.binary])
    gateway.configure("server", address=None, certificate=None, endpoint=None)
    del gateway.sections["server"]
    gateway.configure("panel", message="led:ACT", link="led:PWR")
    gateway.tree = tree
    gateway.kept = lambda: (gateway.runtime / "lights").read_text().splitlines()[1:]
    tree.settle()
    return gateway


def start(board):
    board.tree.settle()
    board.start(connect=False)
    board.wait_running()


def kill(board):
    board.kill()
    board.tree.settle()


def test_an_orderly_stop_gives_them_back(board):
    start(board)
    assert board.tree.get("ACT") == ("none", 0)
    assert board.kept() == ["ACT 7 mmc0", "PWR 255 none"]
    board.stop()
    assert board.tree.get("ACT") == ("mmc0", 7) and board.tree.get("PWR") == ("none", 255)
    assert board.kept() == []
    # What was given back is on without a trigger, and stays so.
    board.tree.settle()
    board.cli("panel", "off")
    assert board.tree.get("ACT") == ("mmc0", 7) and board.tree.get("PWR") == ("none", 255)


def test_panel_off_after_kill_9_gives_them_back(board):
    start(board)
    kill(board)
    assert board.tree.get("ACT") == ("none", 0) and board.tree.get("PWR") != ("none", 255)
    board.cli("panel", "off")
    assert board.tree.get("ACT") == ("mmc0", 7) and board.tree.get("PWR") == ("none", 255)
    assert board.kept() == []


def test_stopped_in_order_after_kill_9(board):
    """Without a `panel off` in between, which only systemd and a person's stop call."""
    for _ in range(3):
        start(board)
        kill(board)
    start(board)
    board.tree.settle()
    board.stop()
    assert board.tree.get("ACT") == ("mmc0", 7) and board.tree.get("PWR") == ("none", 255)


def test_killed_at_any_moment(board, settings):
    """Whichever call was the last one, the state before the first start is never lost."""
    moments = random.Random(settings.seed)
    for _ in range(40):
        board.tree.settle()
        board.start(connect=False)
        time.sleep(moments.uniform(0, 0.12) * settings.slow_factor)
        kill(board)
        # Before the first has come so far as to write the file, nothing is known, and what is on is put out.
        if (board.runtime / "lights").exists() and moments.random() < 0.2:
            board.cli("panel", "off")
            assert board.tree.get("ACT") == ("mmc0", 7) and board.tree.get("PWR") == ("none", 255)
    start(board)
    board.stop()
    assert board.tree.get("ACT") == ("mmc0", 7) and board.tree.get("PWR") == ("none", 255)
    assert board.kept() == []


def test_no_longer_configured(board):
    start(board)
    kill(board)
    board.configure("panel", message="none")
    start(board)
    assert board.tree.get("ACT") == ("mmc0", 7)
    kill(board)
    board.configure("panel", link="none")
    board.cli("panel", "off")
    assert board.tree.get("ACT") == ("mmc0", 7) and board.tree.get("PWR") == ("none", 255)


@pytest.mark.parametrize("damage", ["cut", "boot", "link", "shared", "name", "trigger"])
def test_a_file_that_is_not_to_be_trusted(board, damage, tmp_path):
    """Then an LED is put out, as one of which nothing is known; and a trigger that it has not is never written."""
    start(board)
    kill(board)
    file = board.runtime / "lights"
    text = file.read_text()
    assert board.kept() == ["ACT 7 mmc0", "PWR 255 none"]
    if damage == "cut":
        file.write_text(text[:-1])
    elif damage == "boot":
        file.write_text(re.sub(r"[0-9a-f]{12}\n", "0" * 12 + "\n", text, count=1))
    elif damage == "link":
        (tmp_path / "elsewhere").write_text(text)
        file.unlink()
        file.symlink_to(tmp_path / "elsewhere")
    elif damage == "shared":
        file.chmod(0o666)
    elif damage == "name":
        file.write_text(text.replace("PWR", "../leds/PWR"))
    elif damage == "trigger":
        file.write_text(text.replace("mmc0", "mmc7"))
    board.cli("panel", "off")
    assert board.tree.get("ACT") == ("none", 7 if damage == "trigger" else 0)
    assert board.tree.get("PWR") == ("none", 255 if damage == "trigger" else 0)
    if damage == "link":
        assert (tmp_path / "elsewhere").read_text() == text


def test_a_runtime_directory_that_takes_no_file(board):
    """It is told, and the lights work."""
    (board.runtime / "lights").mkdir()
    start(board)
    assert any("what the LEDs showed before cannot be written down" in line for line in board.log())
    assert board.tree.get("PWR") != ("none", 255)
    board.tree.settle()
    board.stop()
    assert board.tree.get("ACT") == ("mmc0", 7) and board.tree.get("PWR") == ("none", 255)
