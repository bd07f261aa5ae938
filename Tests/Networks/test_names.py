"""Names: DNS that fails, comes late, or leads into nothing.

mosquitto #3438, inadyn #176, fleet #1325: SERVFAIL five times, then an answer: connected within 20 s. Monal #1411,
mailflow #382: AAAA into a black hole and a good A: connected within 1 s."""
import socket
import threading
import time

import pytest

from harness import certificates
from harness.dns import AAAA, SERVFAIL, TXT
from harness.settings import wait_until
from lab.lab import NAMES, OTHER_NAMES, OTHER_SERVER, PORT, SERVER, SERVER6, Watch

RESOLV_CONF = f"nameserver {NAMES}\n"


@pytest.fixture
def dns(lab):
    lab.resolv_conf(RESOLV_CONF)
    return lab.name_server()


def registered(lab):
    """A gateway that is registered and knows no address of its server: the key is made and the login is what is timed."""
    gateway, token = lab.online()
    gateway.stop()
    gateway.configure("server", endpoint=None)
    return gateway, token


def start(lab, gateway):
    """Seconds from the start of the program until it had polled."""
    mark, began = lab.peer.mark(), time.time()
    gateway.start(connect=False)
    return lab.peer.wait("poll", after=mark, seconds=30)["t"] - began


# ---- both kinds of addresses ------------------------------------------------------------------------------------------

def both_kinds(dns):
    """The board has an address of either kind, so that by RFC 6724 IPv6 comes first."""
    dns.publish(f"tcp_addr=push.sgn.example tcp_port={PORT} http_addr=http://{SERVER}")
    dns.host("push.sgn.example", SERVER6, SERVER)


@pytest.mark.parametrize("broken, good, words", [(f"ip6 daddr {SERVER6}", SERVER, "AAAA {}, good A"),
                                                 (f"ip daddr {SERVER}", SERVER6, "A {}, good AAAA")],
                         ids=["ipv6-broken", "ipv4-broken"])
@pytest.mark.parametrize("how, name", [("drop", "into a black hole"), ("reject", "that the router refuses"),
                                       ("tcp dport 7373 reject with tcp reset", "where nobody listens")],
                         ids=["black-hole", "unreachable", "refused"])
def test_one_of_both_kinds_is_broken(lab, dns, measured, broken, good, words, how, name):
    gateway, token = registered(lab)
    both_kinds(dns)
    lab.router.weather(f"{broken} {how}")
    measured(f"{words.format(name)}: start to connected", 1, start(lab, gateway), exact=True)
    lab.peer.wait_ack(lab.peer.notify(token))
    status = gateway.status()
    assert good in status["endpoint"] and status["failures"] == 0


def test_ipv6_alone(lab, dns, measured):
    gateway, _ = registered(lab)
    both_kinds(dns)
    dns.host("push.sgn.example", SERVER6)
    measured("AAAA alone: start to connected", 1, start(lab, gateway))
    assert gateway.status()["endpoint"] == f"[{SERVER6}]:{PORT}"


def test_ipv6_breaks_while_connected(lab, dns, measured):
    """The other kind is found without a failure that counts, though the first one is tried again."""
    both_kinds(dns)
    gateway, token = lab.online(dns=True, keepalive={"minimum": 2, "maximum": 2, "pong_timeout": 1})
    assert SERVER6 in gateway.status()["endpoint"]
    watch = Watch(gateway)
    lab.router.weather(f"ip6 daddr {SERVER6} drop")
    lost = watch.lost()
    measured("IPv6 breaks while connected: no longer connected", 3, lost)
    measured("IPv6 breaks while connected: connected by IPv4", 2 + 5 + 1, watch.connected(after=lost) - lost)
    assert gateway.status()["endpoint"] == f"{SERVER}:{PORT}"
    lab.peer.wait_ack(lab.peer.notify(token))


def test_no_answer_to_aaaa(lab, dns, measured):
    """Some home routers never answer such questions."""
    gateway, _ = registered(lab)
    both_kinds(dns)
    answer = dns._answer
    dns._answer = lambda packet: None if packet[12:].split(b"\0", 1)[1][:2] == AAAA.to_bytes(2, "big") else answer(packet)
    measured("no answer to AAAA, good A: start to connected", 1, start(lab, gateway))
    assert gateway.status()["endpoint"] == f"{SERVER}:{PORT}"


