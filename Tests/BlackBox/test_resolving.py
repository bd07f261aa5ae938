"""Finding the server by its DNS record (spec §1), and a board whose network or DNS comes late or never."""
import os
import signal
import socket
import sqlite3
import subprocess
import time

import pytest

from harness import wire
from harness.dns import DNS, REFUSED, SERVFAIL, TXT
from harness.settings import wait_until


@pytest.fixture
def dns(world):
    return world.keep(DNS())


@pytest.fixture
def board(world, peer, dns):
    """A gateway that knows nothing but its server's name and a DNS server."""
    gateway = world.gateway(peer)
    gateway.configure("server", endpoint=None)
    gateway.configure("resolver", servers=f"127.0.0.1:{dns.port}")
    return gateway


def record(peer, host="127.0.0.1", port=None):
    return f"tcp_addr={host} tcp_port={port or peer.port} http_addr=http://127.0.0.1:9"


# Name servers that fail; on a machine that has no network at all, the gateway says that instead.
NO_NAMES = ("resolving", "no-network")


def seconds_of_processor(gateway):
    fields = open(f"/proc/{gateway.process.pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def sleeps(gateway, seconds=2.0):
    """It waits for something and does not turn in circles."""
    before = seconds_of_processor(gateway)
    time.sleep(seconds)
    spent = seconds_of_processor(gateway) - before
    assert spent < 0.25 * seconds * (8 if gateway.settings.emulated else 1), f"{spent:.2f} s of processor time in {seconds} s"


# ---- the record -------------------------------------------------------------------------------------------------------

def test_a_record_with_an_address(board, peer, dns):
    dns.publish(record(peer))
    token = board.add_token()
    board.start()
    assert {name for name, _ in dns.questions} == {"_sgn.sgn.test"}
    assert board.status()["endpoint"] == f"127.0.0.1:{peer.port}"
    peer.wait_ack(peer.notify(token))


def test_a_record_with_a_host_name(board, peer, dns):
    """Operators publish names, though the specification says an address."""
    dns.publish(record(peer, "push.sgn.example"))
    dns.host("push.sgn.example", "127.0.0.1")
    board.start()
    assert ("push.sgn.example", 1) in dns.questions and ("push.sgn.example", 28) in dns.questions
    assert board.status()["endpoint"] == f"127.0.0.1:{peer.port}"


def test_a_record_with_brackets(board, peer, dns):
    """An IPv6 address as in front of a port: no name that DNS could be asked for."""
    dns.publish(record(peer, "[::ffff:127.0.0.1]"))
    board.start()
    assert {kind for _, kind in dns.questions} == {TXT}


def test_five_silent_name_servers_and_a_good_one(board, peer, dns):
    silent = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(5)]
    for one in silent:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in silent] + [dns.port]
    board.configure("resolver", servers=",".join(f"127.0.0.1:{port}" for port in ports))
    dns.publish(record(peer))
    board.start(connect=False)
    peer.wait("poll", seconds=10)
    assert board.status()["failures"] == 0
    for one in silent:
        one.close()


def test_an_endpoint_of_the_servers_name(board, peer, dns):
    """What the record said is no address of the host of that name, nor the other way round."""
    dns.publish(record(peer))
    board.start()
    board.stop()
    dns.host("sgn.test", "127.0.0.9", "127.0.0.1")
    board.configure("server", endpoint=f"sgn.test:{peer.port}")
    mark = dns.asked(1)
    board.start()
    assert dns.asked(1) > mark
    board.stop()
    board.configure("server", endpoint=None)
    dns.publish(record(peer, "127.0.0.1"))
    asked = dns.asked()
    board.start()
    assert board.status()["endpoint"] == f"127.0.0.1:{peer.port}" and sorted(rows(board)) == ["_sgn.sgn.test", "sgn.test"]
    assert dns.asked() >= asked


