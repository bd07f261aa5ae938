"""Other times for one program, steered while it runs. The clock of this machine is never touched.

A program that is linked dynamically is given a library in front of the C library's clocks (wrongclock.c). A static one is
traced, and what the kernel tells it is changed (elsewhen.c); only root may do that, and on x86-64."""
import mmap
import os
import platform
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def is_dynamic(program):
    with open(program, "rb") as file:
        return b"/ld-linux" in file.read(4096)


class Clock:
    """The wall clock of the program that is started with `environment`, its command behind `prefix`."""

    def __init__(self, settings, wrong=0):
        self.directory = Path(tempfile.mkdtemp(prefix="clock-"))
        path = self.directory / "wrong"
        path.write_bytes(bytes(8))
        self.file = open(path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 8)
        self.environment, self.prefix = {}, []
        if is_dynamic(settings.binary[0]):
            library = self.directory / "wrongclock.so"
            subprocess.run(["cc", "-shared", "-fPIC", "-o", library, HERE / "wrongclock.c", "-ldl"], check=True)
            self.environment = {"LD_PRELOAD": str(library), "WRONG_CLOCK": str(path)}
        else:
            tracer = self.directory / "elsewhen"
            subprocess.run(["cc", "-O", "-Wall", "-Wextra", "-Werror", "-o", tracer, HERE / "elsewhen.c"], check=True)
            self.prefix = [str(tracer), str(path)]
        self.set(wrong)

    def set(self, wrong):
        """As `date -s`: this many seconds ahead of the true time."""
        self.map[:] = struct.pack("=q", wrong)

    def close(self):
        self.map.close()
        self.file.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    @staticmethod
    def unfit(settings):
        """Why the program cannot be given another clock, or None."""
        if settings.emulated:
            return "an emulator's clock would be changed: cross/emulate tests other times with those"
        if shutil.which("cc") is None:
            return "no compiler"
        if is_dynamic(settings.binary[0]) or os.geteuid() == 0 and platform.machine() == "x86_64":
            return None
        return "a static binary can be given another clock by root on x86-64 alone"