# ---- name servers -----------------------------------------------------------------------------------------------------

def test_servfail_five_times(lab, dns, measured):
    gateway, _ = registered(lab)
    dns.failures = [SERVFAIL] * 5
    measured("SERVFAIL ×5, then an answer: start to connected", 20, start(lab, gateway), exact=True)
    assert dns.asked(TXT) >= 6


def test_five_attempts_that_fail_with_servfail(lab, dns, measured):
    """Five attempts, and not only five packets."""
    gateway, _ = registered(lab)
    publish, dns.records = dns.records, {}
    dns.failures = [SERVFAIL] * 1000
    mark, began = lab.peer.mark(), time.time()
    gateway.start(connect=False)
    gateway.wait_running()
    gateway.wait_status(lambda s: s["failures"] >= 5, "five attempts", seconds=30)
    dns.records, dns.failures = publish, []
    measured("five attempts with SERVFAIL, then an answer: start to connected", 20,
             lab.peer.wait("poll", after=mark, seconds=30)["t"] - began, exact=True)


@pytest.mark.parametrize("before", [None, "", "# Generated by NetworkManager\n", "nameserver 127.0.0.1\n"],
                         ids=["missing", "empty", "comment", "nobody-there"])
def test_resolv_conf_written_late(lab, dns, measured, before):
    name = {None: "missing", "": "empty", "nameserver 127.0.0.1\n": "of a server that is not there"}.get(before, "a comment")
    gateway, _ = registered(lab)
    lab.resolv_conf(before)
    gateway.start(connect=False)
    time.sleep(6)
    assert gateway.status_code() == 1 and gateway.state_name() in ("resolving", "backing-off", "no-network")
    watch = Watch(gateway)
    lab.resolv_conf(RESOLV_CONF)
    measured(f"resolv.conf {name}, then written: connected", 5, watch.connected())


def test_another_name_server(lab, measured):
    """The first one is silent. The second is written down later."""
    lab.resolv_conf(f"nameserver {OTHER_NAMES}\n")
    lab.router.weather(f"ip daddr {OTHER_NAMES} drop")
    lab.name_server()
    gateway, _ = registered(lab)
    gateway.start(connect=False)
    gateway.wait_running()
    gateway.wait_status(lambda s: s["failures"] >= 1, "the first attempt has failed", seconds=20)
    watch = Watch(gateway)
    lab.resolv_conf(RESOLV_CONF)
    measured("silent name server replaced in resolv.conf: connected", 5, watch.connected())


@pytest.mark.parametrize("records", [{}, {("_sgn.sgn.test", AAAA): []}], ids=["nxdomain", "nodata"])
def test_another_name_server_than_one_that_knows_nothing(lab, dns, measured, records):
    """A captive portal's, or one of a network that was left. It says that there is no such name, and is replaced."""
    other = lab.name_server(OTHER_NAMES)
    other.records = records
    lab.resolv_conf(f"nameserver {OTHER_NAMES}\n")
    gateway, _ = registered(lab)
    gateway.start(connect=False)
    gateway.wait_running()
    gateway.wait_status(lambda s: s["failures"] >= 3, "it has failed three times", seconds=30)
    watch = Watch(gateway)
    lab.resolv_conf(RESOLV_CONF)
    measured(f"{'NODATA' if records else 'NXDOMAIN'}, then another server in resolv.conf: connected", 3, watch.connected())


def test_another_name_server_while_the_first_is_asked(lab, dns, measured):
    lab.resolv_conf(f"nameserver {OTHER_NAMES}\n")
    lab.router.weather(f"ip daddr {OTHER_NAMES} drop")
    gateway, _ = registered(lab)
    gateway.start(connect=False)
    gateway.wait_running()
    time.sleep(1)
    watch = Watch(gateway)
    lab.resolv_conf(RESOLV_CONF)
    measured("resolv.conf replaced while a silent server is asked: connected", 3, watch.connected())
    assert gateway.status()["failures"] == 0


def test_a_second_name_server_answers(lab, measured):
    lab.resolv_conf(f"nameserver {OTHER_NAMES}\n{RESOLV_CONF}")
    lab.router.weather(f"ip daddr {OTHER_NAMES} drop")
    lab.name_server()
    gateway, _ = registered(lab)
    measured("first of two name servers silent: start to connected", 10, start(lab, gateway))


