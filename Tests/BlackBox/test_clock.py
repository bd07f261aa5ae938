"""Boards whose clock is wrong, in every way that boards' clocks are (systemd #11008, eve PR #1456, hypriot #191).

The server's clock can be put anywhere with every binary. The board's own is put elsewhere for the native binaries, linked
dynamically or not (harness/clock.py); those of other boards are run at other times by cross/emulate."""
import re
import time

import pytest

from harness import relay as r
from harness.clock import Clock
from harness.settings import wait_until

YEARS = {"1970": 3_600, "2014": 1_388_534_400, "before-2038": 2_147_483_640, "2038": 2_147_483_649, "2040": 2_208_988_800}
"""The end of 32 bits is passed within the first test of "before-2038"."""
years = pytest.mark.parametrize("year", YEARS.values(), ids=YEARS)


def away(year):
    """Seconds from the true time."""
    return year - int(time.time())


def logins(peer, mark):
    return [e["timestamp"] for e in peer.since(mark, "frame", type="C_LOGIN")]


def says(gateway, text):
    return text in gateway.cli("status", code=(0, 1)).stdout


# ---- the server is elsewhere ------------------------------------------------------------------------------------------

@years
def test_a_server_in_another_year(online, peer, year):
    """As seen from the board, this is its own clock being wrong."""
    gateway, token = online
    assert gateway.status()["clock_trusted"] is True and not says(gateway, "clock not trusted")
    peer.set(clock_offset=away(year))
    mark = peer.mark()
    gateway.cli("reconnect")
    gateway.wait_state("error-auth")
    peer.never("connected", after=peer.mark(), seconds=1.5)
    assert len(logins(peer, mark)) == 1
    peer.set(clock_offset=0)
    gateway.cli("reload")
    gateway.wait_online(mark)
    peer.wait_ack(peer.notify(token))


def test_nothing_is_trusted_before_the_server_has_agreed(world, peer):
    peer.set(clock_offset=3600)
    gateway = world.gateway(peer)
    gateway.start(connect=False)
    gateway.wait_state("backing-off")
    status = gateway.status()
    if status["clock_trusted"]:
        pytest.skip("a time service keeps this machine's clock")
    assert says(gateway, "clock not trusted")
    peer.set(clock_offset=0)
    gateway.cli("reconnect")
    gateway.wait_online(0)
    assert gateway.status()["clock_trusted"] is True
    assert any("clock trusted" in line for line in gateway.log())


# ---- what the server said outlives the process ------------------------------------------------------------------------

@pytest.mark.parametrize("offset", [1000, -172_000])
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_the_servers_time_outlives_the_process(online, peer, offset, end):
    gateway, token = online
    peer.obeyed("time_sync", time=int(time.time()) + offset)
    gateway.wait_status(lambda s: abs(s["clock_offset"] - offset) <= 2, "clock_offset")
    peer.set(clock_offset=offset)
    getattr(gateway, end)()
    mark = peer.mark()
    gateway.start()
    assert len(logins(peer, mark)) == 1, "the first login is right"
    assert abs(logins(peer, mark)[0] - time.time() - offset) < gateway.settings.seconds(10)
    status = gateway.status()
    assert abs(status["clock_offset"] - offset) <= 2 and status["clock_trusted"] is True
    late = peer.notify(token, expires_at=int(time.time()) + offset - 100)
    peer.wait_ack(late, 3)


def boot(world, gateway, name):
    """The gateway sees another boot than the one before: its own view of /proc."""
    path = gateway.directory / f"boot-{name}"
    path.write_text(f"{name:0<8}-0000-4000-8000-000000000000\n")
    script = f"mount --bind {path} /proc/sys/kernel/random/boot_id && exec \"$@\""
    gateway.binary = ["unshare", "--mount", "sh", "-c", script, "sh", *world.settings.binary]


def test_another_boot_does_not_believe_it(root, world, peer):
    gateway, token = world.online(peer)
    gateway.stop()
    boot(world, gateway, "a")
    gateway.start()
    peer.obeyed("time_sync", time=int(time.time()) + 1000)
    gateway.wait_status(lambda s: abs(s["clock_offset"] - 1000) <= 2, "clock_offset")
    peer.wait_ack(peer.notify(token))
    gateway.stop()
    boot(world, gateway, "b")
    mark = peer.mark()
    gateway.start()
    assert gateway.status()["clock_offset"] == 0 and len(logins(peer, mark)) == 1


