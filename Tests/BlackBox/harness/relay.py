"""Daemons that send to the board directly: envelopes and notes of our own making, and the real cronstable from PyPI."""
import base64
import http.client
import json
import os
import secrets
import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives import hmac
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .settings import wait_until

CACHE = Path(os.environ.get("SKYGLOW_CACHE") or
             Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "skyglow") / "cronstable"
SEAL = """
import base64, sys, nacl.public
key = nacl.public.PublicKey(base64.b64decode(sys.argv[1]))
for line in sys.stdin:
    print(base64.b64encode(nacl.public.SealedBox(key).encrypt(base64.b64decode(line))).decode(), flush=True)
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())


def python(version="current"):
    """The Python of an environment with cronstable[push], or None."""
    place = CACHE / version / "bin" / "python"
    return place if place.exists() else None


class FakeDaemon:
    """The API that a pairing needs, and nothing else: a thread that answers one request after another."""

    def __init__(self, fingerprint=None, context=None, host="127.0.0.1"):
        import hashlib
        import http.server
        import threading
        daemon = self
        self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                daemon.requests.append((self.path, self.headers["Authorization"], body))
                digest = hashlib.sha256(base64.b64decode(body["publicKey"])).hexdigest()
                shown = fingerprint or "-".join((digest[:4], digest[4:8], digest[8:12]))
                answer = json.dumps({"device": {"id": "1", "fingerprint": shown}, "created": True}).encode()
                self.send_response(201)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass
        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"{'https' if context else 'http'}://{host}:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def link(self, name="cellar"):
        payload = json.dumps({"v": 1, "name": name, "url": self.url, "token": "secret-token"}).encode()
        return "https://relay.example/pair#" + base64.urlsafe_b64encode(payload).decode().rstrip("=")

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Relay:
    """The relay of a gateway, and a daemon that is paired with it."""

    def __init__(self, world, peer=None, *, start=True, binary=None, **keys):
        self.world, self.port = world, free_port()
        self.gateway = world.gateway(peer, **(world.known(peer) if peer else {}), **({"binary": binary} if binary else {}))
        if peer is None:
            self.gateway.sections.pop("server")
        self.gateway.configure("relay", listen=f"127.0.0.1:{self.port}", **keys)
        self.daemon = world.keep(FakeDaemon())
        self.gateway.cli("pair", "cronstable", self.daemon.link())
        _, _, body = self.daemon.requests[-1]
        self.token, self.key = body["pushToken"], body["publicKey"]
        self.sealer = None
        if start:
            self.start()

    def start(self):
        self.gateway.start(connect=self.gateway.peer is not None)
        self.gateway.wait_running()
        self.gateway.wait_status(lambda s: s["relay"]["listening"], "the relay listens")

    def seal(self, plain):
        if self.sealer is None:
            self.sealer = subprocess.Popen([python(), "-c", SEAL, self.key], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, text=True)
            self.world.keep(self)
        data = plain if isinstance(plain, bytes) else json.dumps(plain, separators=(",", ":")).encode()
        self.sealer.stdin.write(base64.b64encode(data).decode() + "\n")
        self.sealer.stdin.flush()
        return self.sealer.stdout.readline().strip()

    def alert(self, **fields):
        plain = {"v": 1, "kind": "failure", "name": "backup", "success": False, "host": "nas", "ts": now(),
                 "exit_code": 3, "fail_reason": "disk full", "log_tail": ["first line", "last line"], **fields}
        return {k: v for k, v in plain.items() if v is not None}

    def envelope(self, plain=None, **members):
        env = {"v": 1, "device": self.token, "ciphertext": self.seal(plain or self.alert()),
               "collapseId": secrets.token_hex(16), "priority": "time-sensitive", "event": False, **members}
        return {k: v for k, v in env.items() if v is not ...}

    def post(self, body, path="/v1/notify", method="POST", source=None, host="127.0.0.1", **headers):
        """Status, parsed body and headers of the answer; perhaps from or to another address of this machine."""
        connection = http.client.HTTPConnection(host, self.port, timeout=self.gateway.settings.seconds(20),
                                                source_address=(source, 0) if source else None)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, data, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text), answer.headers

    def send(self, plain=None, **members):
        return self.post(self.envelope(plain, **members))

    def raw(self, data, seconds=5):
        """All that comes back for these bytes, until the relay closes or is silent."""
        with socket.create_connection(("127.0.0.1", self.port)) as s:
            s.settimeout(seconds)
            s.sendall(data)
            out = b""
            try:
                while chunk := s.recv(65536):
                    out += chunk
            except (TimeoutError, ConnectionResetError):
                pass
            return out

    def counters(self):
        return self.gateway.status()["relay"]

    def wait_row(self, title, seconds=2):
        def found():
            return next((r for r in self.gateway.rows() if r["title"] == title), None)
        return wait_until(found, self.gateway.settings.seconds(seconds), f"{title!r} in the inbox")

    def close(self):
        if self.sealer:
            self.sealer.stdin.close()
            self.sealer.wait()


# ---- notes ------------------------------------------------------------------------------------------------------------

KEM, HPKE = b"KEM\x00\x20", b"HPKE\x00\x20\x00\x01\x00\x03"


def _extract(suite, salt, label, material):
    h = hmac.HMAC(salt or bytes(32), hashes.SHA256())
    h.update(b"HPKE-v1" + suite + label + material)
    return h.finalize()


def _expand(suite, key, label, info, length):
    return HKDFExpand(hashes.SHA256(), length, length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info).derive(key)


def raw_key(key):
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def seal_note(plain, sender, receiver, mode=2, info=b"pocketty note v1", psk=b"", psk_id=b""):
    """HPKE by RFC 9180, written from the text: base (0), psk (1), auth (2) or both (3)."""
    target, ephemeral = X25519PublicKey.from_public_bytes(receiver), X25519PrivateKey.generate()
    enc = raw_key(ephemeral.public_key())
    dh, context = ephemeral.exchange(target), enc + receiver
    if mode & 2:
        dh, context = dh + sender.exchange(target), context + raw_key(sender.public_key())
    shared = _expand(KEM, _extract(KEM, b"", b"eae_prk", dh), b"shared_secret", context, 32)
    schedule = bytes([mode]) + _extract(HPKE, b"", b"psk_id_hash", psk_id) + _extract(HPKE, b"", b"info_hash", info)
    secret = _extract(HPKE, shared, b"secret", psk)
    key, nonce = _expand(HPKE, secret, b"key", schedule, 32), _expand(HPKE, secret, b"base_nonce", schedule, 12)
    return enc + ChaCha20Poly1305(key).encrypt(nonce, plain, b"")


class Pocketty:
    """A pocketty daemon: paired by way of a command that hands over what it was given."""

    def __init__(self, relay, host="me@desk"):
        self.relay, self.key = relay, X25519PrivateKey.generate()
        self.file = relay.gateway.directory / f"pocketty-{host}"
        script = relay.gateway.directory / f"pair-{host}"
        public = base64.b64encode(raw_key(self.key.public_key())).decode()
        script.write_text(f"#!/bin/sh\ncat > {shlex.quote(str(self.file))}\necho \"$1\" >> {self.file}.calls\n"
                          f"echo '{{\"v\":1,\"daemonKey\":\"{public}\"}}'\n")
        script.chmod(0o755)
        relay.gateway.configure("relay", command=f"{script} {{}}")
        self.host = host
        self.pair()

    def pair(self, **options):
        done = self.relay.gateway.cli("pair", "pocketty", self.host, **options)
        given = json.loads(self.file.read_text())
        self.grant, self.seal_key = given["grant"], base64.b64decode(given["sealKey"])
        return done

    def calls(self):
        return Path(f"{self.file}.calls").read_text().splitlines()

    def note(self, **fields):
        stamp = time.time()
        time_text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(stamp)) + f".{int(stamp * 1e6) % 10**6:06}Z"
        return {"v": 1, "host": "desk", "session": "s", "workspace": "w", "tab": "t", "pane": "p1", "agent": "worker",
                "state": "waiting", "time": time_text, **fields}

    def sealed(self, note=None, **options):
        plain = note if isinstance(note, bytes) else json.dumps(note or self.note(), separators=(",", ":")).encode()
        sender = options.pop("sender", self.key)
        return base64.b64encode(seal_note(plain, sender, self.seal_key, **options)).decode()

    def push(self, note=None, **options):
        members = {"v": 1, "grant": self.grant, "sealed": options.pop("text", None) or self.sealed(note, **options)}
        return self.relay.post(members, "/pocketty/v1/push")


# ---- the real cronstable ----------------------------------------------------------------------------------------------

class Cronstable:
    """One `cronstable` of a version from PyPI with jobs of a test, its API and its relay URL set to ours."""

    TOKEN = "test-token-1234"

    def __init__(self, world, version, relay_port, jobs, extra=""):
        self.port, self.version = free_port(), version
        self.directory = world.gateway().directory
        self.config = self.directory / "cron.yaml"
        self.config.write_text(f"""web:
  listen:
    - http://127.0.0.1:{self.port}
  authToken:
    value: {self.TOKEN}
