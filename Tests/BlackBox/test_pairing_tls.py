"""Pairing with a daemon behind HTTPS: whom it believes, and what it says of others. The request carries a secret."""
import shutil
import ssl
import subprocess
import time

import pytest

from harness import certificates
from harness.certificates import issue, new_key, pem, pem_key
from harness.relay import FakeDaemon, free_port
from harness.web import Web, response

AUTHORITY_KEY, SERVER_KEY = new_key(), new_key()
AUTHORITY = issue("An authority of our own", AUTHORITY_KEY, authority=True)
SIGNED = {"issuer": AUTHORITY, "issuer_key": AUTHORITY_KEY}


@pytest.fixture
def board(world):
    """With a relay, not running."""
    gateway = world.gateway()
    gateway.sections.pop("server")
    gateway.configure("relay", listen=f"127.0.0.1:{free_port()}")
    (gateway.directory / "authority.pem").write_bytes(pem(AUTHORITY))
    return gateway


def files(directory, **options):
    """server.pem and server.key of the daemon."""
    directory.mkdir(exist_ok=True)
    (directory / "server.pem").write_bytes(pem(issue("daemon", SERVER_KEY, **options)))
    (directory / "server.key").write_bytes(pem_key(SERVER_KEY))
    return directory


@pytest.fixture
def daemon(world, board):
    def make(host="127.0.0.1", configure=lambda context: None, **options):
        place = files(board.directory / "daemon", **options)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(place / "server.pem", place / "server.key")
        configure(context)
        return world.keep(FakeDaemon(context=context, host=host))
    return make


def trusting(board, file="authority.pem"):
    return {"SSL_CERT_FILE": str(board.directory / file), "SSL_CERT_DIR": "/nonexistent"}


def refused(board, link, words, *others, code=69, env=None):
    """The pairing fails with one line that says these words, and is not kept."""
    done = board.cli("pair", "cronstable", "-", input=link, code=code, env=env)
    assert words in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, done.stderr
    for word in others:
        assert word in done.stderr
    assert "secret-token" not in done.stderr and board.json("pairings") == []


# ---- believed ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("host,names", [("127.0.0.1", ["127.0.0.1"]), ("localhost", ["elsewhere", "localhost"]),
                                        ("localhost", ["LOCALHOST"]), ("127.0.0.1", ["127.0.0.1", "10.0.0.1"])])
def test_an_authority_of_ours(board, daemon, host, names):
    server = daemon(host, names=names, **SIGNED)
    done = board.cli("pair", "cronstable", "-", input=server.link(), env=trusting(board))
    assert "paired with cellar as 1" in done.stdout and not done.stderr
    ((path, authorization, _),) = server.requests
    assert (path, authorization) == ("/push/devices", "Bearer secret-token")
    assert board.json("pairings")[0]["place"] == server.url


@pytest.mark.host_only
def test_a_certificate_that_signs_itself_and_is_known(board, daemon):
    server = daemon(names=["127.0.0.1"])
    board.cli("pair", "cronstable", "-", input=server.link(), env=trusting(board, "daemon/server.pem"))
    assert len(server.requests) == 1


@pytest.mark.host_only
@pytest.mark.parametrize("place", ["/usr/lib/ssl/certs", "/etc/ssl/certs", "/etc/ssl/certs/ca-certificates.crt",
                                   "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt"])
def test_authorities_of_the_system(board, daemon, root, place):
    """Where distributions keep them: Debian's OpenSSL looks in the first; a static binary may run on any. In a mount
    namespace in which nothing else of these is there."""
    server = daemon(names=["127.0.0.1"], **SIGNED)
    bundle = board.directory / "authority.pem"
    name = place.rpartition("/")[2]
    if "." not in name:
        if shutil.which("openssl") is None:
            pytest.skip("openssl is not here to name the certificate by its hash")
        name = subprocess.run(["openssl", "x509", "-noout", "-hash", "-in", bundle], capture_output=True, text=True,
                              check=True).stdout.strip() + ".0"
    directory = place if place.endswith("certs") else place.rpartition("/")[0]
    mine = board.directory / "mine"
    mine.mkdir()
    shutil.copy(bundle, mine / name)
    hide = "mount -t tmpfs none /usr/lib/ssl; mount -t tmpfs none /etc; "
    show = f"mkdir -p {directory}; mount --bind {mine} {directory}; "
    command = " ".join(board.binary) + f" -c {board.config} pair cronstable -"
    done = subprocess.run(["unshare", "-m", "sh", "-c", f"set -e; {hide}{show}exec env -u SSL_CERT_FILE -u SSL_CERT_DIR {command}"],
                          input=server.link(), text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert len(server.requests) == 1


# ---- not believed -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("host,options,words", [
    ("127.0.0.1", {"names": ["127.0.0.1"]}, "self-signed certificate; SSL_CERT_FILE="),
    ("127.0.0.1", {"names": ["127.0.0.2"], **SIGNED}, "IP address mismatch"),
    ("127.0.0.1", {"names": ["localhost"], **SIGNED}, "IP address mismatch"),
    ("localhost", {"names": ["localhost.example"], **SIGNED}, "hostname mismatch"),
    ("localhost", {"names": ["127.0.0.1"], **SIGNED}, "hostname mismatch"),
    ("127.0.0.1", {"names": ["127.0.0.1"], "years": (2019, 2020), **SIGNED}, "certificate has expired"),
    ("127.0.0.1", {"names": ["127.0.0.1"], "years": (2036, 2037), **SIGNED}, "certificate is not yet valid"),
    ("127.0.0.1", {"names": ["127.0.0.1"], "issuer": AUTHORITY, "issuer_key": new_key()}, "certificate signature failure"),
], ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "")
def test_certificates_that_are_refused(board, daemon, host, options, words):
    server = daemon(host, **options)
    refused(board, server.link(), f"{host}: its certificate is refused: {words}", env=trusting(board))
    assert server.requests == [], "the token stays here"