def test_a_clock_that_is_always_wrong_by_as_much(root, world, peer):
    """After a reboot: refused with the board's own time, it tries what it knew of that clock before it gives up."""
    gateway, token = world.online(peer)
    gateway.stop()
    boot(world, gateway, "a")
    gateway.start()
    peer.obeyed("time_sync", time=int(time.time()) + 1000)
    gateway.wait_status(lambda s: abs(s["clock_offset"] - 1000) <= 2, "clock_offset")
    gateway.stop()
    peer.set(clock_offset=1000)
    boot(world, gateway, "b")
    mark = peer.mark()
    gateway.start()
    first, second = logins(peer, mark)
    assert abs(first - time.time()) < gateway.settings.seconds(10) and 995 < second - first < 1010
    assert gateway.status()["clock_trusted"] is True
    peer.wait_ack(peer.notify(token, expires_at=int(time.time()) + 1100))


def test_a_time_sync_that_was_wrong_heals(online, peer):
    """The server's time is refused by the server: the board's own is tried, once."""
    gateway, token = online
    peer.obeyed("time_sync", time=int(time.time()) + 1000)
    gateway.wait_status(lambda s: abs(s["clock_offset"] - 1000) <= 2, "clock_offset")
    mark = peer.mark()
    gateway.cli("reconnect")
    gateway.wait_online(mark)
    assert len(logins(peer, mark)) == 2
    assert gateway.status()["clock_offset"] == 0
    peer.wait_ack(peer.notify(token))


def test_a_contradicted_clock_throws_nothing_away(online, peer):
    gateway, token = online
    mark = peer.mark()
    peer.obeyed("time_sync", time=int(time.time()) + 31_536_000)
    gateway.wait_online(mark, seconds=20)
    assert gateway.status()["clock_trusted"] is False and says(gateway, "clock not trusted")
    late = peer.notify(token, expires_at=int(time.time()) - 100)
    peer.wait_ack(late)
    assert gateway.shown() == [late]


# ---- the board is elsewhere -------------------------------------------------------------------------------------------

@pytest.fixture
def clock(world):
    reason = Clock.unfit(world.settings)
    if reason:
        pytest.skip(reason)
    return world.keep(Clock(world.settings))


def start(gateway, clock, **options):
    return gateway.start(env=clock.environment, prefix=clock.prefix, **options)


@years
def test_board_and_server_in_the_same_wrong_year(world, peer, clock, year):
    """The pin decides and not the certificate's dates, and every date is judged in that year."""
    wrong = away(year)
    clock.set(wrong)
    peer.set(clock_offset=wrong)
    gateway = world.gateway(peer)
    token = gateway.add_token()
    start(gateway, clock)
    now = int(time.time()) + wrong
    good, late = peer.notify(token, expires_at=now + 600), peer.notify(token, expires_at=now - 5)
    peer.wait_ack(good)
    peer.wait_ack(late, 3)
    assert abs(gateway.row(good)["received"] - now) < gateway.settings.seconds(15)
    assert gateway.status()["clock_trusted"] is (year > 1_704_067_200)
    assert any(line.startswith(time.strftime("%Y-%m-", time.gmtime(now))) for line in gateway.log())
    gateway.stop()


@years
def test_a_wrong_clock_at_the_first_start(world, peer, clock, year):
    """Refused until the clock is right, and then no longer, whatever the delay was."""
    clock.set(away(year))
    gateway = world.gateway(peer)
    token = gateway.add_token()
    start(gateway, clock, connect=False)
    gateway.wait_state("backing-off")
    assert gateway.status()["clock_trusted"] is False and says(gateway, "clock not trusted")
    clock.set(0)
    # The kernel tells a sleeper of a clock that is set (timerfd_create(2)), but not of this one: cross/emulate sees to that.
    gateway.status()
    gateway.wait_online(0, seconds=3)
    assert gateway.status()["clock_trusted"] is True
    peer.wait_ack(peer.notify(token, expires_at=int(time.time()) + 600))


@years
def test_a_refused_login_is_tried_again_once_the_clock_is_set(root, world, peer, clock, year):
    """What it estimates from the last stop is wrong too: this machine was not off, but has been on for long."""
    if time.clock_gettime(time.CLOCK_BOOTTIME) < 400:
        pytest.skip("this machine has just booted")
    gateway, token = world.online(peer)
    gateway.stop()
    boot(world, gateway, "b")
    message = peer.notify(token, expires_at=int(time.time()) + 600)
    clock.set(away(year))
    mark = peer.mark()
    start(gateway, clock, connect=False)
    gateway.wait_state("error-auth")
    assert gateway.status()["clock_trusted"] is False and says(gateway, "clock not trusted")
    assert any("once the clock is set" in line for line in gateway.log())
    peer.never("connected", after=peer.mark(), seconds=1.5)
    clock.set(0)
    # See above.
    gateway.status()
    gateway.wait_online(mark, seconds=5)
    assert len(logins(peer, mark)) == 2
    assert peer.acks(message, after=mark) == [0]


