"""What one test made, ended with it."""
import shutil

from .gateway import Gateway
from .peer import Peer
from .proxy import Wire
from .registered import Registered


class World:
    def __init__(self, settings):
        self.settings = settings
        self.things = []

    def keep(self, thing):
        self.things.append(thing)
        return thing

    def peer(self, *arguments, **options):
        return self.keep(Peer(self.settings, *arguments, **options))

    def gateway(self, peer=None, **options):
        return self.keep(Gateway(self.settings, peer, **options))

    def wire(self, peer):
        return self.keep(Wire(peer.port))

    def known(self, peer):
        """Options of a gateway that this peer knows already, where registering takes long."""
        if not self.settings.emulated:
            return {}
        if self.settings.registered is None:
            self.settings.registered = Registered(self.settings)
        self.settings.registered.introduce(peer)
        return {"copy_of": self.settings.registered}

    def online(self, peer=None, *, configure=None, **options):
        """A gateway that is registered, has one token and is connected; gateway and token."""
        peer = peer or self.peer()
        gateway = self.gateway(peer, **self.known(peer), **options)
        for section, keys in (configure or {}).items():
            gateway.configure(section, **keys)
        token = gateway.add_token()
        gateway.start()
        return gateway, token

    def story(self):
        out = []
        for thing in self.things:
            if isinstance(thing, Gateway):
                out.append(("gateway", thing.story()))
            elif isinstance(thing, Peer):
                out.append(("peer's last events", thing.tail()))
        return out

    def close(self):
        """End every process and remove every directory; a daemon that ended by itself is a failure."""
        crashes = [c for c in (g.crashed() for g in self.things if isinstance(g, Gateway)) if c is not None]
        for thing in reversed(self.things):
            thing.close()
        for thing in self.things:
            if hasattr(thing, "directory"):
                shutil.rmtree(thing.directory, ignore_errors=True)
        assert not crashes, f"skyglowd run ended by itself, exit codes {crashes}"
