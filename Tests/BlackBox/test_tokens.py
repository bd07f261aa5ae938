"""Device tokens and the registration set: what the command line gives out and what the server is told (spec §7)."""
import hashlib
import re
import subprocess

import pytest

from harness import wire
from harness.settings import wait_until
from harness.wire import Token

ENABLED, IGNORED = 1, 2
DOOR, BELL = "org.example.door", "org.example.bell"


def entry(token, bundle=DOOR, tag=ENABLED):
    return tag, Token(token).routing_key.hex(), bundle


def test_add_prints_64_hex_digits_and_nothing_else(gateway):
    out = gateway.cli("token", "add", DOOR).stdout
    assert re.fullmatch(r"[0-9a-f]{64}\n", out)


def test_token_is_the_padded_server_address_and_a_random_secret(gateway):
    first, second = Token(gateway.add_token(DOOR)), Token(gateway.add_token(BELL))
    assert bytes.fromhex(first.hex)[:16] == b"sgn.test".ljust(16, b"\0")
    assert first.secret != second.secret and first.secret != bytes(16)


def test_add_is_idempotent_without_and_with_the_daemon(gateway):
    token = gateway.add_token()
    assert gateway.add_token() == token
    gateway.start()
    assert gateway.add_token() == token
    gateway.restart()
    assert gateway.add_token() == token


def test_json_of_add_and_list(gateway):
    token = gateway.add_token(DOOR)
    wanted = {"bundle": DOOR, "token": token, "routing_key": hashlib.sha256(bytes.fromhex(token)[16:]).hexdigest(),
              "muted": False}
    assert gateway.json("token", "add", DOOR) == wanted
    gateway.cli("token", "mute", DOOR)
    bell = gateway.json("token", "add", BELL)
    listed = gateway.json("token", "list")
    assert sorted(listed, key=lambda t: t["bundle"]) == [bell, {**wanted, "muted": True}]


def test_list_for_people_names_every_bundle(gateway):
    assert gateway.json("token", "list") == []
    gateway.add_token(DOOR)
    gateway.add_token(BELL)
    out = gateway.cli("token", "list").stdout
    assert DOOR in out and BELL in out


def test_the_set_is_sent_after_login_with_sha256_of_the_secret(peer, gateway):
    door, bell = gateway.add_token(DOOR), gateway.add_token(BELL)
    gateway.cli("token", "mute", BELL)
    gateway.start()
    peer.wait_filter([entry(door), entry(bell, BELL, IGNORED)])
    assert gateway.status()["registrations"] == 2


def test_the_empty_set_is_one_frame(peer, gateway):
    gateway.start()
    sent = peer.since(0, "frame", type="C_FILTER")
    assert [(f["size"], f["has_more"], f["count"]) for f in sent] == [(3, False, 0)]


def test_every_change_reaches_the_server_at_once(peer, gateway):
    gateway.start()
    mark = peer.mark()
    door = gateway.change_tokens("add", DOOR)
    peer.wait_filter([entry(door)], after=mark)
    for command, tag in (("mute", IGNORED), ("unmute", ENABLED)):
        mark = peer.mark()
        gateway.change_tokens(command, DOOR)
        peer.wait_filter([entry(door, tag=tag)], after=mark)
    mark = peer.mark()
    gateway.change_tokens("delete", DOOR)
    peer.wait_filter([], after=mark)


@pytest.mark.parametrize("change", ["add", "mute", "delete"])
def test_a_change_closes_politely_and_comes_back_at_once(world, peer, change):
    gateway, _ = world.online(peer)
    mark = peer.mark()
    gateway.change_tokens(change, BELL if change == "add" else DOOR)
    closing = peer.wait("frame", after=mark, type="C_DISCONNECT")
    again = peer.wait("connected", after=mark)
    assert closing["reason"] == 0
    assert again["t"] - closing["t"] < gateway.settings.seconds(1.5), "not counted as a failure, so no delay"
    assert gateway.status()["failures"] == 0
    assert not peer.since(mark, "registered")


def test_never_two_complete_sets_on_one_connection(peer, gateway):
    gateway.start()
    tokens = {f"org.example.n{i}": None for i in range(8)}
    for bundle in tokens:
        tokens[bundle] = gateway.add_token(bundle)
    peer.wait_filter([entry(t, b) for b, t in tokens.items()])
    gateway.wait_state("connected")
    complete = 0
    for event in peer.since(0):
        if event["event"] == "connected":
            complete = 0
        elif event.get("type") == "C_FILTER" and not event["has_more"]:
            complete += 1
            assert complete == 1, "the reference server ends on a second set"


