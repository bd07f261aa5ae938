"""kill -9 at random moments under load: nothing acknowledged is lost, nothing is shown twice, all is acknowledged in
the end (spec §11; mqtt-client #121, webpush-protocol #18, ntfy #1591)."""
import random
import time

import pytest

from harness import wire

MOST_ROWS = 900  # the inbox is bounded; the promise is tested below its bound


def storm(world, kills, seed):
    print(f"seed {seed}, {kills} kills")
    chance = random.Random(seed)
    peer = world.peer()
    gateway = world.gateway(peer)
    token = gateway.add_token()
    gateway.start()
    gateway.kill()
    sent = []
    for number in range(kills):
        mark = peer.mark()
        gateway.start(connect=False)
        room = (MOST_ROWS - len(sent)) // (kills - number)
        if chance.random() < 0.5:
            _kill_at_any_time(chance, peer, gateway, token, sent, min(room, chance.randint(0, 6)))
        else:
            _kill_while_judging(chance, peer, gateway, token, sent, min(room, chance.randint(1, 6)), mark)
        peer.wait_alone()
        lost = (peer.acks() & set(sent)) - set(gateway.shown())
        assert not lost, f"acknowledged and lost after kill {number + 1}, seed {seed}: {lost}"
    gateway.start()
    peer.wait_all_acked(sent, 30)
    shown = gateway.shown()
    assert sorted(shown) == sorted(sent), f"seed {seed}"
    assert all(status == 0 for m in sent for status in peer.acks(m))
    status = gateway.status()
    assert status["received"] == len(sent) and status["unread"] == len(sent)
    return peer, gateway, token, sent


def _send(chance, peer, token, sent):
    form = {"encrypt": chance.random() < 0.6, "compress": chance.random() < 0.3}
    sent.append(peer.notify(token, wire.document("storm", "x" * chance.randint(0, 1500)), **form))


def _kill_at_any_time(chance, peer, gateway, token, sent, count):
    """Anywhere from before main() to well after the poll."""
    end = time.monotonic() + gateway.settings.seconds(chance.uniform(0, 0.4))
    moments = sorted(chance.random() for _ in range(count))
    begin = time.monotonic()
    for moment in moments:
        time.sleep(max(0, begin + moment * (end - begin) - time.monotonic()))
        _send(chance, peer, token, sent)
    time.sleep(max(0, end - time.monotonic()))
    gateway.kill()


def _kill_while_judging(chance, peer, gateway, token, sent, count, mark):
    """Within the few milliseconds between decrypt, commit, show and acknowledge."""
    peer.wait("poll", after=mark, seconds=15)
    for _ in range(count):
        _send(chance, peer, token, sent)
    time.sleep(gateway.settings.seconds(chance.uniform(0, 0.02)))
    gateway.kill()


def nothing_new(peer, gateway, token, sent):
    """Everything read, then everything sent once more: acknowledged, and the light stays out."""
    gateway.cli("read", "all")
    gateway.wait_light(False)
    lit, mark = gateway.lightings(), peer.mark()
    for message in sent:
        peer.notify(token, msg_id=message, unqueued=True)
    for message in sent:
        peer.wait_ack(message, after=mark, seconds=30)
    assert gateway.status()["received"] == len(sent) and gateway.inbox()["unread"] == 0
    assert gateway.lightings() == lit and gateway.light() == "off"


def test_20_kills(world, settings):
    nothing_new(*storm(world, 20, settings.seed))


@pytest.mark.slow
def test_many_kills(world, settings):
    nothing_new(*storm(world, settings.kills, settings.seed + 1))


def test_10_kills_while_registering(world, settings):
    print(f"seed {settings.seed}")
    chance = random.Random(settings.seed + 2)
    peer = world.peer()
    gateway = world.gateway(peer)
    for _ in range(10):
        gateway.start(connect=False)
        time.sleep(settings.seconds(chance.uniform(0, 0.3)))
        gateway.kill()
    gateway.start()
    token = gateway.change_tokens("add", "org.example.door")
    peer.wait_ack(peer.notify(token, encrypt=True))
    logins = {e["address"] for e in peer.since(0, "frame", type="C_LOGIN")}
    assert len(logins) == 1, "one identity is ever used"


def test_10_kills_while_reading_and_changing_tokens(world, settings):
    """What a command has confirmed is true after the crash."""
    chance = random.Random(settings.seed + 3)
    peer = world.peer()
    gateway, token = world.online(peer)
    for number in range(10):
        message = peer.notify(token)
        peer.wait_ack(message)
        bundle = f"org.example.n{number}"
        added = gateway.add_token(bundle)
        gateway.cli("read", "all")
        time.sleep(settings.seconds(chance.uniform(0, 0.05)))
        gateway.kill()
        assert gateway.inbox()["unread"] == 0 and message in gateway.shown()
        assert {t["bundle"]: t["token"] for t in gateway.json("token", "list")}[bundle] == added
        gateway.start()
    assert len(gateway.shown()) == 10 and gateway.light() == "off"
