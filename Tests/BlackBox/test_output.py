"""Output that goes nowhere: a command whose text was not written is not done, and says so."""
import sqlite3
import subprocess
import time

import pytest

from harness.certificates import issue, new_key, pem
from harness.relay import FakeDaemon, free_port

pytestmark = pytest.mark.host_only

PRINTING = [
    "--help", "--version", "check", "status", "status --json", "log", "log -n 1", "log --json", "log -f", "inbox",
    "inbox --json", "token add org.example.door", "token add org.example.door --json", "token list", "token list --json",
    "certificate show", "certificate show --json", "keepalive show", "keepalive show --json", "keepalive plot --network eth0",
    "keepalive plot --network eth0 --svg -", "pairings", "pairings --json", "pair rotate", "pair cronstable {link}",
    "note pair {directory}/sender",
]


@pytest.fixture(scope="module")
def board(module_world):
    """A running gateway that has something to say to every command."""
    gateway = module_world.gateway(port=9)
    (gateway.state / "server.pem").write_bytes(pem(issue("sgn.test", new_key())))
    gateway.configure("relay", listen=f"127.0.0.1:{free_port()}")
    gateway.add_token()
    gateway.daemon = module_world.keep(FakeDaemon())
    gateway.cli("pair", "cronstable", gateway.daemon.link())
    base = sqlite3.connect(gateway.state / "skyglow.db")
    now = int(time.time())
    base.execute("INSERT INTO networks(name, kind, key, proven, refuted, changed) VALUES ('eth0', 1, x'', 690, 780, ?)", (now,))
    base.execute("INSERT INTO intervals(network, time, idle, outcome, stage, interval) VALUES (1, ?, 690, 1, 0, 690)", (now - 60,))
    base.execute("INSERT INTO inbox(msg_id, bundle, source, received, stale, placeholder) "
                 "VALUES (x'00112233445566778899aabbccddeeff', 'org.example.door', 0, ?, 0, 0)", (now,))
    base.execute("INSERT INTO content(id, title, payload) VALUES (1, 'bell', '{}')")
    base.commit()
    base.close()
    gateway.start(connect=False)
    gateway.wait_running()
    yield gateway


def shell(board, redirection, line, **options):
    words = line.format(link=board.daemon.link(), directory=board.directory).split()
    given = '{"v":1,"grant":"g","relay":"http://127.0.0.1:9","sealKey":"CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}'
    return subprocess.run(["sh", "-c", f'exec "$@" {redirection}', "sh", *board.binary, "-c", str(board.config), *words],
                          input=given, capture_output=True, text=True, timeout=board.settings.seconds(20), **options)


@pytest.mark.parametrize("line", PRINTING)
def test_each_prints_something(board, line):
    """The tests below can fail."""
    if line == "log -f":
        return
    done = shell(board, "", line)
    assert done.returncode in (0, 1) and done.stdout, done


@pytest.mark.parametrize("line", PRINTING)
def test_a_full_disk(board, line):
    done = shell(board, ">/dev/full", line)
    assert done.returncode == 74 and "standard output: No space left on device\n" in done.stderr, done


@pytest.mark.parametrize("line", PRINTING)
def test_a_closed_descriptor(board, line):
    """Nothing that is opened meanwhile gets its number and the text."""
    done = shell(board, ">&-", line)
    assert done.returncode == 74 and "standard output: Bad file descriptor\n" in done.stderr, done
    assert board.json("token", "list")[0]["bundle"] == "org.example.door"


@pytest.mark.parametrize("line", PRINTING)
@pytest.mark.parametrize("ignored", [False, True], ids=["usual", "ignored"])
def test_a_reader_that_has_gone(board, line, ignored):
    """Quietly, whatever the caller made of SIGPIPE."""
    trap = "trap '' PIPE; " if ignored else ""
    words = line.format(link=board.daemon.link(), directory=board.directory).split()
    given = '{"v":1,"grant":"g","relay":"http://127.0.0.1:9","sealKey":"CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}'
    with subprocess.Popen(["sh", "-c", trap + 'sleep 0.1; exec "$@"', "sh", *board.binary, "-c", str(board.config), *words],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        process.stdin.write(given)
        process.stdin.close()
        said = process.stderr.read()
        assert process.wait(board.settings.seconds(20)) == 74
    assert "standard output" not in said and "Broken pipe" not in said


def test_what_was_asked_for_is_done_all_the_same(board):
    """Only its words are lost: the token is there, and the running gateway knows it."""
    assert shell(board, ">/dev/full", "token add org.example.bell").returncode == 74
    assert "org.example.bell" in [t["bundle"] for t in board.json("token", "list")]
    board.wait_status(lambda s: s["registrations"] == 2, "the gateway knows the token")
    board.cli("token", "delete", "org.example.bell")


def test_a_command_that_prints_nothing(board):
    for redirection in (">/dev/full", ">&-"):
        done = shell(board, redirection, "read all")
        assert (done.returncode, done.stderr) == (0, "")


def test_its_own_error_comes_first(board):
    done = shell(board, ">/dev/full", "unpair 77")
    assert done.returncode == 65 and "there is no pairing 77" in done.stderr