def test_a_host_with_addresses_that_do_not_answer(board, peer, dns):
    """The others are tried without waiting for the delay of a failure."""
    dns.publish(record(peer, "push.sgn.example"))
    dns.host("push.sgn.example", "127.0.0.2", "127.0.0.3", "127.0.0.1", "::1")
    begin = time.monotonic()
    board.start()
    assert time.monotonic() - begin < board.settings.seconds(5)
    assert board.status()["failures"] == 0


def test_an_endpoint_with_a_host_name(board, peer, dns):
    board.configure("server", endpoint=f"push.sgn.example:{peer.port}")
    dns.host("push.sgn.example", "127.0.0.1")
    board.start()
    assert not dns.asked(TXT)


@pytest.mark.parametrize("strings", [
    ["tcp_addr=127.0.0.1 tcp_po", "rt={port}"], ["", "tcp_addr=127", ".0.0.1 ", "tcp_port={port}", ""],
    ["v=1 tcp_port={port} later=x tcp_addr=127.0.0.1 =  "], ["tcp_addr=127.0.0.1 tcp_port={port} " + "x=" + "y" * 200, "z" * 250],
], ids=["in two strings", "in five", "unknown keys", "long"])
def test_forms_of_the_record(board, peer, dns, strings):
    dns.publish(*[s.format(port=peer.port) for s in strings])
    board.start()


def test_the_first_record_that_parses_wins(board, peer, dns):
    from harness.dns import text
    dns.records["_sgn.sgn.test", TXT] = [text("v=spf1 -all"), text("tcp_addr=127.0.0.1"), text("tcp_addr=127.0.0.1 tcp_port=0"),
                                         text(record(peer)), text(record(peer, port=9))]
    board.start()


def test_an_answer_by_tcp(board, peer, dns):
    from harness.dns import text
    dns.records["_sgn.sgn.test", TXT] = [text("x" * 250) for _ in range(4)] + [text(record(peer))]
    board.start()


@pytest.mark.parametrize("strings", [["v=spf1 -all"], ["tcp_addr=127.0.0.1"], ["tcp_port=7373"], ["tcp_addr= tcp_port=7373"],
                                     ["tcp_addr=127.0.0.1 tcp_port=99999"], ["tcp_addr=127.0.0.1 tcp_port=-1"], [""],
                                     ["tcp_addr=\x1b[2J tcp_port=7373"]])
def test_records_of_no_use(board, peer, dns, strings):
    dns.publish(*strings)
    board.start(connect=False)
    board.wait_state("backing-off")
    status = board.status()
    assert status["failures"] >= 1 and status["next_attempt"] and status["last_end"]
    assert any("_sgn.sgn.test" in line or "sgn.test" in line for line in board.log())
    assert "\x1b" not in "".join(board.log())
    dns.publish(record(peer))
    mark = peer.mark()
    board.cli("reconnect")
    board.wait_online(mark)


def test_bytes_that_are_no_text(board, peer, dns):
    dns.records["_sgn.sgn.test", TXT] = [b"\x05\x00\xff\x0a tc", bytes([3, 0xc3, 0x28, 0])]
    board.start(connect=False)
    board.wait_state(*NO_NAMES)
    board.wait_status(lambda s: s["failures"] >= 1 and s["last_end"], "a failure like any other")


# ---- DNS that fails ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("code", [SERVFAIL, REFUSED])
def test_failures_and_then_an_answer(board, peer, dns, code):
    """mosquitto #3438, inadyn #176: DNS is not there at boot. Five failures, then an answer: within 20 s."""
    dns.failures = [code] * 10      # each question is asked twice
    dns.publish(record(peer))
    begin = time.monotonic()
    board.start(connect=False)
    board.wait_state(*NO_NAMES)
    board.wait_status(lambda s: s["state"] in NO_NAMES and s["failures"] >= 2 and s["last_end"], "the state is told")
    peer.wait("poll", seconds=20)
    assert time.monotonic() - begin < board.settings.seconds(20)
    assert dns.asked() >= 11
    board.wait_status(lambda s: s["state"] == "connected" and s["failures"] == 0, "connected")


