"""Pairing with daemons: what they say, when they say it, and what becomes of pairings that come to nothing."""
import base64
import http.client
import json
import os
import signal
import sqlite3
import subprocess
import time

import pytest

from harness import relay as r
from harness.web import Web, response

pytestmark = pytest.mark.host_only

GOOD = base64.b64encode(bytes([9]) + bytes(31)).decode()
P = 2**255 - 19
# All points of small order, in each of their forms (RFC 7748 §6.1; the numbers are those of Curve25519's page).
SMALL = [0, 1, P - 1, P, P + 1,
         325606250916557431795983626356110631294008115727848805560023387167927233504,
         39382357235489614581723060781553021112529911719440698176882885853963445705823]
WEAK = [n + high for n in SMALL for high in (0, 2**255) if n + high < 2**256]


@pytest.fixture
def board(world):
    """With a relay and a daemon to pair with, not running."""
    gateway = world.gateway()
    gateway.sections.pop("server")
    gateway.configure("relay", listen=f"127.0.0.1:{r.free_port()}")
    gateway.daemon = world.keep(r.FakeDaemon())
    return gateway


def link(board, **members):
    members = {"v": 1, "name": "cellar", "url": board.daemon.url, "token": "t", **members}
    return json.dumps({k: v for k, v in members.items() if v is not ...})


def answering(board, text, name="answer"):
    """A command that reads what it is given and does this."""
    script = board.directory / name
    script.write_text(f"#!/bin/sh\ncat >{board.directory}/given\n{text}\n")
    script.chmod(0o755)
    board.configure("relay", command=str(script))
    return script


def say(key=GOOD, v=1):
    return f"echo '{json.dumps({'v': v, 'daemonKey': key})}'"


# ---- the order of things ----------------------------------------------------------------------------------------------

def test_a_daemon_that_sends_at_once(board):
    """It has a grant before it has answered: the board takes what it sends, though it cannot open that yet."""
    board.start(connect=False)
    board.wait_running()
    program = f"{' '.join(board.binary)} -c {board.config} note"
    for number, host in enumerate(("me@first", "me@second"), 1):
        file = board.directory / f"sender{number}"
        script = board.directory / f"script{number}"
        script.write_text(f"#!/bin/sh\n{program} pair {file}\n{program} send {file} worker early 2>{file}.err\necho $? >{file}.code\n")
        script.chmod(0o755)
        board.configure("relay", command=str(script))
        board.cli("pair", "pocketty", host)
        assert ((board.directory / f"sender{number}.code").read_text(), (board.directory / f"sender{number}.err").read_text()) == ("0\n", "")
        assert file.exists() and len(board.rows()) == 2 * number - 1
        board.cli("note", "send", str(file), "worker", "late")
        assert board.rows()[0]["title"] == "worker: late" and len(board.rows()) == 2 * number


def test_the_message_for_a_daemon_that_has_lost_its_side(board):
    answering(board, say())
    board.cli("pair", "pocketty", "me@desk")
    (board.directory / "given").unlink()
    done = board.cli("pair", "pocketty", "me@desk")
    assert "already" in done.stdout and "skyglowd unpair 1" in done.stdout and not (board.directory / "given").exists()
    board.cli("unpair", "1")
    board.cli("pair", "pocketty", "me@desk")
    assert (board.directory / "given").exists()


@pytest.mark.parametrize("text,code", [("exit 3", 69), ("true", 65), ("echo hello", 65), ("echo '{'", 65), ("kill -9 $$", 69),
                                       (say() + "; exit 3", 69), ("printf 'x%.0s' $(seq 70000)", 65)])
def test_pairings_that_come_to_nothing(board, text, code):
    answering(board, text)
    done = board.cli("pair", "pocketty", "me@desk", code=code)
    assert done.stderr and not done.stdout and board.json("pairings") == []


