"""The connection ends and comes back: nothing lost, nothing twice, and no wait without reason (spec §9, §10, §11)."""
import itertools
import time

import pytest

from harness import wire
from harness.proxy import records
from harness.settings import wait_until


def through_a_wire(world, peer, **options):
    cable = world.wire(peer)
    gateway, token = world.online(peer, port=cable.port, **options)
    return gateway, token, cable


def comes_back(gateway, peer, mark):
    gateway.cli("reconnect")
    gateway.wait_online(mark)


def test_server_restart(online, peer):
    gateway, token = online
    peer.listen(False)
    gateway.wait_state("backing-off", "connecting")
    mark = peer.mark()
    peer.listen(True)
    comes_back(gateway, peer, mark)
    assert not peer.since(mark, "registered")
    peer.wait_ack(peer.notify(token, encrypt=True))


def test_a_then_cut_then_b_and_c_then_back_each_once(online, peer):
    """ntfy #1895. Nobody asks for the reconnect here: the gateway's own delay brings it back."""
    gateway, token = online
    a = peer.notify(token)
    peer.wait_ack(a)
    peer.listen(False)
    gateway.wait_state("backing-off", "connecting")
    b, c = peer.notify(token), peer.notify(token, encrypt=True)
    mark = peer.mark()
    peer.listen(True)
    peer.wait("authenticated", after=mark, seconds=15)
    peer.wait_ack(b)
    peer.wait_ack(c)
    assert gateway.shown() == [c, b, a] and gateway.status()["received"] == 3


def test_cut_between_notify_and_acknowledgement(world, peer):
    """The acknowledgement never arrives, so the server sends again: acknowledged in the end, shown once."""
    gateway, token, cable = through_a_wire(world, peer)
    cable.hold_up = True
    messages = [peer.notify(token, encrypt=True) for _ in range(3)]
    wait_until(lambda: set(gateway.shown()) == set(messages), gateway.settings.seconds(10), "shown before acknowledged")
    gateway.wait_light(True)
    lit, mark = gateway.lightings(), peer.mark()
    cable.cut()
    cable.hold_up = False
    gateway.wait_state("backing-off", "connecting", "connected")
    assert peer.acks() == set()
    comes_back(gateway, peer, mark)
    for message in messages:
        peer.wait_ack(message, after=mark)
    assert sorted(gateway.shown()) == sorted(messages)
    assert gateway.status()["received"] == 3 and gateway.lightings() == lit


def test_cut_in_the_middle_of_a_frame(world, peer):
    gateway, token, cable = through_a_wire(world, peer)
    message = peer.notify(token, hold=True)
    whole = wire.frame(wire.NOTIFY, wire.notify(wire.Token(token).routing_key, bytes.fromhex(message), 1,
                                                wire.tlv(wire.document())))
    peer.raw(whole[:60])
    mark = peer.mark()
    cable.cut()
    gateway.wait_state("backing-off")
    comes_back(gateway, peer, mark)
    peer.wait_ack(message)
    assert gateway.shown() == [message]


def test_cut_ten_times_under_load(world, peer):
    gateway, token, cable = through_a_wire(world, peer)
    messages = []
    for _ in range(10):
        messages += [peer.notify(token, encrypt=True) for _ in range(5)]
        mark = peer.mark()
        cable.cut()
        gateway.wait_state("backing-off", "connecting", "authenticating", "connected")
        messages.append(peer.notify(token))
        comes_back(gateway, peer, mark)
    peer.wait_all_acked(messages)
    assert sorted(gateway.shown()) == sorted(messages)
    assert gateway.status()["received"] == len(messages)


def test_a_lost_live_push_comes_with_the_next_poll(online, peer):
    gateway, token = online
    message = peer.notify(token, hold=True)
    mark = peer.mark()
    comes_back(gateway, peer, mark)
    peer.wait_ack(message)
    assert gateway.shown() == [message]


