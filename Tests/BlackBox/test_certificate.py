"""Provisioning the pinned certificate (spec §1): fetched from the server's web address, shown, confirmed, stored."""
import os
import pty
import re
import select
import shutil
import stat
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization

from harness import certificates
from harness.dns import DNS
from harness.web import Web, reset, response

PLACE = "/snd/server_cert.pem"


@pytest.fixture
def dns(world):
    return world.keep(DNS())


@pytest.fixture
def board(world, peer, dns):
    """Configured, and without a certificate."""
    gateway = world.gateway(peer, certificate=False)
    gateway.configure("resolver", servers=f"127.0.0.1:{dns.port}")
    return gateway


@pytest.fixture
def web(world, peer):
    """Shows the peer's certificate."""
    return world.keep(Web(response(peer.certificate.read_bytes())))


@pytest.fixture
def secure_web(world, peer, tmp_path):
    """The same by TLS, under a certificate of its own that nobody vouches for."""
    certificates.server_files(tmp_path / "web", years=(1990, 1991))
    return world.keep(Web(response(peer.certificate.read_bytes()), directory=tmp_path / "web"))


def fingerprint(path):
    return x509.load_pem_x509_certificate(path.read_bytes()).fingerprint(hashes.SHA256()).hex()


def fetch(board, *options, code=0, **more):
    return board.cli("certificate", "fetch", *options, code=code, **more)


def trusting(peer, *options):
    return ("--yes", "--fingerprint", fingerprint(peer.certificate), *options)


def stored(board):
    path = board.state / "server.pem"
    return path.read_bytes() if path.exists() else None


# ---- where it comes from ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("form", ["http://127.0.0.1:{port}", "127.0.0.1:{port}", "http://127.0.0.1:{port}/", "HTTP://127.0.0.1:{port}"])
def test_the_http_addr_of_the_record(board, peer, dns, web, form):
    dns.publish(f"tcp_addr=127.0.0.1 tcp_port={peer.port} http_addr={form.format(port=web.port)}")
    done = fetch(board, *trusting(peer))
    assert stored(board) == peer.certificate.read_bytes() and not done.stdout
    assert web.requests == [f"GET {PLACE} HTTP/1.0"]
    board.start()


@pytest.mark.parametrize("base", ["/push", "/push/", "/a/b"])
def test_an_http_addr_with_a_path(board, peer, dns, web, base):
    """GET <http_addr>/snd/server_cert.pem, whatever http_addr is."""
    dns.publish(f"tcp_addr=127.0.0.1 tcp_port={peer.port} http_addr=http://127.0.0.1:{web.port}{base}")
    fetch(board, *trusting(peer))
    assert web.requests == [f"GET {base.rstrip('/')}{PLACE} HTTP/1.0"]


def test_an_http_addr_by_tls_with_a_name(board, peer, dns, secure_web):
    """One address may serve many names, so the name goes along."""
    dns.publish(f"tcp_addr=127.0.0.1 tcp_port={peer.port} http_addr=https://push.sgn.example:{secure_web.port}")
    dns.host("push.sgn.example", "127.0.0.1")
    fetch(board, *trusting(peer))
    assert stored(board) == peer.certificate.read_bytes()
    assert secure_web.names == ["push.sgn.example"]


def test_a_host_of_which_one_address_answers(board, peer, dns, web):
    dns.publish(f"tcp_addr=127.0.0.1 tcp_port={peer.port} http_addr=http://push.sgn.example:{web.port}")
    dns.host("push.sgn.example", "127.0.0.2", "127.0.0.3", "127.0.0.1", "::1")
    fetch(board, *trusting(peer))
    assert stored(board) == peer.certificate.read_bytes()


@pytest.mark.parametrize("record", [
    "tcp_addr=127.0.0.1 tcp_port=7373", "tcp_addr=127.0.0.1 tcp_port=7373 http_addr=", "v=spf1 -all",
    "tcp_addr=127.0.0.1 tcp_port=7373 http_addr=ftp://127.0.0.1", "tcp_addr=127.0.0.1 tcp_port=7373 http_addr=http://h:99999",
    "tcp_addr=127.0.0.1 tcp_port=7373 http_addr=\x1b[2Jhttp://h:x",
])
def test_records_that_lead_nowhere(board, dns, record):
    dns.publish(record)
    done = fetch(board, "--yes", "--fingerprint", "0" * 64, code=69)
    assert "sgn.test" in done.stderr and "\x1b" not in done.stderr and stored(board) is None