def test_a_pairing_that_fails_leaves_that_of_before(board):
    answering(board, say())
    board.cli("pair", "pocketty", "me@desk")
    before = board.json("pairings")
    board.configure("relay", address="http://board.lan:1/")
    answering(board, "exit 3")
    board.cli("pair", "pocketty", "me@desk", code=69)
    assert board.json("pairings") == before
    answering(board, say())
    assert "paired with me@desk as 1\n" == board.cli("pair", "pocketty", "me@desk").stdout
    assert json.loads((board.directory / "given").read_text())["relay"] == "http://board.lan:1"


# ---- the gateway that runs --------------------------------------------------------------------------------------------

def test_a_gateway_that_takes_no_notice(board):
    """The pairing is gone, and it still takes what that daemon sends: no success."""
    board.cli("pair", "cronstable", link(board))
    board.start(connect=False)
    board.wait_running()
    (board.state / "relay-seal.key").write_bytes(b"x" * 31)
    done = board.cli("unpair", "1", code=69)
    assert "the running gateway takes no notice: the pairings could not be read" in done.stderr
    assert board.json("pairings") == []


@pytest.mark.slow
def test_a_gateway_that_hangs(board):
    board.cli("pair", "cronstable", link(board))
    board.start(connect=False)
    board.wait_running()
    board.signal(signal.SIGSTOP)
    try:
        done = subprocess.run([*board.binary, "-c", str(board.config), "unpair", "1"], capture_output=True, text=True)
        assert done.returncode == 69 and "takes no notice" in done.stderr
    finally:
        board.signal(signal.SIGCONT)


def test_another_directory_takes_a_restart(board):
    """Until then keys and pairings stay together."""
    board.cli("pair", "cronstable", link(board))
    board.start(connect=False)
    board.wait_running()
    before = board.log()
    (board.directory / "other").mkdir()
    board.configure("state", directory=str(board.directory / "other"))
    board.cli("reload")
    assert any("other directories take a restart" in line for line in board.log_after(before))
    board.cli("pair", "rotate")
    assert board.status()["relay"]["pairings"] == 1
    board.configure("state", directory=str(board.state))
    board.cli("pair", "rotate")
    assert board.status()["relay"]["pairings"] == 1
    _, _, body = board.daemon.requests[-1]
    relay_port = int(board.sections["relay"]["listen"].rpartition(":")[2])
    env = {"v": 1, "device": body["pushToken"], "ciphertext": "AAAA", "collapseId": "0" * 32, "priority": "passive", "event": False}
    connection = http.client.HTTPConnection("127.0.0.1", relay_port, timeout=10)
    connection.request("POST", "/v1/notify", json.dumps(env))
    assert connection.getresponse().status == 202
    connection.close()
    assert not (board.directory / "other" / "relay-seal.key").exists(), "nothing is made there"


# ---- names and words of others ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("name,kept", [
    ("x" + "é" * 40, "x" + "é" * 31), ("é" * 32, "é" * 32), ("é" * 33, "é" * 32), ("🔔" * 17, "🔔" * 16), ("", ""),
    ("x" * 63 + "€", "x" * 63), ("x" * 64, "x" * 64), ("x" * 65, "x" * 64), ("a\x1b[31mb\nc\"\\", "a\x1b[31mb\nc\"\\")])
def test_names(board, name, kept):
    """Cut between characters, whole in JSON, and never obeyed by a terminal."""
    done = board.cli("pair", "cronstable", link(board, name=name))
    assert [p["name"] for p in board.json("pairings")] == [kept]
    text = done.stdout + board.cli("pairings").stdout
    assert not [c for c in text if c < " " and c != "\n"] and len(text.splitlines()) == 4


def test_an_answer_of_control_characters(board, world):
    answer = json.dumps({"error": "no\x1b]0;owned\x07\nskyglowd: paired\u202e\u009b"})
    web = world.keep(Web(response(answer, "403 Forbidden")))
    done = board.cli("pair", "cronstable", link(board, url=web.address), code=69)
    assert "the daemon answered 403 no" in done.stderr
    assert done.stderr.count("\n") == 1 and not set(done.stderr) & set("\x1b\x07\u202e\u009b")