def test_acknowledgements_owed_from_before_leave_after_the_next_login(world, peer):
    gateway, token, cable = through_a_wire(world, peer)
    cable.hold_up = True
    message = peer.notify(token)
    wait_until(lambda: gateway.shown() == [message], gateway.settings.seconds(10), "shown")
    gateway.kill()
    cable.cut()
    cable.hold_up = False
    gateway.start()
    peer.wait_ack(message)
    assert gateway.shown() == [message]


def test_killed_between_commit_and_acknowledgement_and_sent_again(world, peer):
    """ntfy #1591. The server sends the same message after the restart: acknowledged, and neither shown nor lit again."""
    gateway, token, cable = through_a_wire(world, peer)
    cable.hold_up = True
    message = peer.notify(token)
    wait_until(lambda: gateway.shown() == [message], gateway.settings.seconds(10), "shown")
    gateway.kill()
    cable.cut()
    cable.hold_up = False
    assert peer.acks() == set()
    mark, lit = peer.mark(), gateway.lightings()
    gateway.start()
    peer.wait_ack(message, after=mark)
    gateway.wait_light(True)
    assert gateway.lightings() == lit + 1, "the new process shows what is unread"
    peer.notify(token, msg_id=message)
    peer.wait_ack(message, after=mark, count=2)
    gateway.cli("read", "all")
    gateway.wait_light(False)
    peer.notify(token, msg_id=message)
    peer.wait_ack(message, after=mark, count=3)
    # Behind it on the same connection: whatever that one did is done.
    peer.obeyed("ping", seq=1591)
    peer.wait("frame", type="C_PONG", seq=1591)
    assert peer.acks(message) == [0, 0, 0] and gateway.row(message)["read"]
    status = gateway.status()
    assert (status["received"], status["unread"]) == (1, 0)
    assert gateway.light() == "off" and gateway.lightings() == lit + 1


@pytest.mark.parametrize("ending", ["reconnect", "token-change", "stop", "retry-from-server"])
def test_acknowledgements_that_were_on_their_way_are_sent_again(world, peer, ending):
    """Written to the socket is not read by the server: whoever ends the connection, and however politely.

    The peer, like any server that goes by last_seq, never sends such a message again, so only the acknowledgement
    kept here can end its waiting there."""
    gateway, token, cable = through_a_wire(world, peer)
    cable.hold_up = True
    messages = [peer.notify(token) for _ in range(3)]
    wait_until(lambda: set(gateway.shown()) == set(messages), gateway.settings.seconds(10), "shown")
    mark, connections = peer.mark(), cable.accepted
    if ending == "reconnect":
        gateway.cli("reconnect")
    elif ending == "token-change":
        gateway.add_token("org.example.bell")
    elif ending == "stop":
        gateway.stop()
    else:
        peer.obeyed("disconnect", reason=0)
    wait_until(lambda: cable.accepted > connections or ending == "stop" or gateway.state_name() == "backing-off",
               gateway.settings.seconds(5), "the old connection is given up")
    cable.cut()
    cable.hold_up = False
    if ending == "stop":
        gateway.start()
    else:
        comes_back(gateway, peer, mark)
    assert not peer.acks() - set(messages)
    for message in messages:
        peer.wait_ack(message, seconds=5)
    assert gateway.status()["received"] == 3


def test_a_live_push_that_overtakes_the_poll_hides_nothing(world, peer):
    """A waits at the server, B is pushed between S_AUTH_OK and C_POLL, then the power is cut: A must still come.

    A resume point that B had moved would have hidden A for good, since the poll that would bring A never arrived."""
    gateway, token, cable = through_a_wire(world, peer)
    gateway.stop()
    a = peer.notify(token)
    cable.records = 3  # the end of the handshake, C_LOGIN, C_LOGIN_RESP
    mark = peer.mark()
    gateway.start(connect=False)
    peer.wait("authenticated", after=mark)
    b = peer.notify(token)
    wait_until(lambda: gateway.shown() == [b], gateway.settings.seconds(10), "B is shown")
    assert not peer.since(mark, "poll")
    gateway.kill()
    cable.cut()
    cable.records = None
    gateway.start()
    peer.wait_ack(a)
    peer.wait_ack(b)
    assert sorted(gateway.shown()) == sorted([a, b])


