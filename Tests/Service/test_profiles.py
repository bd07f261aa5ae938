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


@pytest.mark.parametrize("name, label", [
    ("pi-zero", "pinctrl-bcm2835"), ("pi-2", "pinctrl-bcm2835"), ("pi-3", "pinctrl-bcm2835"),
    ("pi-4", "pinctrl-bcm2711"), ("pi-5", "pinctrl-rp1")])
def test_chips_and_drawing(name, label):
    text = (ROOT / f"board/profiles/{name}.conf").read_text()
    settings = dict(re.findall(r"^(\w+) = (.*)$", text, re.M))
    assert set(re.findall(r"gpio:!?([\w-]+):", text)) == {label}
    assert settings["link"] == "led:ACT|led0"
    # The drawing shows the lines that the settings name, on the pins that they have on every header of 40.
    pins = dict((m[1], int(m[0])) for m in re.findall(r"\| +(\d+)  (GPIO\d+)", text))
    pins.update((m[0], int(m[1])) for m in re.findall(r"(GPIO\d+) +(\d+) \|", text))
    for role, pin in (("message", 11), ("buzzer", 15), ("button", 16)):
        line = "GPIO" + settings[role].rsplit(":", 1)[1]
        assert pins[line] == pin