def test_no_such_name_and_then_there_is(board, peer, dns):
    board.start(connect=False)
    board.wait_state("backing-off")
    dns.publish(record(peer))
    peer.wait("poll", seconds=20)


def test_no_answer_at_all(board, peer, dns):
    """Never stuck: each attempt ends, the next one follows, and nothing turns in circles."""
    dns.silent = True
    board.start(connect=False)
    board.wait_state("resolving")
    sleeps(board)
    first = board.wait_status(lambda s: s["failures"] == 1, "the attempt ends", seconds=15)
    assert first["state"] in NO_NAMES and first["last_end"] and first["next_attempt"]
    board.wait_status(lambda s: s["failures"] == 2, "the next one ends", seconds=15)
    dns.silent = False
    dns.publish(record(peer))
    peer.wait("poll", seconds=30)


def test_a_dns_server_that_is_not_there(board, peer, dns):
    dns.close()
    board.start(connect=False)
    board.wait_state(*NO_NAMES)
    board.wait_status(lambda s: s["state"] in NO_NAMES and s["failures"] >= 1, "the attempt ends", seconds=12)
    sleeps(board, 1.0)
    board.wait_status(lambda s: s["failures"] >= 2, "the attempt is repeated", seconds=20)


def test_a_stop_while_resolving_is_quick(board, dns):
    dns.silent = True
    board.start(connect=False)
    board.wait_state("resolving")
    begin = time.monotonic()
    board.stop()
    assert time.monotonic() - begin < board.settings.seconds(3)


def test_answers_that_are_none(board, peer, dns):
    """Garbage under the right identifier is as good as silence."""
    answer = dns._answer
    dns._answer = lambda packet: answer(packet)[:2] + os.urandom(40) if dns.garbage else answer(packet)
    dns.garbage = True
    dns.publish(record(peer))
    board.start(connect=False)
    board.wait_state(*NO_NAMES)
    board.wait_status(lambda s: s["failures"] >= 1, "the attempt ends", seconds=15)
    dns.garbage = False
    peer.wait("poll", seconds=20)


# ---- a server that moves ----------------------------------------------------------------------------------------------

def test_another_port_is_found_after_a_failed_connection(world, board, peer, dns):
    cable = world.wire(peer)
    dns.publish(record(peer, port=cable.port))
    token = board.add_token()
    board.start()
    mark, asked = peer.mark(), dns.asked()
    dns.publish(record(peer))
    cable.close()
    peer.wait("poll", after=mark, seconds=25)
    assert dns.asked() > asked
    board.wait_status(lambda s: s["endpoint"] == f"127.0.0.1:{peer.port}", "the new port")
    peer.wait_ack(peer.notify(token))


def test_a_dns_outage_does_not_keep_a_board_from_coming_back(board, peer, dns):
    dns.publish(record(peer))
    board.start()
    dns.silent = True
    mark = peer.mark()
    board.cli("reconnect")
    board.wait_online(mark)


def test_another_certificate_makes_it_ask_again(world, board, peer, dns, tmp_path):
    """Another server at the old address: the record is asked for and leads to the right one."""
    from harness import certificates
    certificates.server_files(tmp_path / "thief")
    thief = world.peer(directory=tmp_path / "thief")
    dns.publish(record(peer, port=thief.port))
    board.start(connect=False)
    board.wait_state("backing-off")
    dns.publish(record(peer))
    peer.wait("poll", seconds=20)
    assert not thief.since(0, "frame")


def rows(board):
    """Names of which the board knows where they were found."""
    with sqlite3.connect(f"file:{board.state}/skyglow.db?mode=ro", uri=True) as database:
        return [name for name, in database.execute("SELECT name FROM names")]


