"""Each profile is a configuration that works, as it is and with a server."""
import re

import pytest

from conftest import ROOT, run

PROFILES = sorted((ROOT / "board/profiles").glob("*.conf"))


def test_every_board_has_one():
    assert [p.stem for p in PROFILES] == ["generic", "pi-2", "pi-3", "pi-4", "pi-5", "pi-zero"]


@pytest.mark.parametrize("profile", PROFILES, ids=lambda p: p.stem)
def test_check(binary, tmp_path, profile):
    assert run(binary, "-c", profile, "check").stdout == "configuration OK\n"
    filled = tmp_path / "conf"
    text = profile.read_text()
    filled.write_text(text.replace("#[server]", "[server]").replace("#address =", "address ="))
    assert filled.read_text() != text
    assert run(binary, "-c", filled, "check").stdout == "configuration OK\n"


@pytest.mark.parametrize("profile", PROFILES, ids=lambda p: p.stem)
def test_the_marks_are_all_that_is_missing(binary, tmp_path, profile):
    """What a comment offers is known as well."""
    filled = tmp_path / "conf"
    filled.write_text(re.sub(r"^# (\w[\w-]* = \S.*)$", r"\1", profile.read_text(), flags=re.M))
    assert run(binary, "-c", filled, "check").stdout == "configuration OK\n"


# The header of every Pi from the A+ on, and its first 26 pins of all: the GPIO number, or what else is there.
HEADER = dict(enumerate(
    "3V3 5V 2 5V 3 GND 4 14 GND 15 17 18 27 GND 22 23 3V3 24 10 GND 9 25 11 8 GND 7 0 1 5 GND 6 12 13 GND 19 16 26 20 GND 21"
    .split(), 1))


@pytest.mark.parametrize("profile", [p for p in PROFILES if p.stem != "generic"], ids=lambda p: p.stem)
def test_the_drawing_is_of_the_header(profile):
    rows = re.findall(r"(\w+) +(\d+) \|o o\| +(\d+)  (\w+)", profile.read_text())
    drawn = {int(number): name for row in rows for name, number in (row[:2], row[:1:-1])}
    assert sorted(drawn) == list(range(1, 21))
    for number, name in drawn.items():
        assert name.removeprefix("GPIO") == HEADER[number]


@pytest.mark.parametrize("name, label, link", [
    ("pi-zero", "pinctrl-bcm2835", "led:ACT|led0"), ("pi-2", "pinctrl-bcm2835", "led:ACT|led0"),
    ("pi-3", "pinctrl-bcm2835", "led:ACT|led0"),
    # The 400 has but one, which is called as the other one elsewhere.
    ("pi-4", "pinctrl-bcm2711", "led:ACT|led0|PWR|led1"), ("pi-5", "pinctrl-rp1", "led:ACT|led0")])
def test_chips_and_drawing(name, label, link):
    text = (ROOT / f"board/profiles/{name}.conf").read_text()
    settings = dict(re.findall(r"^(\w+) = (.*)$", text, re.M))
    assert set(re.findall(r"gpio:!?([\w-]+):", text)) == {label}
    assert settings["link"] == link
    # The drawing shows the lines that the settings name, on the pins that they have on every header of 40.
    pins = dict((m[1], int(m[0])) for m in re.findall(r"\| +(\d+)  (GPIO\d+)", text))
    pins.update((m[0], int(m[1])) for m in re.findall(r"(GPIO\d+) +(\d+) \|", text))
    for role, pin in (("message", 11), ("buzzer", 15), ("button", 16)):
        line = "GPIO" + settings[role].rsplit(":", 1)[1]
        assert pins[line] == pin
