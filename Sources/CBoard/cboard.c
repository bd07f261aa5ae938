#define _GNU_SOURCE
#include "CBoard.h"

static int argument_count;
static char **arguments;

/* glibc calls init_array entries with (argc, argv, envp), in static and dynamic programs alike. */
__attribute__((constructor)) static void capture_arguments(int argc, char **argv, char **envp) {
    (void)envp;
    argument_count = argc;
    arguments = argv;
}

int cb_argc(void) { return argument_count; }
const char *cb_argv(int index) { return index >= 0 && index < argument_count ? arguments[index] : NULL; }

char **cb_environ(void) { return environ; }

int cb_errno(void) { return errno; }
void cb_set_errno(int value) { errno = value; }

int cb_open(const char *path, int flags, unsigned mode) { return open(path, flags | O_CLOEXEC, (mode_t)mode); }

int cb_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

void cb_set_socket_timeout(int fd, int milliseconds) {
    struct timeval limit = {milliseconds / 1000, (milliseconds % 1000) * 1000};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

void cb_ignore_sigpipe(void) { signal(SIGPIPE, SIG_IGN); }

static int64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t cb_boottime_ns(void) { return clock_ns(CLOCK_BOOTTIME); }
int64_t cb_realtime_ns(void) { return clock_ns(CLOCK_REALTIME); }