def test_a_fingerprint_of_control_characters(board, world):
    board.daemon = world.keep(r.FakeDaemon(fingerprint="\x1b[2J\nfine"))
    done = board.cli("pair", "cronstable", link(board), code=65)
    assert len(done.stdout.splitlines()) == 3 and "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("url", ["http://a\x1b[2Jb", "http://a b", "http://é", "nonsense:", "http://me@desk"])
def test_addresses_that_are_none(board, url):
    done = board.cli("pair", "cronstable", link(board, url=url), code=65)
    assert "is no web address" in done.stderr and "\x1b" not in done.stderr and board.json("pairings") == []


def test_an_answer_with_words_around_it(board):
    """What the shell of an account says at login is not the answer, nor what comes after it."""
    answering(board, f"echo Welcome to desk; echo; echo 'hey {{'; {say()}; echo bye")
    board.cli("pair", "pocketty", "me@desk")
    assert len(board.json("pairings")) == 1


# ---- waiting ----------------------------------------------------------------------------------------------------------

def test_a_child_that_stays(board):
    """What the command leaves running holds its output open, as ssh does for what runs on the other side."""
    answering(board, f"sleep 60 2>/dev/null & echo $! >{board.directory}/pid\n{say()}")
    started = time.monotonic()
    board.cli("pair", "pocketty", "me@desk")
    assert time.monotonic() - started < board.settings.seconds(10)
    os.kill(int((board.directory / "pid").read_text()), signal.SIGKILL)


def test_a_command_that_stays(board):
    answering(board, f"{say()}\nexec sleep 60")
    started = time.monotonic()
    board.cli("pair", "pocketty", "me@desk")
    assert time.monotonic() - started < board.settings.seconds(15)


@pytest.mark.slow
def test_a_command_that_never_answers(board):
    answering(board, "exec sleep 600")
    started = time.monotonic()
    done = subprocess.run([*board.binary, "-c", str(board.config), "pair", "pocketty", "me@desk"], capture_output=True, text=True)
    assert done.returncode == 69 and "me@desk: no answer within 120 s" in done.stderr
    assert 119 < time.monotonic() - started < 130 and board.json("pairings") == []


# ---- standard input ---------------------------------------------------------------------------------------------------

