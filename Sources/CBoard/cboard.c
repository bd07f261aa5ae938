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

int cb_accept_from(int listener, struct sockaddr_storage *peer) {
    socklen_t length = sizeof *peer;
    return accept4(listener, (struct sockaddr *)peer, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int cb_listen(const struct sockaddr *address, socklen_t length, int backlog) {
    int on = 1, fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    if (address->sa_family == AF_INET6) {
        /* "::" is every address, those of IPv4 too, whatever net.ipv6.bindv6only says. */
        int only = !IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)address)->sin6_addr);
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
    }
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 && bind(fd, address, length) == 0 &&
        listen(fd, backlog) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

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
