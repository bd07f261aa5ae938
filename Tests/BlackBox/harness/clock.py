"""Other times for one program: a library in front of the C library's clocks, steered while the program runs.

The clock of this machine is never touched. Statically linked programs cannot be given it: `Clock.fits` tells."""
import mmap
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

/* Seconds that the wall clock is wrong, in a file that the test writes. */
static int64_t wrong(void) {
    static volatile int64_t *shared;
    if (!shared) {
        const char *path = getenv("WRONG_CLOCK");
        int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        void *map = fd < 0 ? MAP_FAILED : mmap(0, 8, PROT_READ, MAP_SHARED, fd, 0);
        if (map == MAP_FAILED) abort();
        shared = map;
    }
    return *shared;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(clock, now);
    if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += wrong();
    return code;
}

int gettimeofday(struct timeval *now, void *zone) {
    (void)zone;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
"""


class Clock:
    """The wall clock of the programs that are started with `environment`."""

    def __init__(self, wrong=0):
        self.directory = Path(tempfile.mkdtemp(prefix="clock-"))
        (self.directory / "clock.c").write_text(SOURCE)
        library = self.directory / "clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(self.directory / "clock.c"), "-ldl"], check=True)
        path = self.directory / "wrong"
        path.write_bytes(bytes(8))
        self.file = open(path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 8)
        self.environment = {"LD_PRELOAD": str(library), "WRONG_CLOCK": str(path)}
        self.set(wrong)

    def set(self, wrong):
        """As `date -s`: this many seconds ahead of the true time."""
        self.map[:] = struct.pack("=q", wrong)

    def close(self):
        self.map.close()
        self.file.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    @staticmethod
    def fits(settings):
        """Whether the program is linked dynamically, and there is a compiler."""
        if len(settings.binary) > 1 or shutil.which("cc") is None:
            return False
        with open(settings.binary[0], "rb") as program:
            return b"/ld-linux" in program.read(4096)
