"""Links, addresses and routes that come and go (rtnetlink).

ntfyDesktop #78, PR #91, notify_push #53: a link or address event probes within 2 s. gotify/android #263: link-up resets
the delay. fishnet PR #72, cloudflared PR #1128: starts with no network at all, says so on the light, READY sent."""
import socket
import threading
import time

import pytest

from harness.settings import wait_until
from lab.lab import SERVER, Watch


PROBED, ANSWER = 2, 5       # s


class Manager:
    """A service manager's socket."""

    def __init__(self, path):
        self.path, self.ready = str(path), None
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            if b"READY=1" in self.socket.recv(4096).split(b"\n") and not self.ready:
                self.ready = time.time()


def no_network(gateway, seconds=10):
    gateway.wait_state("no-network", seconds=seconds)
    wait_until(lambda: gateway.light("link", "link.log") == "pulse", gateway.settings.seconds(1), "the light says so")


# ---- events probe -----------------------------------------------------------------------------------------------------

def test_another_address_is_probed_and_the_connection_stays(lab, measured):
    gateway, token = lab.online()
    mark, began = lab.peer.mark(), time.time()
    lab.board.ip("addr add 192.168.1.77/24 dev eth0")
    ping = lab.peer.wait("frame", after=mark, type="C_PING", seconds=5)
    measured("address added: probed", PROBED, ping["t"] - began, exact=True)
    lab.peer.wait_ack(lab.peer.notify(token))
    time.sleep(6)
    assert not lab.peer.since(mark, "connected") and gateway.status()["state"] == "connected"


def test_another_route_is_probed(lab, measured):
    gateway, _ = lab.online()
    mark, began = lab.peer.mark(), time.time()
    lab.board.ip("route add 198.51.100.0/24 via 192.168.1.1 dev eth0")
    ping = lab.peer.wait("frame", after=mark, type="C_PING", seconds=5)
    measured("route added: probed", PROBED, ping["t"] - began, exact=True)
    assert gateway.status()["state"] == "connected"


def test_address_changed(lab, measured):
    """A new lease: the old address goes, the new one comes, nobody says goodbye to the old connection."""
    gateway, token = lab.online()
    watch = Watch(gateway)
    lab.board.ip("addr del 192.168.1.20/24 dev eth0", "addr add 192.168.1.21/24 dev eth0",
                 "route replace default via 192.168.1.1 dev eth0")
    lost = watch.lost()
    measured("address changed: no longer connected", PROBED, lost)
    measured("address changed: reconnected", 3, watch.connected(after=lost))
    lab.peer.wait_ack(lab.peer.notify(token))


def test_address_lost_and_found(lab, measured):
    """The lease ended, and the DHCP server is slow."""
    gateway, _ = lab.online()
    watch = Watch(gateway)
    lab.board.ip("addr del 192.168.1.20/24 dev eth0")
    measured("address lost: no longer connected", PROBED, watch.lost())
    gateway.wait_state("no-network")
    time.sleep(3)
    again = Watch(gateway)
    lab.plug_in(host=22)
    measured("address found: reconnected", 2, again.connected())


# ---- a change while it connects ---------------------------------------------------------------------------------------

def another_address(lab):
    lab.board.ip("addr del 192.168.1.20/24 dev eth0")
    lab.board.ip("addr add 192.168.1.21/24 dev eth0", "route replace default via 192.168.1.1 dev eth0 metric 100")


@pytest.mark.parametrize("age", [0.5, 1.5, 3])
def test_address_changed_while_connecting(lab, measured, age):
    """The SYN went into a black hole from an address that is not there any more: nothing is waited for."""
    gateway, _ = lab.online()
    lab.router.weather(f"ip daddr {SERVER} drop")
    gateway.cli("reconnect")
    # Our goodbye is waited for a second.
    gateway.wait_state("connecting")
    time.sleep(1 + age)
    told, began = gateway.log(), time.time()
    another_address(lab)
    lab.router.weather()
    watch = Watch(gateway)
    measured(f"address changed {age} s into an attempt: connected", 2, watch.connected() + watch.began - began)
    assert not any("failure" in line for line in gateway.log_after(told)), "it is no failure"


def test_addresses_changed_twice_while_connecting(lab, measured):
    """The second change comes soon after the first one, which ended an attempt."""
    gateway, _ = lab.online()
    lab.router.weather(f"ip daddr {SERVER} drop")
    gateway.cli("reconnect")
    time.sleep(4)
    lab.board.ip("addr add 192.168.1.77/24 dev eth0")
    time.sleep(4)
    began = time.time()
    another_address(lab)
    lab.router.weather()
    watch = Watch(gateway)
    measured("address changed 4 s after another change: connected", 2, watch.connected() + watch.began - began)