@years
def test_a_clock_that_is_set_wrongly_costs_nothing(world, peer, clock, year):
    """`date -s` by mistake, or a time service gone mad, while connected; then a restart in the same boot."""
    gateway = world.gateway(peer)
    token = gateway.add_token()
    start(gateway, clock)
    mark = peer.mark()
    clock.set(away(year))
    gateway.wait_status(lambda s: abs(s["clock_offset"] + away(year)) <= 2, "clock_offset")
    gateway.wait_state("connected")
    assert gateway.status()["clock_trusted"] is True
    good, late = (peer.notify(token, expires_at=int(time.time()) + s) for s in (600, -100))
    peer.wait_ack(good)
    peer.wait_ack(late, 3)
    assert abs(gateway.row(good)["received"] - time.time()) < gateway.settings.seconds(15)
    gateway.kill()
    mark = peer.mark()
    start(gateway, clock)
    good = peer.notify(token, expires_at=int(time.time()) + 600)
    peer.wait_ack(good)
    clock.set(0)
    gateway.wait_status(lambda s: s["clock_offset"] == 0 and s["state"] == "connected", "the system's clock again")
    assert gateway.status()["clock_trusted"] is True


def test_between_the_step_and_the_servers_word_nothing_expires(world, peer, clock):
    gateway = world.gateway(peer)
    token = gateway.add_token()
    start(gateway, clock)
    peer.listen(False)
    gateway.wait_state("backing-off")
    clock.set(away(YEARS["2040"]))
    assert gateway.status()["clock_trusted"] is False
    assert re.search(r"clock not trusted for \d", gateway.cli("status", code=(0, 1)).stdout)
    waiting = peer.notify(token, expires_at=int(time.time()) + 600)
    peer.listen(True)
    peer.wait_ack(waiting)
    assert gateway.shown() == [waiting]


def test_a_small_step_disturbs_nothing(world, peer, clock):
    gateway = world.gateway(peer)
    gateway.add_token()
    start(gateway, clock)
    mark = peer.mark()
    for wrong in (10, 250, -250, 0):
        clock.set(wrong)
        assert gateway.status()["clock_trusted"] is True
    assert not peer.since(mark, "connected") and gateway.state_name() == "connected"


@pytest.mark.parametrize("year", [YEARS["1970"], YEARS["2014"]], ids=["1970", "2014"])
def test_no_hour_is_quiet_to_a_clock_that_was_never_set(world, peer, clock, year):
    """Nobody knows whether it is night: an alarm that is not heard costs more than one at night."""
    wrong = away(year)
    clock.set(wrong)
    peer.set(clock_offset=wrong)
    gateway = world.gateway(peer)
    gateway.configure("panel", buzzer="file:buzzer.log")
    gateway.configure("route all", bundle="*", beep="1", quiet="00:00-23:59")
    token = gateway.add_token()
    start(gateway, clock)
    peer.wait_ack(peer.notify(token))
    gateway.wait_light(True)
    wait_until(lambda: [what for _, role, what in gateway.panel("buzzer.log") if role == "beep"] == [1],
               gateway.settings.seconds(5), "one beep")


@pytest.mark.skipif(r.python() is None, reason="RELAY TESTS NOT RUN: no cronstable environment")
@pytest.mark.parametrize("year, stale", [(YEARS["1970"], False), (YEARS["2014"], False), (YEARS["2040"], True)],
                         ids=["1970", "2014", "2040"])
def test_alerts_are_outdated_only_by_a_clock_that_was_set(world, clock, year, stale):
    """2040 may be right for all that the board knows; 1970 cannot be."""
    clock.set(away(year))
    relay = r.Relay(world, start=False)
    start(relay.gateway, clock, connect=False)
    relay.gateway.wait_running()
    relay.gateway.wait_status(lambda s: s["relay"]["listening"], "the relay listens")
    assert relay.send()[0] == 202
    assert relay.gateway.rows()[0]["stale"] is stale
    assert relay.gateway.status()["clock_trusted"] is False
