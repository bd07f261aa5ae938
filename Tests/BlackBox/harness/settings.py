"""The options of one test run, and the one place where deadlines are scaled for emulated boards."""
import os
import shlex
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import certificates

ROOT = Path(__file__).resolve().parents[3]


@dataclass
class Settings:
    binary: list
    counting_binary: list = field(default_factory=list)
    slow_factor: float = 1.0
    peer: Path = None
    kills: int = 200
    seed: int = 0
    registered: object = None
    _identity: tuple = None

    @staticmethod
    def from_options(option):
        """Read pytest's options; `option(name)` gives the value of one."""
        binary = option("--binary") or str(ROOT / ".build" / "release" / "skyglowd")
        place = Path(os.environ.get("SKYGLOW_PEER") or ROOT.parent / "shared" / "peer")
        if place.is_dir():
            place = place / "sgp_server.py"
        seed = option("--seed")
        counting = option("--counting-binary") or (binary if "counting" in binary else "")
        return Settings(
            binary=shlex.split(binary),
            counting_binary=shlex.split(counting),
            slow_factor=option("--slow-factor"),
            peer=place,
            kills=option("--kills"),
            seed=int(seed) if seed is not None else int(time.time()))

    def server_identity(self):
        """A server certificate and its key as PEM, made once: most peers may be the same server."""
        if self._identity is None:
            key = certificates.new_key()
            self._identity = certificates.pem(certificates.issue("sgn.test", key)), certificates.pem_key(key)
        return self._identity

    def seconds(self, native):
        """A deadline that suits the native binary, scaled for the one under test."""
        return native * self.slow_factor

    @property
    def emulated(self):
        return any("qemu" in word for word in self.binary)


def wait_until(condition, seconds, what, pause=0.02):
    """Wait until `condition()` is true and return its value; fail with `what` (text, or a function giving it)."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds:g} s: {what() if callable(what) else what}")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.25)