def test_poll_asks_from_the_last_durable_one(online, peer):
    gateway, token = online
    assert peer.wait("poll")["last_seq"] == 0
    for _ in range(5):
        last = peer.notify(token)
    peer.wait_ack(last)
    seq = peer.since(0, "note", msg_id=last)[0]["seq"]
    assert gateway.status()["last_seq"] == seq
    mark = peer.mark()
    gateway.kill()
    gateway.start()
    assert peer.wait("poll", after=mark)["last_seq"] == seq


# ---- what the server says when it ends a connection -------------------------------------------------------------------

SOFT = {"normal": 0, "protocol": 2, "server-error": 3, "replaced": 4, "unknown-6": 6, "unknown-255": 255}


@pytest.mark.parametrize("reason", SOFT.values(), ids=SOFT)
def test_soft_reasons_come_back_within_the_first_delay(online, peer, reason):
    gateway, token = online
    mark = peer.mark()
    peer.obeyed("disconnect", reason=reason)
    gateway.wait_state("backing-off")
    status = gateway.status()
    assert status["failures"] == 1
    wait = status["next_attempt"] - peer.wait("closed", after=mark)["t"]
    assert 1 - gateway.settings.seconds(0.3) <= wait <= gateway.settings.seconds(8.1), "2 s and up to 5, whole seconds"
    comes_back(gateway, peer, mark)
    assert gateway.status()["failures"] == 0
    peer.wait_ack(peer.notify(token))


def test_replaced_by_a_twin(world, online, peer):
    """A copy of the state directory logs in as the same device; the first one is told so and lives on."""
    gateway, token = online
    twin = world.gateway(peer, copy_of=gateway)
    mark = peer.mark()
    twin.start()
    peer.wait("closed", after=mark)
    gateway.wait_state("backing-off")
    twin.stop()
    mark = peer.mark()
    comes_back(gateway, peer, mark)
    peer.wait_ack(peer.notify(token))


@pytest.mark.parametrize("sent, least, most", [(60, 59, 61), (600, 599, 601), (601, 599, 601), (2**32 - 1, 599, 601),
                                               (0, 1, 8), (1, 1, 8)])
def test_retry_after_is_heeded_up_to_600_seconds(online, peer, sent, least, most):
    gateway, _ = online
    now = time.time()
    peer.obeyed("disconnect", reason=0, retry_after=sent)
    gateway.wait_state("backing-off")
    wait = gateway.status()["next_attempt"] - now
    assert least - 1 <= wait <= most + gateway.settings.seconds(2)


@pytest.mark.host_only
def test_retry_after_is_waited_for(online, peer):
    gateway, _ = online
    mark = peer.mark()
    peer.obeyed("disconnect", reason=0, retry_after=9)
    gone = peer.wait("closed", after=mark)["t"]
    assert 8 <= peer.wait("connected", after=mark, seconds=20)["t"] - gone <= 11


def test_delays_grow_while_nobody_answers(online, peer):
    """min(2 × 2^(n−1) + random(0…5), 600) seconds after the n-th failure."""
    gateway, _ = online
    peer.listen(False)
    for failures in (1, 2):
        status = gateway.wait_status(lambda s: s["failures"] == failures and s["state"] == "backing-off",
                                     f"failure {failures}", seconds=25)
        wait, base = status["next_attempt"] - time.time(), 2 ** failures
        assert wait <= base + 5 + 1.1, f"{wait:.1f} s after failure {failures}"
    assert gateway.settings.emulated or wait >= base - 1.5