def test_no_record(board, dns):
    assert "_sgn.sgn.test" in fetch(board, code=69).stderr


def test_no_dns(board, dns):
    dns.silent = True
    begin = time.monotonic()
    assert "_sgn.sgn.test" in fetch(board, code=69).stderr
    assert time.monotonic() - begin < board.settings.seconds(25)


@pytest.mark.parametrize("path", ["", "/"])
def test_from_a_server(board, peer, dns, web, path):
    fetch(board, "--from", web.address + path, *trusting(peer))
    assert stored(board) == peer.certificate.read_bytes()
    assert web.requests == [f"GET {PLACE} HTTP/1.0"] and not dns.questions


@pytest.mark.parametrize("path", [PLACE, "/elsewhere.pem", "/x?y=z"])
def test_from_an_exact_address(board, peer, web, path):
    fetch(board, "--from", web.address + path, *trusting(peer))
    assert web.requests == [f"GET {path} HTTP/1.0"]


def test_from_a_server_by_tls(board, peer, secure_web):
    """Its own certificate does not matter: what it shows is compared."""
    fetch(board, "--from", secure_web.address, *trusting(peer))
    assert stored(board) == peer.certificate.read_bytes()


@pytest.mark.parametrize("url", ["", "ftp://h", "http://", "http://h:0", "http://u:p@h/", "http://h/\r\nX: y", "http://h\x1b[2J"])
def test_from_what_is_no_address(board, url):
    done = fetch(board, "--from", url, *("--yes", "--fingerprint", "0" * 64), code=64)
    assert done.stderr.strip()


# ---- the question -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("answer", ["y\n", "Y\n", "yes\n", "y"])
def test_confirmed(board, peer, web, answer):
    done = fetch(board, "--from", web.address, input=answer)
    assert fingerprint(peer.certificate) in done.stderr and "sgn.test" in done.stderr
    assert stored(board) == peer.certificate.read_bytes() and not done.stdout
    assert stat.S_IMODE((board.state / "server.pem").stat().st_mode) == 0o644


@pytest.mark.parametrize("answer", ["n\n", "N\n", "\n", "", " y\n", "x\n", "j\n"])
def test_not_confirmed(board, peer, web, answer):
    shutil.copy(peer.certificate, board.state / "server.pem")
    os.truncate(board.state / "server.pem", 7)
    done = fetch(board, "--from", web.address, input=answer, code=69)
    assert "nothing stored" in done.stderr and len(stored(board)) == 7


def colons(digits):
    return ":".join(digits[i:i + 2] for i in range(0, 64, 2))


@pytest.mark.parametrize("form", [str, str.upper, colons, lambda d: colons(d).upper(), lambda d: " ".join(d[:32]) + d[32:]],
                         ids=["plain", "upper", "colons", "upper colons", "blanks"])
def test_forms_of_the_fingerprint(board, peer, web, form):
    fetch(board, "--from", web.address, "--yes", "--fingerprint", form(fingerprint(peer.certificate)))
    assert stored(board) == peer.certificate.read_bytes()


@pytest.mark.parametrize("wrong", ["0" * 64, "all but the last"])
def test_another_fingerprint(board, peer, web, wrong):
    right = fingerprint(peer.certificate)
    wrong = {"all but the last": right[:63] + ("0" if right[63] != "0" else "1")}.get(wrong, wrong)
    for options in (["--yes"], []):
        done = fetch(board, "--from", web.address, "--fingerprint", wrong, *options, input="y\n", code=65)
        assert "fingerprint" in done.stderr and stored(board) is None


@pytest.mark.parametrize("wrong", ["", "00", "zz", "x" * 64, "0" * 63, "0" * 65, "é" * 32, "0" * 63 + "\x1b"])
def test_what_is_no_fingerprint(board, web, wrong):
    """Nothing is asked of anybody."""
    for options in (["--yes"], []):
        done = fetch(board, "--from", web.address, "--fingerprint", wrong, *options, input="y\n", code=64)
        assert "64 hexadecimal digits" in done.stderr and "\x1b" not in done.stderr
    assert stored(board) is None and not web.requests


