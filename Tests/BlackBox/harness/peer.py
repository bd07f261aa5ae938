"""The independent SGP server as a child process: commands in, events out, every event kept."""
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from . import wire
from .settings import wait_until


class Peer:
    """One `sgp_server.py`. Its certificate and port stay the same for its life, also across `listen(False)`. `prefix` is
    what its command begins with."""

    def __init__(self, settings, *arguments, directory=None, prefix=()):
        self.settings = settings
        self.directory = Path(directory or tempfile.mkdtemp(prefix="sgp-"))
        self.certificate = self.directory / "server.pem"
        if not self.certificate.exists():
            certificate, key = settings.server_identity()
            self.certificate.write_bytes(certificate)
            (self.directory / "server.key").write_bytes(key)
        self.events, self.news = [], threading.Condition()
        self.errors = open(self.directory / "peer.stderr", "ab")
        self.process = subprocess.Popen(
            [*prefix, sys.executable, "-B", "-W", "ignore", str(settings.peer), "--dir", str(self.directory), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        threading.Thread(target=self._read, daemon=True).start()
        self.port = self.wait("listening", seconds=30)["port"]

    def _read(self):
        for line in self.process.stdout:
            with self.news:
                self.events.append(json.loads(line))
                self.news.notify_all()
        with self.news:
            self.news.notify_all()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.errors.close()

    # ---- events ---------------------------------------------------------------------------------------------------

    def mark(self):
        """A place in the stream of events; pass it as `after` to look only at what follows."""
        with self.news:
            return len(self.events)

    def forget(self):
        """Begin the stream of events anew."""
        with self.news:
            self.events.clear()

    def since(self, mark, event=None, **fields):
        with self.news:
            return [e for e in self.events[mark:] if _matches(e, event, fields)]

    def wait(self, event, *, after=0, seconds=10, count=1, **fields):
        """The `count`-th event of that name with those fields after the mark."""
        end = time.monotonic() + self.settings.seconds(seconds)
        with self.news:
            position, found = after, 0
            while True:
                while position < len(self.events):
                    found += _matches(self.events[position], event, fields)
                    position += 1
                    if found >= count:
                        return self.events[position - 1]
                left = end - time.monotonic()
                if left <= 0 or self.process.poll() is not None:
                    raise AssertionError(f"the peer saw {found} of {count} '{event}' {fields or ''} "
                                         f"in {seconds * self.settings.slow_factor:g} s")
                self.news.wait(min(left, 0.5))

    def never(self, event, *, after, seconds, **fields):
        """Nothing of the kind for that long: the one wait that cannot be cut short."""
        end = time.monotonic() + self.settings.seconds(seconds)
        with self.news:
            while time.monotonic() < end:
                seen = [e for e in self.events[after:] if _matches(e, event, fields)]
                assert not seen, f"the peer must not see {event}: {seen[0]}"
                self.news.wait(min(0.5, max(0.01, end - time.monotonic())))

    def tail(self, lines=60):
        with self.news:
            seen = [e for e in self.events if e["event"] != "status"] + self.events[-1:]
        return "\n".join(json.dumps(e) for e in seen[-lines:])

    # ---- commands -------------------------------------------------------------------------------------------------

    def command(self, cmd, **fields):
        self.process.stdin.write(json.dumps({"cmd": cmd, **fields}) + "\n")
        self.process.stdin.flush()

    def obeyed(self, cmd, **fields):
        """A command that must not fail: `status` behind it is the barrier."""
        mark = self.mark()
        self.command(cmd, **fields)
        status = self.status()
        failed = self.since(mark, "note", what="command failed")
        assert not failed, f"the peer could not {cmd}: {failed[0]['error']}"
        return status

    def set(self, **options):
        return self.obeyed("set", **options)

    def listen(self, on):
        mark = self.mark()
        self.command("listen", on=on)
        if on:
            self.wait("listening", after=mark)
        else:
            self.wait_alone()

    def status(self):
        mark = self.mark()
        self.command("status")
        return self.wait("status", after=mark, seconds=60)

    def wait_connection(self, mark):
        """A TLS connection that the peer can write to."""
        self.wait("connected", after=mark)
        wait_until(lambda: self.status()["connections"], self.settings.seconds(5), "the peer holds the connection")

    def wait_alone(self, seconds=10):
        """Every connection is gone, so all that a client managed to send has been read."""
        wait_until(lambda: self.status()["connections"] == 0, self.settings.seconds(seconds), "no connection left")

    def raw(self, data):
        """Bytes on the newest connection in one write."""
        self.obeyed("send_hex", hex=data.hex())

    def send(self, kind, payload=b"", **header):
        self.raw(wire.frame(kind, payload, **header))

    def notify(self, token, data=None, *, msg_id=None, **options):
        """Queue (and push, if connected) one notification; its message id."""
        message = msg_id or wire.message_id()
        if not {"raw_hex", "flat", "json"} & options.keys():
            options["data"] = wire.document() if data is None else data
        mark = self.mark()
        self.command("notify", token=token, msg_id=message, **options)
        self.wait("note", after=mark, what="queued", msg_id=message)
        return message

    def garbage(self, token, raw, content_type=wire.STRUCTURED, **options):
        return self.notify(token, raw_hex=raw.hex(), content_type=content_type, **options)

    # ---- what the peer knows --------------------------------------------------------------------------------------

    def wait_ack(self, message, status=0, *, after=0, seconds=10, count=1):
        """The acknowledgement of this message; any other status than the one asked for is a failure at once."""
        try:
            event = self.wait("acked", after=after, seconds=seconds, count=count, msg_id=message)
        except AssertionError as missing:
            raise AssertionError(f"no acknowledgement of {message}: {missing}") from None
        assert event["status"] == status, f"{message} acknowledged {event['status']}, not {status}"
        return event

    def acks(self, message=None, after=0):
        """Statuses of one message in order, or the set of acknowledged messages."""
        seen = self.since(after, "acked")
        if message is not None:
            return [e["status"] for e in seen if e["msg_id"] == message]
        return {e["msg_id"] for e in seen}

    def device(self):
        devices = self.status()["devices"]
        assert len(devices) == 1, f"one device, not {len(devices)}"
        return devices[0]

    def wait_filter(self, wanted, *, after=0, seconds=10):
        """Wait for a complete set that equals {(tag, routing key hex, bundle)}; the last one seen is in the error."""
        wanted = sorted(tuple(e) for e in wanted)

        def seen():
            return any(sorted(tuple(x) for x in e["entries"]) == wanted for e in self.since(after, "filter"))
        wait_until(seen, self.settings.seconds(seconds),
                   lambda: f"C_FILTER with {wanted}, but {[e['entries'] for e in self.since(after, 'filter')][-1:]}")

    def wait_all_acked(self, messages, seconds=20):
        """Every one of them is acknowledged at least once. By the events: two connections of one device that end and
        begin at the same moment can make the peer's own list of unacknowledged ones wrong."""
        def missing():
            return set(messages) - self.acks()
        wait_until(lambda: not missing(), self.settings.seconds(seconds),
                   lambda: f"everything acknowledged, but not {sorted(missing())}")


def _matches(event, name, fields):
    return (name is None or event["event"] == name) and all(event.get(k) == v for k, v in fields.items())