def test_way_changed_while_connecting(make_lab, measured):
    """The address stays, and nobody answers: a young attempt is not given up at once, but it has five seconds, is no
    failure, and is followed by another."""
    lab = make_lab()
    lab.plug_in()
    gateway, _ = lab.online()
    lab.router.weather(f"ip daddr {SERVER} drop")
    gateway.cli("reconnect")
    time.sleep(1.5)
    told, began = gateway.log(), time.time()
    lab.board.ip("route add 198.51.100.0/24 via 192.168.1.1 dev eth0")
    wait_until(lambda: sum("disconnected: the network changed" in line for line in gateway.log_after(told)), 12, "begun anew")
    measured("a change during a young attempt: begun anew", 2 + ANSWER, time.time() - began)
    assert not any("failure" in line for line in gateway.log_after(told))
    watch = Watch(gateway)
    lab.router.weather()
    measured("the way is there again: connected", 4, watch.connected())


def test_address_changed_while_a_name_server_is_asked(lab, measured):
    lab.resolv_conf("nameserver 203.0.113.53\n")
    lab.name_server()
    gateway, _ = lab.online()
    gateway.stop()
    gateway.configure("server", endpoint=None)
    lab.router.weather("ip daddr 203.0.113.53 drop")
    gateway.start(connect=False)
    gateway.wait_running()
    time.sleep(1)
    began = time.time()
    another_address(lab)
    lab.router.weather()
    watch = Watch(gateway)
    measured("address changed 1 s into a question: connected", 2, watch.connected() + watch.began - began)


def test_a_silent_change_of_what_is_behind_the_router_is_found_by_the_probe(lab, measured):
    """The router's translation goes with the change: the probe gets no answer, and is not waited for long."""
    gateway, token = lab.online()
    watch = Watch(gateway)
    lab.router.forget()
    lab.board.ip("addr add 192.168.1.77/24 dev eth0")
    lost = watch.lost()
    measured("address added, NAT forgot: no longer connected", PROBED + ANSWER, lost)
    measured("address added, NAT forgot: reconnected after that", 2, watch.connected(after=lost) - lost)
    lab.peer.wait_ack(lab.peer.notify(token))


# ---- interfaces -------------------------------------------------------------------------------------------------------

def switch_off(lab):
    lab.board.ip("link set eth0 down")


def unplug(lab):
    lab.router.namespace.ip("link set lan down")


def plug(lab):
    lab.router.namespace.ip("link set lan up")


@pytest.mark.parametrize("down", [switch_off, unplug], ids=["switched-off", "unplugged"])
def test_interface_down_and_up(lab, measured, down):
    name = "switched off" if down is switch_off else "unplugged"
    gateway, token = lab.online()
    watch = Watch(gateway)
    down(lab)
    lost = watch.lost()
    # Without a carrier the connection may yet live; it is asked.
    measured(f"interface {name}: no longer connected", PROBED if down is switch_off else PROBED + ANSWER, lost)
    measured(f"interface {name}: the light says no network", PROBED + ANSWER + 1, watch.first("pulse"))
    no_network(gateway)
    time.sleep(4)
    assert gateway.status()["state"] == "no-network", "whatever is tried meanwhile"
    assert watch.seen()[-1][1] == "pulse"
    again = Watch(gateway)
    plug(lab)
    lab.plug_in()
    measured(f"interface {name}, then back: reconnected", 2, again.connected())
    lab.peer.wait_ack(lab.peer.notify(token))


def test_a_moment_without_a_carrier(lab, measured):
    """The connection outlives it and must not be given up; so says the probe."""
    gateway, token = lab.online()
    told, mark, began = gateway.log(), lab.peer.mark(), time.time()
    unplug(lab)
    wait_until(lambda: any("asking whether" in line for line in gateway.log_after(told)), gateway.settings.seconds(5), "it asks")
    measured("a carrier is lost: probed", PROBED, time.time() - began, exact=True)
    time.sleep(max(0, began + 1.5 - time.time()))
    assert not lab.peer.since(mark, "frame", type="C_PING"), "nothing passes without a carrier"
    began = time.time()
    plug(lab)
    ping = lab.peer.wait("frame", after=mark, type="C_PING", seconds=5)
    measured("a carrier lost for 1.5 s is back: probed", PROBED, ping["t"] - began, exact=True)
    time.sleep(6)
    assert not lab.peer.since(mark, "connected") and gateway.status()["state"] == "connected"
    lab.peer.wait_ack(lab.peer.notify(token))