def test_with_a_fingerprint_and_without_yes_it_still_asks(board, peer, web):
    options = ("--from", web.address, "--fingerprint", fingerprint(peer.certificate))
    fetch(board, *options, input="n\n", code=69)
    assert stored(board) is None
    fetch(board, *options, input="y\n")
    assert stored(board) == peer.certificate.read_bytes()


def test_yes_without_a_fingerprint(board, web):
    """Anybody's certificate would do."""
    done = fetch(board, "--from", web.address, "--yes", input="y\n", code=64)
    assert "--fingerprint" in done.stderr and stored(board) is None and not web.requests


# ---- what a server may answer -----------------------------------------------------------------------------------------

def drip(client, request):
    for byte in response(b"x" * 1000):
        client.sendall(bytes([byte]))
        time.sleep(0.5)


def silent(client, request):
    time.sleep(60)


def answers(pem):
    half = len(pem) // 2
    return {
        "404": (response("no", "404 Not Found"), 69, "404"), "500": (response(pem, "500 Error"), 69, "500"),
        "moved": (response("", "301 Moved", head="Location: http://127.0.0.1:1/\r\n"), 69, "301"),
        "garbage": (response("no certificate"), 65, "PEM"), "empty": (response(""), 65, "PEM"),
        "page": (response("<html>" + "x" * 5000), 65, "PEM"),
        "half a certificate": (response(pem[:half]), 65, "PEM"),
        "cut": (response(pem[:half], length=len(pem)), 69, "early"),
        "no HTTP": (pem, 69, "HTTP"), "nothing": (b"", 69, "early"), "half a head": (b"HTTP/1.1 200 OK\r\n", 69, "HTTP"),
        "huge": (response(b"x" * (1 << 20)), 69, "long"), "huge head": (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200000, 69, "long"),
        "endless": (lambda c, r: [c.sendall(b"x" * 65536) for _ in range(10000)], 69, "long"),
        "two lengths": (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n" + pem, 69, "HTTP"),
        "reset": (reset, 69, ""),
    }


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("name", answers(b"x"))
def test_answers(board, peer, web, secure_web, name, secure):
    answer, code, words = answers(peer.certificate.read_bytes())[name]
    server = secure_web if secure else web
    server.answer = answer
    done = fetch(board, "--from", server.address, "--yes", "--fingerprint", fingerprint(peer.certificate), code=code)
    assert words in done.stderr and done.stderr.startswith("skyglowd: ") and stored(board) is None


@pytest.mark.slow
@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("answer", [drip, silent], ids=["drip", "silent"])
def test_slow_answers(board, peer, web, secure_web, answer, secure):
    """20 s for all of it."""
    server = secure_web if secure else web
    server.answer = answer
    begin = time.monotonic()
    done = fetch(board, "--from", server.address, *trusting(peer), code=69)
    assert "in time" in done.stderr and time.monotonic() - begin < board.settings.seconds(26)


def test_chunks(board, peer, web):
    pem = peer.certificate.read_bytes()
    parts = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in (pem[:100], pem[100:]))
    web.answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + parts + b"0\r\n\r\n"
    fetch(board, "--from", web.address, *trusting(peer))
    assert stored(board) == pem


def test_nobody_there(board, peer, web):
    web.close()
    assert "refused" in fetch(board, "--from", web.address, *trusting(peer), code=69).stderr


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
def test_plain_and_tls_mixed_up(board, peer, web, secure_web, secure):
    url = secure_web.address.replace("https", "http") if secure else web.address.replace("http", "https")
    fetch(board, "--from", url, *trusting(peer), code=69)


# ---- what is stored ---------------------------------------------------------------------------------------------------