@pytest.mark.parametrize("way", ["reconnect", "reload"])
def test_a_person_need_not_wait_for_the_delay(online, peer, way):
    gateway, _ = online
    peer.obeyed("disconnect", reason=0, retry_after=600)
    gateway.wait_state("backing-off")
    mark = peer.mark()
    gateway.cli(way)
    gateway.wait_online(mark)
    assert gateway.status()["failures"] == 0


def test_disconnect_is_understood_before_hello(online, peer):
    gateway, _ = online
    peer.set(hello=False)
    mark = peer.mark()
    gateway.cli("reconnect")
    peer.wait("closed", after=mark)
    peer.wait_connection(mark)
    peer.send(wire.DISCONNECT, b"\x03")
    gateway.wait_state("backing-off")


# ---- how bytes arrive -------------------------------------------------------------------------------------------------

def test_legacy_hello(world):
    peer = world.peer("--legacy-hello")
    gateway, token = world.online(peer)
    upgrades = peer.since(0, "frame", type="C_UPGRADE")
    assert len(upgrades) == len(peer.since(0, "connected")) and all(u["size"] == 0 for u in upgrades)
    peer.wait_ack(peer.notify(token, encrypt=True))


@pytest.mark.parametrize("length", [12, 13, 4095, 4096])
@pytest.mark.parametrize("pieces", [1, 3], ids=["whole", "in-pieces"])
def test_legacy_hello_of_every_size(peer, gateway, length, pieces):
    peer.set(hello=False)
    gateway.start(connect=False)
    peer.wait_connection(0)
    hello = wire.legacy_hello(length)
    if pieces == 1:
        peer.raw(hello)
    else:
        for part in (hello[:2], hello[2:9], hello[9:]):
            peer.raw(part)
    peer.wait("frame", type="C_UPGRADE")
    peer.wait("registered")


@pytest.mark.parametrize("size", [1, 7, 8, 9], ids="{}-bytes".format)
def test_frames_in_pieces(world, peer, size):
    peer.set(split=size)
    gateway, token = world.online(peer)
    messages = [peer.notify(token, wire.document("split", "x" * 700), encrypt=True) for _ in range(3)]
    for message in messages:
        peer.wait_ack(message)
    peer.obeyed("ping", seq=77)
    peer.wait("frame", type="C_PONG", seq=77)
    assert gateway.status()["failures"] == 0


def test_legacy_hello_in_single_bytes(world):
    peer = world.peer("--legacy-hello")
    peer.set(split=1)
    _, token = world.online(peer)
    peer.wait_ack(peer.notify(token))


def log_of_the_store(gateway):
    return (gateway.state / "skyglow.db-wal").read_bytes()


def salt_of(log):
    return log[16:24]


def commits(log):
    """Commits in the log of the database, by SQLite's file format §4: a frame with a database size ends one, and frames of
    another salt are left from before."""
    page = int.from_bytes(log[8:12], "big")
    frames = [log[at:at + 24] for at in range(32, len(log) - 24 - page + 1, 24 + page)]
    kept = itertools.takewhile(lambda frame: frame[8:16] == salt_of(log), frames)
    return sum(1 for frame in kept if any(frame[4:8]))


