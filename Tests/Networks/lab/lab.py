"""The whole: board ─ router ─ internet, with an SGP server and name servers at fixed addresses."""
import shutil
import tempfile
import time
from pathlib import Path

from harness.dns import DNS
from harness.settings import wait_until

from .door import Door
from .namespace import Namespace
from .router import Router

SERVER, OTHER_SERVER, PORT = "203.0.113.10", "203.0.113.11", 7373
SERVER6 = "2001:db8::10"
NAMES, OTHER_NAMES = "203.0.113.53", "203.0.113.54"


class Lab:
    def __init__(self, world, routers=1):
        self.world = world
        self.directory = Path(tempfile.mkdtemp(prefix="sgn-"))
        self.etc = self.directory / "etc"
        self.etc.mkdir()
        (self.etc / "hosts").write_text("127.0.0.1 localhost\n")
        for name in ("passwd", "group"):
            shutil.copy(f"/etc/{name}", self.etc / name)
        self.things, self.doors = [], {}
        try:
            self.internet = self.keep(Namespace())
            self.board = self.keep(Namespace(etc=self.etc))
            self.internet.ip(f"addr add {SERVER6}/128 dev lo nodad",
                             *(f"addr add {address}/32 dev lo" for address in (SERVER, OTHER_SERVER, NAMES, OTHER_NAMES)))
            self.internet.set(ipv4__conf__all__route_localnet=1)
            self.routers = [self.keep(Router(n + 1, self.board, self.internet)) for n in range(routers)]
            self.router = self.routers[0]
            self.peer = self.add_peer()
            self.open(SERVER, "tcp", PORT, self.peer.port)
            self.keep(Door(self.internet, SERVER6, PORT, self.peer.port))
        except BaseException:
            self.close()
            raise

    def keep(self, thing):
        self.things.append(thing)
        return thing

    def close(self):
        for thing in reversed(self.things):
            thing.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    # ---- the internet ---------------------------------------------------------------------------------------------

    def add_peer(self, *arguments, **options):
        return self.world.peer(*arguments, prefix=self.internet.prefix, **options)

    def open(self, address, protocol, port, inner):
        """What is sent to this address and port reaches a loopback port from now on, where all servers of the tests are.
        Connections that exist stay where they are."""
        self.doors[address, protocol, port] = inner
        rules = "\n".join(f"ip daddr {a} {kind} dport {p} dnat to 127.0.0.1:{at}"
                          for (a, kind, p), at in self.doors.items())
        self.internet.nft(f"table ip doors\ndelete table ip doors\ntable ip doors {{\nchain in {{\n"
                          f"type nat hook prerouting priority dstnat\n{rules}\n}}\n}}\n")

    def name_server(self, address=NAMES):
        """A name server at this address that knows where the server is."""
        with self.internet.entered():
            dns = self.keep(DNS())
        for protocol in ("udp", "tcp"):
            self.open(address, protocol, 53, dns.port)
        dns.publish(f"tcp_addr={SERVER} tcp_port={PORT} http_addr=http://{SERVER}")
        return dns

    # ---- the board ------------------------------------------------------------------------------------------------

    def plug_in(self, number=1, host=20, metric=100):
        """Interface, addresses and default routes, as DHCP and a router would give them."""
        device = f"eth{number - 1}"
        self.board.ip(f"link set {device} up", f"addr replace 192.168.{number}.{host}/24 dev {device}",
                      f"addr replace 2001:db8:{number}::{host:x}/64 dev {device} nodad",
                      f"route replace default via 192.168.{number}.1 dev {device} metric {metric}",
                      f"route replace ::/0 via 2001:db8:{number}::1 dev {device} metric {metric}")

    def resolv_conf(self, text):
        """Replaced in one step; None removes it. Interfaces are brought up by programs that do just this."""
        path = self.etc / "resolv.conf"
        if text is None:
            return path.unlink(missing_ok=True)
        new = self.etc / "resolv.conf.new"
        new.write_text(text)
        new.rename(path)
        return None

    def gateway(self, *, dns=False, keepalive=None):
        """Configured, with the server's certificate, and not started."""
        gateway = self.world.gateway(self.peer, binary=self.board.prefix + self.world.settings.binary)
        gateway.configure("server", endpoint=None if dns else f"{SERVER}:{PORT}")
        gateway.configure("panel", message="none", link="file:link.log")
        if keepalive:
            gateway.configure("keepalive", **keepalive)
        return gateway

    def online(self, **options):
        """A connected gateway and the token of org.example.door."""
        gateway = self.gateway(**options)
        token = gateway.add_token()
        gateway.start()
        return gateway, token


class Watch:
    """What the link light has shown since a moment, to the millisecond."""

    def __init__(self, gateway):
        self.gateway = gateway
        self.began = time.time()

    def seen(self):
        """(seconds since the moment, pattern), oldest first."""
        return [(at / 1000 - self.began, pattern) for at, _, pattern in self.gateway.panel("link.log")
                if at / 1000 >= self.began]

    def first(self, *patterns, after=-1.0, seconds=30, other=False):
        """When one of the patterns came first; with `other`, when another one did."""
        def found():
            return [at for at, pattern in self.seen() if at > after and (pattern in patterns) != other]
        what = f"{'another than ' if other else ''}{' or '.join(patterns)}"
        return wait_until(found, self.gateway.settings.seconds(seconds),
                          lambda: f"the link light shows {what}; it was {self.seen()}", pause=0.05)[0]

    def lost(self, seconds=30):
        """When it was no longer said to be connected."""
        return self.first("solid", other=True, seconds=seconds)

    def connected(self, after=-1.0, seconds=30):
        return self.first("solid", after=after, seconds=seconds)