def test_a_deleted_token_is_gone_and_comes_back_as_another(world, peer):
    gateway, old = world.online(peer)
    gateway.change_tokens("delete", DOOR)
    assert gateway.json("token", "list") == []
    new = gateway.change_tokens("add", DOOR)
    assert new != old
    peer.wait_filter([entry(new)])
    lost, kept = peer.notify(old, encrypt=True), peer.notify(new, encrypt=True)
    peer.wait_ack(kept)
    assert peer.acks(lost) == [] and gateway.shown() == [kept]


def test_mute_unmute_delete_without_the_daemon(peer, gateway):
    door, bell = gateway.add_token(DOOR), gateway.add_token(BELL)
    gateway.cli("token", "mute", DOOR)
    gateway.cli("token", "delete", BELL)
    gateway.start()
    peer.wait_filter([entry(door, tag=IGNORED)])
    gateway.stop()
    gateway.cli("token", "unmute", DOOR)
    gateway.start()
    peer.wait_filter([entry(door)])
    assert bell != door


@pytest.mark.parametrize("command", ["mute", "unmute", "delete"])
def test_an_unknown_bundle_is_said_to_be_unknown(gateway, command):
    gateway.add_token(DOOR)
    done = gateway.cli("token", command, BELL, code=range(1, 79))
    assert BELL in done.stderr
    assert [t["bundle"] for t in gateway.json("token", "list")] == [DOOR]


BUNDLES = {"longest": "o" * 64, "shortest": "o", "not-ascii": "org.exämple.tür"}


@pytest.mark.parametrize("bundle", BUNDLES.values(), ids=BUNDLES)
def test_bundles_up_to_64_bytes(peer, gateway, bundle):
    token = gateway.add_token(bundle)
    gateway.start()
    peer.wait_filter([entry(token, bundle)])


@pytest.mark.parametrize("bundle", ["o" * 65, "ö" * 33, ""], ids=["65-bytes", "66-bytes-utf8", "empty"])
def test_a_bundle_the_server_could_not_bear_is_refused(gateway, bundle):
    done = gateway.cli("token", "add", bundle, code=(64, 65))
    assert done.stdout == "" and done.stderr.strip()
    assert gateway.json("token", "list") == []


def test_300_registrations_go_out_in_full_chunks(peer, gateway):
    tokens = {}
    for number in range(300):
        bundle = f"org.example.app{number:03}." + "x" * (number % 40)
        tokens[bundle] = gateway.add_token(bundle)
    gateway.start()
    peer.wait_filter([entry(t, b) for b, t in tokens.items()])
    chunks = peer.since(0, "frame", type="C_FILTER")
    assert [c["has_more"] for c in chunks] == [True] * (len(chunks) - 1) + [False]
    assert sum(c["count"] for c in chunks) == 300 and all(c["size"] <= 4096 for c in chunks)
    order, place = peer.since(0, "filter")[-1]["entries"], 0
    for chunk in chunks[:-1]:
        place += chunk["count"]
        following = 35 + len(order[place][2].encode())
        assert chunk["size"] + following > 4096, "a new chunk begins only when the next entry does not fit"
    assert gateway.status()["registrations"] == 300
    message = peer.notify(tokens[order[299][2]], encrypt=True)
    peer.wait_ack(message)
    assert gateway.row(message)["bundle"] == order[299][2]


def test_add_while_the_server_is_away_is_sent_when_it_is_back(world, peer):
    gateway, door = world.online(peer)
    peer.listen(False)
    bell = gateway.add_token(BELL)
    peer.listen(True)
    mark = peer.mark()
    gateway.cli("reconnect")
    peer.wait_filter([entry(door), entry(bell, BELL)], after=mark)


def test_concurrent_adds_of_one_bundle_agree(peer, gateway):
    """All of them find no database: one makes it. Many rounds, since it takes an unlucky moment to go wrong."""
    command = [*gateway.binary, "-c", str(gateway.config), "token", "add", DOOR]
    for _ in range(20):
        for file in gateway.state.glob("skyglow.db*"):
            file.unlink()
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(6)]
        results = {(*r.communicate(timeout=gateway.settings.seconds(30)), r.returncode) for r in running}
        assert len(results) == 1 and {status for _, _, status in results} == {0}, results
    gateway.start()
    peer.wait_filter([entry(results.pop()[0].strip())])


def test_tokens_survive_kill_9(peer, gateway):
    gateway.start()
    door = gateway.add_token()
    gateway.kill()
    assert [t["token"] for t in gateway.json("token", "list")] == [door]
    gateway.start()
    wait_until(lambda: peer.device()["registrations"] == [list(entry(door))], 5, "the set after the crash")
    assert wire.ADDRESS == Token(door).address
