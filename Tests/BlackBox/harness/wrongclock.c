#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
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

/* Alarms by the wall clock are meant by the wrong one. */
int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old) {
    static int (*real)(int, int, const struct itimerspec *, struct itimerspec *);
    if (!real) real = (int (*)(int, int, const struct itimerspec *, struct itimerspec *))dlsym(RTLD_NEXT, "timerfd_settime");
    struct itimerspec right = *value;
    if (flags & TFD_TIMER_ABSTIME) right.it_value.tv_sec -= wrong();
    return real(fd, flags, &right, old);
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