def piped(board, pieces, *words):
    with subprocess.Popen([*board.binary, "-c", str(board.config), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        for piece in pieces:
            process.stdin.write(piece)
            process.stdin.flush()
            time.sleep(0.2)
        # It is not closed: the end of a line is enough.
        code = process.wait(board.settings.seconds(20))
        return code, process.stdout.read(), process.stderr.read()


def test_a_link_in_pieces(board):
    text = board.daemon.link()
    code, _, said = piped(board, [text[:40], text[40:90], text[90:] + "\n"], "pair", "cronstable", "-")
    assert (code, said) == (0, "")


@pytest.mark.parametrize("before,after", [("", ""), ("\n\r\n \t\n  ", " \r\n\n"), ("", "\nmore\n")])
def test_white_space_around_a_link(board, before, after):
    for text in (board.daemon.link(), board.daemon.link() + "==", link(board)):
        board.cli("pair", "cronstable", "-", input=before + text + after)


def test_json_on_several_lines(board):
    text = json.dumps(json.loads(link(board)), indent=2)
    code, _, said = piped(board, [text[:20], text[20:] + "\n"], "pair", "cronstable", "-")
    assert (code, said) == (0, "")


def test_note_pair_reads_in_pieces(board):
    text = json.dumps({"v": 1, "grant": "g", "relay": "http://127.0.0.1:1", "sealKey": GOOD}) + "\n"
    code, out, said = piped(board, ["\n", text[:30], text[30:]], "note", "pair", str(board.directory / "sender"))
    assert (code, said) == (0, "") and json.loads(out)["v"] == 1


@pytest.mark.parametrize("words", [["pair", "cronstable", "-"], ["note", "pair", "{file}"]], ids=["pair", "note"])
@pytest.mark.parametrize("text", ["", "\n\n \n", "x", "{", "{}", "[]", "{\"v\":1}", "x" * 4097, "{" + " " * 5000, "\0", "{\"v\":1}\n{"])
def test_standard_input_that_is_none(board, words, text):
    done = board.cli(*[w.format(file=board.directory / "sender") for w in words], input=text, code=65)
    assert done.stderr.count("\n") == 1 and not done.stdout and not (board.directory / "sender").exists()
    assert board.json("pairings") == []


# ---- versions and keys ------------------------------------------------------------------------------------------------

VERSIONS = [..., 0, 2, 7, -1, "1", 1.0, True, None, [1]]


@pytest.mark.parametrize("v", VERSIONS, ids=str)
def test_versions_of_links(board, v):
    done = board.cli("pair", "cronstable", link(board, v=v), code=65)
    assert "the pairing link" in done.stderr and "version" in done.stderr
    assert board.daemon.requests == [] and board.json("pairings") == []


@pytest.mark.parametrize("v", VERSIONS, ids=str)
def test_versions_of_answers(board, v):
    members = {"v": v, "daemonKey": GOOD}
    answering(board, "echo '" + json.dumps({k: x for k, x in members.items() if x is not ...}) + "'")
    done = board.cli("pair", "pocketty", "me@desk", code=65)
    assert "the answer of me@desk" in done.stderr and "version" in done.stderr and board.json("pairings") == []


@pytest.mark.parametrize("v", VERSIONS, ids=str)
def test_versions_of_what_the_board_gives(board, v):
    members = {"v": v, "grant": "g", "relay": "http://127.0.0.1:1", "sealKey": GOOD}
    text = json.dumps({k: x for k, x in members.items() if x is not ...})
    assert "version" in board.cli("note", "pair", str(board.directory / "sender"), input=text, code=65).stderr


@pytest.mark.parametrize("number", WEAK, ids=hex)
def test_keys_of_low_order(board, number):
    """Everybody knows what they agree on: nothing sealed by such a key says who sent it."""
    key = base64.b64encode(number.to_bytes(32, "little")).decode()
    answering(board, say(key))
    done = board.cli("pair", "pocketty", "me@desk", code=65)
    assert "the daemonKey of the answer of me@desk is no key" in done.stderr and board.json("pairings") == []
    text = json.dumps({"v": 1, "grant": "g", "relay": "http://127.0.0.1:1", "sealKey": key})
    assert "sealKey" in board.cli("note", "pair", str(board.directory / "sender"), input=text, code=65).stderr


@pytest.mark.parametrize("key", ["", "AAAA", base64.b64encode(bytes(31)).decode(), base64.b64encode(bytes(33)).decode(), "*" * 44])
def test_keys_of_another_length(board, key):
    answering(board, say(key))
    assert "has no daemonKey of 32 bytes" in board.cli("pair", "pocketty", "me@desk", code=65).stderr


# ---- the most ---------------------------------------------------------------------------------------------------------

def test_the_65th_pairing(board):
    board.cli("pairings")
    base = sqlite3.connect(board.state / "skyglow.db")
    for number in range(64):
        base.execute("INSERT INTO pairings(source, name, place, token, key, given, created) VALUES (1, 'n', ?, ?, x'', x'', 1)",
                     (f"http://h{number}", os.urandom(32)))
    base.commit()
    base.close()
    answering(board, say())
    for words in (["cronstable", link(board)], ["pocketty", "me@desk"]):
        done = board.cli("pair", *words, code=69)
        assert "64 daemons are paired, which is the most" in done.stderr and "unpair" in done.stderr
    board.cli("unpair", "1")
    board.cli("pair", "cronstable", link(board))