def test_where_the_server_was_found_is_kept_over_a_restart(board, peer, dns):
    dns.publish(record(peer))
    board.start()
    board.stop()
    assert rows(board) == ["_sgn.sgn.test"]
    dns.silent = True
    begin = time.monotonic()
    board.start()
    assert time.monotonic() - begin < board.settings.seconds(3)


def test_without_a_certificate_it_is_forgotten(board, peer, dns):
    dns.publish(record(peer))
    board.start()
    board.stop()
    certificate = board.state / "server.pem"
    certificate.rename(board.state / "away.pem")
    board.cli("run", code=78)
    assert rows(board) == []
    (board.state / "away.pem").rename(certificate)
    mark = dns.asked()
    board.start()
    assert dns.asked() > mark and rows(board) == ["_sgn.sgn.test"]


def test_what_a_change_of_certificate_leaves(world, board, peer, dns, tmp_path):
    """Another certificate is pinned now: what was found for the old one says nothing."""
    from harness import certificates
    certificates.server_files(tmp_path / "next")
    following = world.peer(directory=tmp_path / "next")
    dns.publish(record(peer))
    board.start()
    board.stop()
    (board.state / "server.pem").write_bytes((tmp_path / "next" / "server.pem").read_bytes())
    dns.publish(record(following))
    mark = peer.mark()
    board.start(connect=False)
    following.wait("connected")
    assert not peer.since(mark, "connected")


def test_another_certificate_is_shown_to_the_person(world, board, peer, dns, tmp_path):
    """A captive portal looks like this. It goes on trying, and status shows what it met."""
    from harness import certificates
    certificates.server_files(tmp_path / "thief")
    thief = world.peer(directory=tmp_path / "thief")
    dns.publish(record(peer, port=thief.port))
    board.start(connect=False)
    board.wait_state("backing-off")
    shown = board.status()["seen_certificate"]
    assert len(shown) == 64 and shown in board.cli("status", code=1).stdout
    assert rows(board) == []
    dns.publish(record(peer))
    peer.wait("poll", seconds=20)
    board.wait_status(lambda s: s["state"] == "connected" and s["seen_certificate"] is None, "forgotten")


def test_the_network_that_carries_the_connection_is_told(online):
    gateway, _ = online
    assert gateway.status()["interface"] == {"name": "lo", "kind": "loopback"}
    assert "network      lo, loopback" in gateway.cli("status").stdout


# ---- descriptors ------------------------------------------------------------------------------------------------------

@pytest.mark.host_only
def test_without_a_free_descriptor_it_waits(online, peer):
    """Nobody can ask it then, but it neither turns in circles nor ends, and goes on when there is one again."""
    resource = pytest.importorskip("resource")
    gateway, token = online
    pid, descriptors = gateway.process.pid, gateway.descriptors()
    if descriptors is None:
        pytest.skip("only root sees the descriptors of a process that hides its memory")
    used = descriptors[-1] + 1
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (used, before[1]))
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(gateway.runtime / "control.sock"))
        sleeps(gateway)
        message = peer.notify(token)
        peer.wait_ack(message)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
    gateway.wait_state("connected")


@pytest.mark.slow
def test_a_gateway_that_hangs_does_not_hang_its_commands(online):
    """However many commands wait already: half a minute to connect, then it is said."""
    gateway, _ = online
    gateway.signal(signal.SIGSTOP)
    clients = []
    for _ in range(12):
        client = socket.socket(socket.AF_UNIX)
        client.setblocking(False)
        client.connect_ex(str(gateway.runtime / "control.sock"))
        clients.append(client)
    try:
        done = subprocess.run([*gateway.binary, "-c", str(gateway.config), "status"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=gateway.settings.seconds(45))
    finally:
        gateway.signal(signal.SIGCONT)
    assert done.returncode == 69 and "control.sock" in done.stderr
    for client in clients:
        client.close()
    gateway.wait_state("connected")
