"""The pin decides, and nothing else: which servers get a frame, and with which TLS (spec §2)."""
import shutil

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa

from harness import certificates


def refused_before_the_first_frame(gateway, peer):
    gateway.start(connect=False)
    gateway.wait_state("backing-off")
    assert not peer.since(0, "frame") and not peer.since(0, "note", what="bad client header")
    assert gateway.status()["failures"] >= 1
    words = ("certificate", "pin", "tls")
    assert any(word in line.lower() for line in gateway.log() for word in words), "the log says why"


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_tls_versions_that_are_taken(world, version):
    peer = world.peer("--tls-max", version)
    gateway, token = world.online(peer)
    assert {e["tls"] for e in peer.since(0, "connected")} == {f"TLSv{version}"}
    assert version in gateway.status()["tls"]
    peer.wait_ack(peer.notify(token, encrypt=True))


def test_tls_1_1_is_refused(world):
    peer = world.peer("--tls-max", "1.1")
    gateway = world.gateway(peer)
    refused_before_the_first_frame(gateway, peer)
    assert not peer.since(0, "connected")


def test_another_certificate_gets_no_frame(peer, gateway):
    certificates.server_files(gateway.state)
    (gateway.state / "server.key").unlink()
    refused_before_the_first_frame(gateway, peer)


def test_a_new_certificate_for_the_same_key_gets_no_frame(world, tmp_path):
    """The certificate is pinned, not the key: byte for byte."""
    key = certificates.server_files(tmp_path / "peer")
    peer = world.peer(directory=tmp_path / "peer")
    gateway = world.gateway(peer)
    (gateway.state / "server.pem").write_bytes(certificates.pem(certificates.issue("sgn.test", key)))
    refused_before_the_first_frame(gateway, peer)


def test_a_certificate_signed_by_the_pinned_one_gets_no_frame(world, tmp_path):
    """A chain that leads to the pin is not the pin."""
    root_key, key = certificates.new_key(), certificates.new_key()
    root = certificates.issue("root", root_key, authority=True)
    directory = tmp_path / "peer"
    directory.mkdir()
    leaf = certificates.issue("sgn.test", key, issuer=root, issuer_key=root_key)
    (directory / "server.pem").write_bytes(certificates.pem(leaf) + certificates.pem(root))
    (directory / "server.key").write_bytes(certificates.pem_key(key))
    peer = world.peer(directory=directory)
    gateway = world.gateway(peer)
    (gateway.state / "server.pem").write_bytes(certificates.pem(root))
    refused_before_the_first_frame(gateway, peer)


def test_a_registered_board_too_sends_no_login_to_another_certificate(world, online, peer, tmp_path):
    gateway, token = online
    certificates.server_files(tmp_path / "thief")
    thief = world.peer(directory=tmp_path / "thief")
    gateway.configure("server", endpoint=f"127.0.0.1:{thief.port}")
    gateway.restart(connect=False)
    gateway.wait_state("backing-off")
    assert not thief.since(0, "frame")
    gateway.configure("server", endpoint=f"127.0.0.1:{peer.port}")
    mark = peer.mark()
    gateway.cli("reload")
    gateway.wait_online(mark)
    peer.wait_ack(peer.notify(token))


@pytest.mark.parametrize("years", [(1990, 1991), (2060, 2070), (1970, 9999)], ids=["expired", "not-yet", "for-ever"])
def test_dates_do_not_matter(world, tmp_path, years):
    certificates.server_files(tmp_path / "peer", years=years)
    world.online(world.peer(directory=tmp_path / "peer"))


@pytest.mark.parametrize("length", [2048, 4096])
def test_names_and_key_sizes_do_not_matter(world, tmp_path, length):
    key = rsa.generate_private_key(65537, length)
    directory = tmp_path / "peer"
    directory.mkdir()
    (directory / "server.pem").write_bytes(certificates.pem(certificates.issue("some.other.name", key)))
    (directory / "server.key").write_bytes(certificates.pem_key(key))
    world.online(world.peer(directory=directory))


# ---- the certificate command ------------------------------------------------------------------------------------------

def fingerprint(path):
    return x509.load_pem_x509_certificate(path.read_bytes()).fingerprint(hashes.SHA256()).hex()


def test_import_and_show(world, peer):
    gateway = world.gateway(peer, certificate=False)
    gateway.cli("certificate", "import", str(peer.certificate))
    shown = gateway.cli("certificate", "show").stdout
    assert fingerprint(peer.certificate) in shown.replace(":", "").lower() and "sgn.test" in shown
    gateway.start()


def test_import_reads_only_what_is_a_certificate(world, peer, tmp_path):
    gateway = world.gateway(peer)
    before = (gateway.state / "server.pem").read_bytes()
    for name, text in (("garbage", b"no certificate"), ("empty", b""), ("key", (peer.directory / "server.key").read_bytes()),
                       ("broken", peer.certificate.read_bytes()[:300] + b"\n-----END CERTIFICATE-----\n")):
        (tmp_path / name).write_bytes(text)
        assert gateway.cli("certificate", "import", str(tmp_path / name), code=(65, 74)).stderr.strip()
    gateway.cli("certificate", "import", str(tmp_path / "missing"), code=(65, 66, 69, 73, 74))
    assert (gateway.state / "server.pem").read_bytes() == before, "the old one stays"


def test_import_replaces_the_pin(world, peer, tmp_path):
    gateway = world.gateway(peer)
    certificates.server_files(tmp_path / "other")
    shutil.copy(tmp_path / "other" / "server.pem", gateway.state / "server.pem")
    gateway.start(connect=False)
    gateway.wait_state("backing-off")
    gateway.cli("certificate", "import", str(peer.certificate))
    mark = peer.mark()
    gateway.cli("reload")
    gateway.wait_online(mark)