def test_router_restarts(lab, measured):
    """The cable is dead for a while, and then nothing is known of what was translated before."""
    gateway, token = lab.online()
    unplug(lab)
    time.sleep(3)
    lab.router.forget()
    watch = Watch(gateway)
    plug(lab)
    message = lab.peer.notify(token)
    lab.peer.wait_ack(message, seconds=15)
    measured("router restarted: a message arrives once it is back", PROBED + ANSWER + 1, time.time() - watch.began)


def test_link_up_resets_the_delay(lab, measured):
    """The server had asked to be left alone for 600 s; a link that comes up is a reason not to wait for that."""
    gateway, token = lab.online()
    lab.peer.obeyed("disconnect", reason=0, retry_after=600)
    gateway.wait_state("backing-off")
    assert gateway.status()["next_attempt"] > time.time() + 500
    switch_off(lab)
    no_network(gateway)
    again = Watch(gateway)
    lab.plug_in()
    measured("link up while 600 s were to be waited: reconnected", 2, again.connected())
    lab.peer.wait_ack(lab.peer.notify(token))


def test_a_cable_that_wobbles(lab, measured):
    """Ten times within seconds, and then it holds: no storm of attempts, and a connection at the end."""
    gateway, token = lab.online()
    mark = lab.peer.mark()
    for _ in range(10):
        switch_off(lab)
        time.sleep(0.1)
        lab.plug_in()
        time.sleep(0.1)
    again = Watch(gateway)
    lab.peer.wait("poll", after=mark)
    gateway.wait_state("connected")
    lab.peer.wait_ack(lab.peer.notify(token), seconds=10)
    measured("a cable that wobbled ten times: a message arrives", 8, time.time() - again.began)
    assert len(lab.peer.since(mark, "connected")) <= 11


# ---- the start --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("dns", [False, True], ids=["endpoint", "dns"])
def test_start_without_a_network(make_lab, measured, dns):
    """READY comes all the same, for what else runs on the board must not wait."""
    name = "by DNS" if dns else "fixed address"
    lab = make_lab()
    if dns:
        lab.name_server()
        lab.resolv_conf("nameserver 203.0.113.53\n")
    gateway = lab.gateway(dns=dns)
    gateway.add_token()
    manager = Manager(gateway.directory / "notify")
    began = time.time()
    gateway.start(connect=False, env={"NOTIFY_SOCKET": manager.path})
    no_network(gateway)
    wait_until(lambda: manager.ready, gateway.settings.seconds(5), "READY=1 was sent")
    measured(f"start without a network, {name}: READY", 2, manager.ready - began)
    time.sleep(5)
    no_network(gateway)
    watch = Watch(gateway)
    lab.plug_in()
    measured(f"start without a network, {name}: connected once it is there", 3, watch.connected())


def test_a_relay_whose_address_comes_late(make_lab, measured):
    """mosquitto #2878: the address to listen on appears some time after boot. The rest goes on meanwhile."""
    lab = make_lab()
    gateway = lab.gateway()
    gateway.configure("relay", listen="192.168.1.20:8787", allow="192.168.1.0/24")
    gateway.start(connect=False)
    no_network(gateway)
    time.sleep(3)
    began = time.time()
    lab.plug_in()

    def answers():
        with lab.router.namespace.entered(), socket.socket() as link:
            link.settimeout(1)
            return link.connect_ex(("192.168.1.20", 8787)) == 0
    wait_until(answers, gateway.settings.seconds(10), "the relay listens")
    measured("address to listen on came late: the relay answers", 3, time.time() - began)
    assert gateway.status()["relay"]["listening"] == "192.168.1.20:8787"
    gateway.wait_state("connected")


# ---- crowds -----------------------------------------------------------------------------------------------------------

def test_thousands_of_routes(lab, measured):
    """More events at once than the kernel keeps for anyone: the connection stays, and messages come."""
    gateway, token = lab.online()
    mark = lab.peer.mark()
    routes = [f"10.{n >> 8}.{n & 255}.0/24 via 192.168.1.1" for n in range(256, 10_256)]
    lab.board.ip(*(f"route add {route}" for route in routes))
    began = time.time()
    lab.peer.wait_ack(lab.peer.notify(token))
    measured("10,000 routes added: a message arrives", 2, time.time() - began)
    lab.board.ip(*(f"route del {route}" for route in routes))
    began = time.time()
    lab.peer.wait_ack(lab.peer.notify(token))
    measured("10,000 routes removed: a message arrives", 2, time.time() - began)
    assert not lab.peer.since(mark, "closed")
    lab.board.ip("addr del 192.168.1.20/24 dev eth0")
    gateway.wait_state("no-network")