@pytest.mark.parametrize("scope", ["eth0", "number"])
def test_a_name_server_on_the_link(lab, dns, measured, scope):
    """As routers give them by IPv6: the address says where only together with the interface."""
    lab.router.namespace.ip("addr add fe80::1/64 dev lan nodad")
    with lab.router.namespace.entered():
        link = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        link.bind(("fe80::1", 53, 0, socket.if_nametoindex("lan")))

    def serve():
        while True:
            packet, client = link.recvfrom(4096)
            link.sendto(dns._answer(packet), client)
    threading.Thread(target=serve, daemon=True).start()
    if scope == "number":
        scope = index(lab, "eth0")
    lab.resolv_conf(f"nameserver fe80::2%nowhere\nnameserver fe80::1%{scope}\n")
    gateway, _ = registered(lab)
    measured("name server on the link: start to connected", 1, start(lab, gateway))
    assert sum("left out" in line for line in gateway.log()) == 1, "the one that is nowhere"


def index(lab, name):
    with lab.board.entered():
        return socket.if_nametoindex(name)


def test_known_names_need_no_name_server(lab, dns, measured):
    """A DNS outage never blocks a reconnect, not even that of a board that was switched off (§1)."""
    gateway, _ = registered(lab)
    start(lab, gateway)
    gateway.wait_state("connected")
    gateway.stop()
    dns.silent = True
    measured("known name, DNS silent: start to connected", 1, start(lab, gateway))


def test_a_server_that_has_moved(lab, dns, measured):
    """What is known leads into a black hole by now. It is tried, and asked for again (§1: after a failed connect)."""
    gateway, token = registered(lab)
    start(lab, gateway)
    gateway.wait_state("connected")
    gateway.stop()
    lab.open(OTHER_SERVER, "tcp", PORT, lab.peer.port)
    dns.publish(f"tcp_addr={OTHER_SERVER} tcp_port={PORT} http_addr=http://{SERVER}")
    lab.router.weather(f"ip daddr {SERVER} drop")
    measured("server moved, old address a black hole: start to connected", 10 + 2 + 5 + 1, start(lab, gateway))
    assert gateway.status()["endpoint"] == f"{OTHER_SERVER}:{PORT}"
    lab.peer.wait_ack(lab.peer.notify(token))


# ---- captive portal ---------------------------------------------------------------------------------------------------

@pytest.fixture
def portal(lab, tmp_path):
    """Answers in the place of every server, with a certificate of its own."""
    certificates.server_files(tmp_path / "portal")
    peer = lab.add_peer(directory=tmp_path / "portal")

    class Portal:
        fingerprint = certificates_fingerprint(tmp_path / "portal" / "server.pem")

        @staticmethod
        def close():
            lab.open(SERVER, "tcp", PORT, peer.port)

        @staticmethod
        def open():
            lab.open(SERVER, "tcp", PORT, lab.peer.port)
    Portal.peer = peer
    return Portal


def certificates_fingerprint(path):
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    return x509.load_pem_x509_certificate(path.read_bytes()).fingerprint(hashes.SHA256()).hex()


@pytest.mark.parametrize("by_dns", [False, True], ids=["endpoint", "dns"])
def test_captive_portal(lab, dns, portal, measured, by_dns):
    gateway, token = lab.online(dns=by_dns)
    message = lab.peer.notify(token, hold=True)
    portal.close()
    lab.peer.obeyed("disconnect", reason=0)
    status = gateway.wait_status(lambda s: s["failures"] >= 2, "it keeps retrying", seconds=30)
    status = gateway.wait_status(lambda s: s["state"] == "backing-off", "it waits", seconds=10)
    assert status["seen_certificate"] == portal.fingerprint
    assert portal.fingerprint in gateway.cli("status", code=1).stdout.replace(":", "").lower()
    assert not portal.peer.since(0, "frame"), "nothing was said to the portal"
    portal.open()
    watch = Watch(gateway)
    due = max(status["next_attempt"] - time.time(), 0) + 1
    back = watch.connected(seconds=40)
    measured(f"captive portal opened, {'DNS' if by_dns else 'fixed address'}: connected at the next attempt", round(due + 1), back)
    lab.peer.wait_ack(message)
    wait_until(lambda: gateway.status()["seen_certificate"] is None, 2, "the portal is forgotten")