def test_only_the_certificate_is_stored(board, peer, web, tmp_path):
    """Not what else the text holds: a chain, a page, or a private key by mistake."""
    certificates.server_files(tmp_path / "other")
    key = (peer.directory / "server.key").read_bytes()
    text = b"<pre>\n" + key + peer.certificate.read_bytes() + (tmp_path / "other" / "server.pem").read_bytes() + b"</pre>"
    web.answer = response(text)
    fetch(board, "--from", web.address, *trusting(peer))
    assert stored(board) == peer.certificate.read_bytes()
    (tmp_path / "bundle.pem").write_bytes(text)
    board.cli("certificate", "import", str(tmp_path / "bundle.pem"))
    assert stored(board) == peer.certificate.read_bytes()


def test_a_name_that_would_write_to_the_terminal(board, web, tmp_path):
    key = certificates.new_key()
    evil = certificates.pem(certificates.issue("x\x1b[2J\n  SHA-256  00", key))
    web.answer = response(evil)
    done = fetch(board, "--from", web.address, input="n\n", code=69)
    lines = [line for line in done.stderr.splitlines() if line.startswith("  SHA-256  ")]
    assert "\x1b" not in done.stderr
    assert [re.fullmatch(r"  SHA-256  [0-9a-f]{64}", line) is not None for line in lines] == [True]


def test_a_state_directory_that_is_not_there_yet(board, peer, web):
    board.state.rmdir()
    fetch(board, "--from", web.address, *trusting(peer))
    assert stored(board) == peer.certificate.read_bytes()


def test_a_running_gateway_takes_the_new_certificate(world, peer, web, tmp_path):
    """The server has a new certificate: fetched and confirmed, it is in force without another word."""
    gateway, token = world.online(peer)
    certificates.server_files(tmp_path / "old")
    shutil.copy(tmp_path / "old" / "server.pem", gateway.state / "server.pem")
    gateway.restart(connect=False)
    gateway.wait_state("backing-off")
    mark = peer.mark()
    fetch(gateway, "--from", web.address, *trusting(peer))
    gateway.wait_online(mark)
    peer.wait_ack(peer.notify(token))


# ---- show -------------------------------------------------------------------------------------------------------------

def test_show(board, peer):
    shutil.copy(peer.certificate, board.state / "server.pem")
    shown = board.json("certificate", "show")
    certificate = x509.load_pem_x509_certificate(peer.certificate.read_bytes())
    assert shown["fingerprint"] == fingerprint(peer.certificate)
    assert "sgn.test" in shown["subject"] and "sgn.test" in shown["issuer"]
    assert str(certificate.not_valid_after_utc.year) in shown["not_after"]
    assert str(certificate.not_valid_before_utc.year) in shown["not_before"]
    text = board.cli("certificate", "show").stdout
    assert all(shown[key] in text for key in ("subject", "issuer", "fingerprint", "not_before", "not_after"))


def test_show_what_is_not_there(board):
    done = board.cli("certificate", "show", code=(73, 74))
    assert "server.pem" in done.stderr and not done.stdout
    (board.state / "server.pem").write_text("no certificate")
    assert "server.pem" in board.cli("certificate", "show", "--json", code=65).stderr


# ---- the certificate of the registration ------------------------------------------------------------------------------

@pytest.mark.host_only
def test_an_encrypted_key_is_refused_and_never_asked_about(world, peer):
    """On a terminal too: a daemon that asked for a passphrase would hang at boot."""
    gateway = world.gateway(peer)
    key = certificates.new_key()
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL,
                               serialization.BestAvailableEncryption(b"secret"))
    (gateway.state / "registration.pem").write_bytes(certificates.pem(certificates.issue("a device", key)) + secret)
    gateway.configure("server", identity="registration.pem")
    child, terminal = pty.fork()
    if child == 0:
        os.execv(gateway.binary[0], [*gateway.binary, "-c", str(gateway.config), "run"])
    said = b""
    try:
        gateway.wait_state("backing-off")
        while select.select([terminal], [], [], 0.2)[0]:
            said += os.read(terminal, 65536)
        assert b"pass" not in said.lower() and b"registration.pem" in said
        assert not peer.since(0, "connected") and (gateway.state / "registration.pem").exists()
        gateway.cli("stop")
    finally:
        os.close(terminal)
        try:
            os.kill(child, 9)
        except ProcessLookupError:
            pass
        os.waitpid(child, 0)