push:
  relay:
    url: http://127.0.0.1:{relay_port}/v1/notify
    timeout: 5
  devicesFile: {self.directory}/devices.json
{extra}jobs:
{jobs}""")
        self.log = open(self.directory / "cronstable.log", "wb")
        program = CACHE / version / "bin" / "cronstable"
        self.process = subprocess.Popen([program, "-c", str(self.config)], stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log, cwd=self.directory)
        world.keep(self)
        wait_until(lambda: self.call("GET", "/push/devices")[0] == 200, 20, "cronstable answers")

    def call(self, method, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method,
                                         data=json.dumps(body).encode() if body is not None else None)
        request.add_header("Authorization", f"Bearer {self.TOKEN}")
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=15) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as e:
            return e.code, e.read().decode()
        except OSError as e:
            return 0, str(e)

    def devices(self):
        return self.call("GET", "/push/devices")[1]["devices"]

    def test(self, device):
        return self.call("POST", f"/push/devices/{device}/test")[1]

    def start_job(self, name):
        status, answer = self.call("POST", f"/jobs/{name}/start")
        assert status in (200, 202), (status, answer)

    def link(self):
        payload = {"v": 1, "name": "cellar", "url": f"http://127.0.0.1:{self.port}", "token": self.TOKEN}
        return json.dumps(payload)

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
