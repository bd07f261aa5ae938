"""Boards that cannot be deployed to, and the ways to be root on one."""
import os
import pty
import subprocess
import time

import pytest
from board import ROOT


def test_sudo_without_a_password(board, deploy, programs):
    deploy(board, "--binary", programs.edition(1), user="pi", first=True).said("root by sudo;")
    assert board.status() == "connected"


def test_sudo_with_a_password(make_board, deploy, programs):
    board = make_board(password="correct horse")
    deploy(board, "--binary", programs.edition(1), user="pi", input="wrong\n", code=77).said("sudo .* refuses")
    deploy(board, "--binary", programs.edition(1), user="pi", input="correct horse\nsgn.test\ny\n").said("with a password")
    assert board.status() == "connected"
    deploy(board, "--binary", programs.edition(2), "--yes", user="pi", code=77).said("asks for a password")


def test_neither_root_nor_sudo(board, deploy, programs):
    board.path("/usr/bin/sudo").unlink()
    before = board.tree()
    deploy(board, "--binary", programs.edition(1), user="guest", code=77, first=True).said("neither root nor sudo")
    assert board.tree() == before


def test_no_space(make_board, deploy, programs):
    board = make_board(small=("4m:/usr/local",))
    deploy(board, "--binary", programs.edition(1), first=True, code=74).said("no space on .*: [0-9]+ KiB are needed")
    assert board.run("find /usr/local -type f") == ""


def test_space_that_ends_while_copying(make_board, deploy, programs):
    """As on a system whose free space is not what df says: the copy fails and nothing of it stays."""
    board = make_board(shell="dash", small=("4m:/usr/local",))
    board.path("/usr/bin/df").unlink()
    board.path("/usr/bin/df").write_text("#!/usr/bin/sh\necho\necho 'disk 9 9 999999 1% /'\n")
    board.path("/usr/bin/df").chmod(0o755)
    deploy(board, "--binary", programs.edition(1), first=True, code=74).said("No space left").said("copy to .* failed")
    assert board.run("find /usr/local -type f") == ""


def fake_machine(board, name, shell):
    """A `uname -m` and a /bin/sh of another machine. What is run is found by other names; it is dash, because busybox's
    shell runs its own `uname`."""
    program = board.path("/usr/bin/uname")
    program.unlink()
    program.write_text(f"#!/usr/bin/ash\n[ \"$1\" = -m ] && echo {name} || echo Linux\n")
    program.chmod(0o755)
    if shell:
        (board.path("/bin")).unlink()
        board.path("/bin").mkdir()
        board.path("/bin/sh").write_bytes(shell)
        (board.path("/etc/ssh/sshd_config")).write_text(
            board.path("/etc/ssh/sshd_config").read_text() + "\nSetEnv PATH=/usr/bin:/usr/sbin\n")
        board.stop()
        board.start()