def test_an_unknown_authority(board, daemon):
    server = daemon(names=["127.0.0.1"], **SIGNED)
    for env in ({}, trusting(board, "nothing.pem")):
        refused(board, server.link(), "unable to get local issuer certificate; SSL_CERT_FILE=FILE names an authority",
                env=env)
    assert server.requests == []


@pytest.mark.host_only
def test_a_signer_that_is_no_authority(board, daemon, world):
    """A server's certificate does not vouch for others."""
    middle_key = new_key()
    middle = issue("no authority", middle_key, **SIGNED)
    place = files(board.directory / "daemon", names=["127.0.0.1"], issuer=middle, issuer_key=middle_key)
    with open(place / "server.pem", "ab") as chain:
        chain.write(pem(middle))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place / "server.pem", place / "server.key")
    server = world.keep(FakeDaemon(context=context))
    refused(board, server.link(), "its certificate is refused: invalid CA certificate", env=trusting(board))


@pytest.mark.host_only
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_versions_of_tls(board, daemon):
    def old(context):
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    server = daemon(names=["127.0.0.1"], configure=old, **SIGNED)
    refused(board, server.link(), "127.0.0.1: TLS: ", env=trusting(board))
    assert server.requests == []


# ---- not what was expected --------------------------------------------------------------------------------------------

@pytest.mark.host_only
def test_plain_http_where_tls_was_expected(board, world):
    server = world.keep(FakeDaemon())
    server.url = server.url.replace("http://", "https://")
    refused(board, server.link(), "the server does not speak TLS on this port")
    assert server.requests == []


@pytest.mark.host_only
def test_tls_where_plain_http_was_expected(board, daemon, world):
    server = daemon(names=["127.0.0.1"], **SIGNED)
    server.url = server.url.replace("https://", "http://")
    # Some servers just close, and nobody can know why.
    refused(board, server.link(), "127.0.0.1: ")
    # An alert: unexpected message, fatal.
    server = world.keep(Web(b"\x15\x03\x01\x00\x02\x02\x0a"))
    refused(board, f'{{"v":1,"name":"x","url":"{server.address}","token":"secret-token"}}',
            "the server speaks TLS on this port, not plain HTTP")


ANSWERS = [
    (response("", "301 Moved Permanently", head="Location: http://127.0.0.1:9/\r\n"), "the daemon answered 301"),
    (response("", "307 Temporary Redirect", head="Location: /elsewhere\r\n"), "the daemon answered 307"),
    (response('{"error":"no such token"}', "401 Unauthorized"), "the daemon answered 401 no such token"),
    (response("x" * 65_537, "201 Created"), "the answer is too long"),
    (response("{}", "201 Created", head="X: " + "x" * 90_000 + "\r\n"), "the answer is too long"),
    (response("{}", "201 Created", length=3), "the answer ended too early"),
    (b"", "the answer ended too early"), (b"SSH-2.0-OpenSSH_9.2\r\n", "the answer is no HTTP"),
]


@pytest.mark.host_only
@pytest.mark.parametrize("answer,words", ANSWERS, ids=[words.replace(" ", "-") for _, words in ANSWERS])
@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
def test_answers(board, world, answer, words, secure):
    place = files(board.directory / "daemon", names=["127.0.0.1"], **SIGNED) if secure else None
    server = world.keep(Web(answer, directory=place))
    refused(board, f'{{"v":1,"name":"x","url":"{server.address}","token":"secret-token"}}', words, env=trusting(board))
    assert server.requests == ["POST /push/devices HTTP/1.0"], "and no other"


@pytest.mark.host_only
def test_an_answer_without_a_fingerprint(board, world):
    server = world.keep(Web(response("{}", "201 Created")))
    done = board.cli("pair", "cronstable", "-", input=f'{{"v":1,"url":"{server.address}","token":"t"}}', code=65)
    assert "FINGERPRINTS DIFFER" in done.stderr and board.json("pairings") == []


@pytest.mark.slow
@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
@pytest.mark.host_only
def test_an_answer_that_takes_for_ever(board, world, secure):
    def slowly(client, request):
        client.sendall(b"HTTP/1.1 201 Created\r\n")
        for _ in range(300):
            client.sendall(b"X")
            time.sleep(0.1)
    place = files(board.directory / "daemon", names=["127.0.0.1"], **SIGNED) if secure else None
    server = world.keep(Web(slowly, directory=place))
    started = time.monotonic()
    refused(board, f'{{"v":1,"name":"x","url":"{server.address}","token":"t"}}', "no answer in time", env=trusting(board))
    assert 14 < time.monotonic() - started < 14 + board.settings.seconds(6)


@pytest.mark.host_only
def test_what_was_paired_stays_so_while_the_daemon_cannot_be_believed(board, daemon, world):
    """A certificate that has expired is no reason to refuse the daemon's alerts."""
    server = daemon(names=["127.0.0.1"], **SIGNED)
    board.cli("pair", "cronstable", "-", input=server.link(), env=trusting(board))
    (before,) = board.json("pairings")
    board.cli("pair", "cronstable", "-", input=server.link(), env=trusting(board, "nothing.pem"), code=69)
    assert board.json("pairings") == [before] and len(server.requests) == 1