@pytest.mark.parametrize("count", [100, 400])
def test_many_frames_in_one_write(online, peer, count):
    """Demands, Resources: at most one commit per burst. A burst is what one read fetches: at most one TLS record of 16 KiB,
    and where the beginning of a frame is in the way the record comes in two."""
    gateway, token = online
    for _ in range(3):
        peer.wait_ack(peer.notify(token))
    log, mark = log_of_the_store(gateway), peer.mark()
    before = commits(log)
    assert before >= 3, "one by one, each is a commit: they are counted rightly"
    peer.obeyed("flood", token=token, count=count, data=wire.document(), encrypt=True)
    peer.wait("acked", after=mark, count=count, seconds=20, status=0)
    after = log_of_the_store(gateway)
    assert salt_of(after) == salt_of(log), "the log was not begun anew meanwhile"
    made = commits(after) - before
    size = peer.wait("note", after=mark, what="flood built")["bytes"]
    assert 1 <= made <= 2 * -(-size // 16384), f"{made} commits for {count} notifications, {size} bytes"
    assert len(peer.acks(after=mark)) == count and len(gateway.shown()) == count + 3
    assert gateway.status()["received"] == count + 3


def test_different_frames_in_one_write(online, peer):
    gateway, token = online
    message = wire.message_id()
    good = wire.frame(wire.NOTIFY, wire.notify(wire.Token(token).routing_key, bytes.fromhex(message), 1,
                                               wire.tlv(wire.document())))
    mark = peer.mark()
    peer.raw(wire.frame(wire.PING, bytes(7) + b"\x05") + good + wire.good(wire.PONG) + wire.good(wire.POLL_DONE)
             + wire.good(wire.TIME_SYNC) + good + wire.frame(wire.PING, bytes(7) + b"\x06"))
    peer.wait("frame", after=mark, type="C_PONG", seq=6)
    peer.wait_ack(message, count=2)
    assert gateway.shown() == [message] and not peer.since(mark, "closed")


def test_large_frames_in_one_write(online, peer):
    gateway, token = online
    document = wire.document("big", "x" * 3900)
    peer.obeyed("flood", token=token, count=60, data=document)
    peer.wait("acked", count=60, seconds=20, status=0)
    assert len(gateway.shown()) == 60


def test_no_client_frame_is_split_over_tls_records(world):
    """The reference server drops a connection whose frame is split (§2), so every record ends where a frame ends.

    A TLS 1.3 record of application data is 17 bytes longer than what it carries."""
    peer = world.peer("--tls-max", "1.3")
    gateway, token, cable = through_a_wire(world, peer)
    for number in range(10):
        peer.obeyed("ping", seq=number)
        peer.wait("frame", type="C_PONG", seq=number)
    peer.obeyed("flood", token=token, count=40, data=wire.document())
    peer.wait("acked", count=40)
    login = max(i for i, e in enumerate(peer.since(0)) if e["event"] == "connected")
    sizes = {"acked": 17, "poll": 8}
    frames = [8 + (e["size"] if e["event"] == "frame" else sizes[e["event"]])
              for e in peer.since(login) if e["event"] in ("frame", *sizes)]
    carried = [length - 17 for kind, length, _ in records(bytes(cable.sent[-1])) if kind == 23][1:]
    frame_ends = {sum(frames[:n + 1]) for n in range(len(frames))}
    record_ends = [sum(carried[:n + 1]) for n in range(len(carried))]
    assert record_ends[-1] == sum(frames)
    assert set(record_ends) <= frame_ends, "a frame is split over two records"


# ---- a reload ---------------------------------------------------------------------------------------------------------

def test_a_reload_that_cannot_be_carried_out_at_once(gateway, peer):
    """The new settings are good, and what the new connection needs cannot be read just now: the old one stays, and the
    new one follows by itself."""
    token = gateway.add_token()
    gateway.start()
    key = gateway.state / "identity.pem"
    key.rename(gateway.state / "away.pem")
    key.mkdir()
    mark = peer.mark()
    gateway.configure("keepalive", minimum=700, maximum=700)
    gateway.cli("reload")
    wait_until(lambda: any("tried again" in line for line in gateway.log()), gateway.settings.seconds(5), "the log says so")
    peer.wait_ack(peer.notify(token))
    assert gateway.status()["state"] == "connected" and not peer.since(mark, "connected")
    key.rmdir()
    (gateway.state / "away.pem").rename(key)
    peer.wait("poll", after=mark, seconds=10)
    wait_until(lambda: gateway.status()["keepalive"]["interval"] == 700, gateway.settings.seconds(5), "the new settings")
    peer.wait_ack(peer.notify(token))