def elf(machine, bits=64, big=False):
    order = "big" if big else "little"
    head = b"\x7fELF" + bytes([bits // 32, 2 if big else 1, 1]) + bytes(9)
    rest = (2).to_bytes(2, order) + machine.to_bytes(2, order) + (1).to_bytes(4, order)
    size = 64 if bits == 64 else 52
    return (head + rest).ljust(size, b"\0")


ARM, AARCH64, X86_64, I386, RISCV = 40, 183, 62, 3, 243


@pytest.mark.parametrize("machine, shell, target", [
    ("aarch64", elf(AARCH64), "arm64"),
    ("aarch64", elf(ARM, 32), "armv6"),
    ("armv6l", elf(ARM, 32), "armv6"),
    ("armv7l", elf(ARM, 32), "armv6"),
    ("armv8l", elf(ARM, 32), "armv6"),
    ("x86_64", elf(I386, 32), "x86_64"),
    ("armv7l", b"#!/not/a/program", "armv6"),
])
def test_what_is_built_for_what(make_board, deploy, machine, shell, target):
    board = make_board(shell="dash")
    fake_machine(board, machine, shell)
    deploy(board, "--dry-run").said(f"builds for {target};")


def test_the_version_of_a_32_bit_userland(make_board, deploy):
    board = make_board(shell="dash")
    binary = ROOT / ".build/boards/armv6/skyglowd"
    if not binary.exists():
        pytest.skip("no armv6 binary to read")
    fake_machine(board, "aarch64", binary.read_bytes())
    deploy(board, "--dry-run").said("aarch64, 32-bit programs for ARM v[56]").said("builds for armv6;")


@pytest.mark.parametrize("machine, shell", [
    ("riscv64", elf(RISCV)), ("mips", b"none"), ("armv5tel", elf(ARM, 32)), ("i686", elf(I386, 32)),
    ("armv7b", elf(ARM, 32, big=True))])
def test_unknown_machines(make_board, deploy, machine, shell):
    board = make_board(shell="dash")
    fake_machine(board, machine, shell)
    deploy(board, "--dry-run", code=69).said(f"'{machine}'|big-endian")
    deploy(board, "--dry-run", "--target", "armv6").said("builds for armv6;")


def test_the_model_chooses_the_profile(board, deploy):
    if not (ROOT / "board/profiles").is_dir():
        pytest.skip("no profiles")
    deploy(board, "--dry-run").said("profile: generic")
    deploy(board, "--dry-run", "--profile", "generic").said("profile: generic")
    deploy(board, "--dry-run", "--profile", "no-such", code=64).said("no profile no-such")


@pytest.mark.parametrize("model, profile", [
    ("Raspberry Pi Model B Rev 1", "pi-zero"), ("Raspberry Pi Model B Rev 2", "pi-zero"),
    ("Raspberry Pi Model A Plus Rev 1.1", "pi-zero"), ("Raspberry Pi Compute Module Rev 1.0", "pi-zero"),
    ("Raspberry Pi Zero Rev 1.3", "pi-zero"), ("Raspberry Pi Zero W Rev 1.1", "pi-zero"),
    ("Raspberry Pi Zero 2 W Rev 1.0", "pi-3"), ("Raspberry Pi 2 Model B Rev 1.1", "pi-2"),
    ("Raspberry Pi 3 Model B Plus Rev 1.3", "pi-3"), ("Raspberry Pi 3 Model A Plus Rev 1.0", "pi-3"),
    ("Raspberry Pi Compute Module 3 Plus Rev 1.0", "pi-3"), ("Raspberry Pi 4 Model B Rev 1.4", "pi-4"),
    ("Raspberry Pi 400 Rev 1.0", "pi-4"), ("Raspberry Pi Compute Module 4 Rev 1.1", "pi-4"),
    ("Raspberry Pi 5 Model B Rev 1.0", "pi-5"), ("Raspberry Pi 500 Rev 1.0", "pi-5"),
    ("Raspberry Pi Compute Module 5 Rev 1.0", "pi-5"), ("Raspberry Pi 9", "generic"), ("Banana Pi 4", "generic"),
    ("", "generic"), ("Raspberry Pi $(touch /tmp/x) 4", "generic")])
def test_the_profile_of_each_model(model, profile):
    script = (ROOT / "cross/deploy").read_text()
    function = script[script.index("choose_profile() {"):]
    function = function[:function.index("\n}\n") + 3]
    done = subprocess.run(["bash", "-euc", f"profiles=$1\n{function}\nchoose_profile \"$2\"", "sh", ROOT / "board/profiles", model],
                          capture_output=True, text=True, check=True)
    assert done.stdout == profile + "\n"


def test_a_changed_host_key_is_shown(board, deploy):
    board.run("true")
    board.set_host_key("other-host")
    board.stop()
    board.start()
    deploy(board, "--dry-run", code=69).said("REMOTE HOST IDENTIFICATION HAS CHANGED").said("nothing was sent to it")


def test_nobody_listens(board, deploy):
    board.stop()
    deploy(board, "--dry-run", code=69).said("Connection refused").said("cannot connect to root@127.0.0.1")


def test_a_stranger_is_not_let_in(board, deploy):
    deploy(board, "--dry-run", user="nobody", code=69).said("Permission denied").said("cannot connect")


@pytest.mark.parametrize("words", [
    ["-oProxyCommand=touch /tmp/x"], ["--", "-oProxyCommand=true"], ["root@-oProxyCommand=true"], ["-root@board"],
    ["root@board;true"], ["root@board two"], ["root@board", "other"], [], ["root@"], ["@board"], ["--port", "x", "board"],
    ["--target", "vax", "board"], ["--fingerprint", "12", "board"], ["--address", "a b", "board"], ["--timeout"],
    ["--no-such", "board"], ["--endpoint", "a\n[log]", "board"], ["--profile", "../x", "board"]])
def test_wrong_command_lines(words):
    done = subprocess.run([ROOT / "cross/deploy", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=20)
    assert done.returncode == 64, done.stderr
    assert done.stderr.startswith("deploy: ") and done.stderr.endswith("(see --help)\n")


def test_a_terminal_sees_the_progress(board, deploy, programs):
    """On a terminal, questions are asked there and the copy shows one line that changes."""
    near, far = pty.openpty()
    child = subprocess.Popen(deploy.command(board, "--binary", programs.edition(1)), stdin=far, stdout=far, stderr=far,
                             start_new_session=True)
    os.close(far)
    text, end = b"", time.monotonic() + 60
    answers = [(b"later)? ", b"sgn.test\n"), (b"[y/N] ", b"y\n")]
    while time.monotonic() < end:
        try:
            data = os.read(near, 65536)
        except OSError:
            break
        text += data
        if answers and answers[0][0] in text:
            os.write(near, answers.pop(0)[1])
    assert child.wait() == 0, text.decode()
    assert b"\rdeploy: copying" in text and b"100 %" in text and not answers
