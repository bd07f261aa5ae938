"""The systemd unit and what comes with it (demands: Hardware, Operations)."""
import re
import subprocess

import pytest

from conftest import ROOT, run

SERVICE = ROOT / "board/service"
UNIT = (SERVICE / "skyglowd.service").read_text()


def setting(name):
    """All values of a setting, in order."""
    return re.findall(rf"^{name}=(.*)$", UNIT, re.M)


def test_verify_has_nothing_to_say(tool, binary, tmp_path):
    unit = tmp_path / "skyglowd.service"
    unit.write_text(UNIT.replace("/usr/sbin/skyglowd", str(binary)))
    done = run(tool("systemd-analyze"), "verify", "--man=no", unit)
    assert done.stdout + done.stderr == ""


def test_verify_notices_a_fault(tool, binary, tmp_path):
    unit = tmp_path / "skyglowd.service"
    unit.write_text(UNIT.replace("/usr/sbin/skyglowd", str(binary)).replace("Restart=always", "Restart=sometimes"))
    done = run(tool("systemd-analyze"), "verify", "--man=no", unit, code=None)
    assert "sometimes" in done.stderr


def test_exposure_is_low(tool):
    done = run(tool("systemd-analyze"), "security", "--offline=true", "--no-pager", SERVICE / "skyglowd.service")
    exposure = float(re.search(r"exposure level for skyglowd.service: ([0-9.]+)", done.stdout)[1])
    assert exposure <= 2.5


def test_outputs_stay_within_reach():
    """PrivateDevices= hides the chips and makes /sys read-only, ProtectKernelTunables= the latter."""
    assert setting("PrivateDevices") == [] and setting("ProtectKernelTunables") == []
    assert setting("DevicePolicy") == ["closed"] and setting("DeviceAllow") == ["char-gpiochip rw"]
    assert setting("SupplementaryGroups") == ["gpio"]


@pytest.mark.parametrize("path", sorted(SERVICE.iterdir()), ids=lambda p: p.name)
def test_each_file_says_where_it_goes(path):
    """README: "to the places that its first lines name"."""
    first, second = path.read_text().splitlines()[:2]
    assert re.match(r"# Goes to /(usr/lib|etc)/[\w./-]+", second if first.startswith("#!") else first)


def test_what_keeps_it_running():
    assert setting("Type") == ["notify"] and setting("Restart") == ["always"]
    assert setting("WatchdogSec") and int(setting("RestartSec")[0]) > 0
    assert setting("ExecStart") == ["/usr/sbin/skyglowd run"]
    assert setting("ExecStopPost") == ["-/usr/sbin/skyglowd panel off"]
    assert setting("StartLimitIntervalSec") == ["0"]
    # The log ring and what the LEDs showed before have to outlive a crash.
    assert setting("RuntimeDirectoryPreserve") == ["yes"]
    # What no attempt can mend: EX_DATAERR and EX_CONFIG.
    assert setting("RestartPreventExitStatus") == ["65 78"]


def test_a_refused_call_does_not_exist():
    """systemd before 247 refuses calls that are newer than it: the C library then takes older ones, but only after ENOSYS."""
    assert setting("SystemCallErrorNumber") == ["ENOSYS"]


def test_the_clock_may_be_asked_about():
    """Whether a time service like chrony keeps it, which ProtectClock= forbids. Setting it takes other calls, or a
    capability that the service has not."""
    assert setting("ProtectClock") == [] and setting("CapabilityBoundingSet") == [""]
    assert setting("SystemCallFilter")[-1] == "clock_adjtime clock_adjtime64"


def test_users_and_directories(tool, tmp_path):
    """On a system that has neither the user nor the group; a missing group would fail the unit with 216."""
    (tmp_path / "etc").mkdir()
    for name in ("passwd", "group"):
        (tmp_path / "etc" / name).write_text("root:x:0:0::/root:/bin/sh\n" if name == "passwd" else "root:x:0:\n")
    conf = SERVICE / "skyglow.sysusers"
    run(tool("systemd-sysusers"), "--root", tmp_path, conf)
    users = {line.split(":")[0]: line.split(":") for line in (tmp_path / "etc/passwd").read_text().splitlines()}
    groups = {line.split(":")[0]: line.split(":") for line in (tmp_path / "etc/group").read_text().splitlines()}
    assert users["skyglow"][5:] == ["/var/lib/skyglow", "/usr/sbin/nologin"]
    assert groups["gpio"][3] == "skyglow"
    assert int(users["skyglow"][2]) < 1000 and {"gpio", "skyglow"} <= set(groups)
    before = (tmp_path / "etc/group").read_text()
    run(tool("systemd-sysusers"), "--root", tmp_path, conf)
    assert (tmp_path / "etc/group").read_text() == before
    for group in setting("SupplementaryGroups"):
        assert group in groups

    if subprocess.run(["id", "-u"], capture_output=True, text=True).stdout.strip() != "0":
        return
    run(tool("systemd-tmpfiles"), "--root", tmp_path, "--create", SERVICE / "skyglow.tmpfiles")
    state, runtime = tmp_path / "var/lib/skyglow", tmp_path / "run/skyglow"
    assert state.stat().st_mode & 0o777 == int(setting("StateDirectoryMode")[0], 8)
    assert runtime.stat().st_mode & 0o777 == int(setting("RuntimeDirectoryMode")[0], 8)
    assert state.stat().st_uid == int(users["skyglow"][2])


def rule(subsystem):
    """The shell command that udev runs for a device, before it has put in the path."""
    line = next(l for l in (SERVICE / "60-skyglow.rules").read_text().splitlines()
                if l.startswith(f'SUBSYSTEM=="{subsystem}"'))
    assert 'ACTION=="add|change"' in line
    return re.search(r"RUN\+=\"/bin/sh -c '(.*)'\"$", line)[1]


@pytest.mark.parametrize("subsystem, files, others", [
    ("leds", ["brightness", "trigger", "delay_on", "delay_off", "pattern"], ["max_brightness"]),
    ("leds", ["brightness", "trigger"], ["max_brightness", "uevent"]),
    ("pwm", ["export", "unexport"], ["npwm"]),
    ("pwm", ["export", "unexport", "pwm1/period", "pwm1/duty_cycle", "pwm1/enable"], ["npwm", "pwm1/polarity"]),
])
def test_rules_hand_over_the_files(tmp_path, subsystem, files, others):
    device = tmp_path / "sys/devices/x"
    for name in files + others:
        (device / name).parent.mkdir(parents=True, exist_ok=True)
        (device / name).touch()
        (device / name).chmod(0o644)
    group = run("id", "-gn").stdout.strip()
    command = rule(subsystem).replace("/sys$devpath", str(device)).replace("$$", "$").replace("chgrp gpio", f"chgrp {group}")
    done = run("/bin/sh", "-c", command)
    assert done.stderr == ""
    assert [f for f in files + others if (device / f).stat().st_mode & 0o020] == files


def test_rule_of_the_chips():
    assert 'SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="gpio", MODE="0660"' in (SERVICE / "60-skyglow.rules").read_text()


def test_modules_of_the_triggers():
    names = [l for l in (SERVICE / "skyglow.modules-load").read_text().splitlines() if not l.startswith("#")]
    assert names == ["ledtrig-timer"]
    # Every kernel of a Pi has the timer. One without patterns must not leave a failed service at each boot.
    lines = (SERVICE / "60-skyglow.rules").read_text().splitlines()
    assert 'SUBSYSTEM=="leds", ACTION=="add", RUN{builtin}+="kmod load ledtrig-pattern"' in lines