def test_many_interfaces(lab, measured):
    """As on a board with containers: more than are kept track of. Changes are still noticed."""
    for number in range(40):
        lab.board.ip(f"link add name c{number} type veth peer name p{number}", f"link set c{number} up",
                     f"link set p{number} up", f"addr add 172.20.{number}.1/24 dev c{number}")
    gateway, token = lab.online()
    assert gateway.status()["interface"]["name"] == "eth0"
    watch = Watch(gateway)
    lab.board.ip("addr del 192.168.1.20/24 dev eth0", "addr add 192.168.1.21/24 dev eth0",
                 "route replace default via 192.168.1.1 dev eth0")
    lost = watch.lost()
    measured("40 more interfaces, address changed: no longer connected", PROBED + ANSWER, lost)
    measured("40 more interfaces, address changed: reconnected after that", 2, watch.connected(after=lost) - lost)
    lab.peer.wait_ack(lab.peer.notify(token))


# ---- two networks -----------------------------------------------------------------------------------------------------

def learned(gateway):
    """What is known of each network."""
    return gateway.json("keepalive", "show")["networks"]


def prove(lab, gateway, seconds):
    """A ping from the server after a silence of that length. Answers to our own pings count as well."""
    def is_proven():
        return (gateway.status()["keepalive"]["proven"] or 0) >= seconds
    end = time.monotonic() + gateway.settings.seconds(30)
    while not is_proven():
        assert time.monotonic() < end, f"a silence of {seconds} s is not proven: {gateway.status()['keepalive']}"
        time.sleep(seconds + 0.3)
        lab.peer.obeyed("ping", seq=1)
        time.sleep(0.2)


def test_two_networks_swap(make_lab, measured):
    """The one that carries the connection is named, and what was learned of silence there is found again."""
    lab = make_lab(routers=2)
    lab.plug_in(1, metric=100)
    lab.plug_in(2, metric=200)
    gateway, token = lab.online(keepalive={"minimum": 2, "maximum": 600, "pong_timeout": 5})
    assert gateway.status()["interface"] == {"name": "eth0", "kind": "ethernet"}
    prove(lab, gateway, 5)
    first = gateway.status()["keepalive"]["proven"]

    def swap(scenario, old, new, **options):
        watch = Watch(gateway)
        lab.board.ip(f"link set eth{old - 1} down")
        if options:
            lab.plug_in(new, **options)
        lost = watch.lost()
        measured(scenario, 3, watch.connected(after=lost))
        lab.peer.wait_ack(lab.peer.notify(token))
        status = gateway.status()
        assert status["interface"] == {"name": f"eth{new - 1}", "kind": "ethernet"}
        return status["keepalive"]["proven"]

    assert (swap("first network gone: connected by the second", 1, 2) or 0) < first, "nothing is known of the second"
    prove(lab, gateway, 2)
    second = gateway.status()["keepalive"]["proven"]
    assert 2 <= second < first
    assert swap("second network gone: connected by the first", 2, 1, metric=100) == first, "the first is known"
    known = {(n["interface"]["name"], n["gateway"]): (n["proven"], n["in_use"]) for n in learned(gateway)}
    assert known == {("eth0", lab.routers[0].hardware): (first, True), ("eth1", lab.routers[1].hardware): (second, False)}

    # The same interface in another house.
    lab.board.ip("link set eth0 down")
    lab.router.namespace.ip("link set lan down", "link set lan address 02:00:00:00:00:99", "link set lan up")
    mark = lab.peer.mark()
    lab.plug_in(1)
    gateway.wait_online(mark)
    assert (gateway.status()["keepalive"]["proven"] or 0) < first, "another gateway is another network"


def test_a_rule_keeps_the_connection_where_it_is(make_lab):
    """A better default route appears on another interface, but not for the address that the connection has (ip-rule(8)):
    the network is named by the way that the connection goes."""
    lab = make_lab(routers=2)
    lab.plug_in(1)
    gateway, _ = lab.online()
    in_use = [("eth0", lab.routers[0].hardware)]

    def named():
        return [(n["interface"]["name"], n["gateway"]) for n in learned(gateway) if n["in_use"]]
    assert named() == in_use
    lab.plug_in(2, metric=500)
    lab.board.ip("rule add from 192.168.1.20 lookup 101", "route add default via 192.168.1.1 dev eth0 table 101")
    mark = lab.peer.mark()
    lab.board.ip("route add default via 192.168.2.1 dev eth1 metric 50")
    lab.peer.wait("frame", after=mark, type="C_PING", seconds=5)
    time.sleep(1)
    assert gateway.status()["state"] == "connected" and not lab.peer.since(mark, "connected")
    assert named() == in_use
