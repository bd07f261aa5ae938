/* Netlink, whose headers do not go together with others, what a socket still has to say, and what the clocks say of each
 * other. */
#define _GNU_SOURCE
#include "CBoard.h"
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <sys/timex.h>

int cb_netlink_open(int events) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0) return -1;
    struct sockaddr_nl own = {.nl_family = AF_NETLINK};
    if (events)
        own.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
    if (bind(fd, (struct sockaddr *)&own, sizeof own) == 0) return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

ssize_t cb_netlink_receive(int fd, void *buffer, size_t size) {
    struct sockaddr_nl from = {0};
    socklen_t length = sizeof from;
    ssize_t count = recvfrom(fd, buffer, size, 0, (struct sockaddr *)&from, &length);
    /* Other processes may send to us too; only the kernel has the number 0. */
    return count > 0 && from.nl_pid != 0 ? 0 : count;
}

int cb_unconfirmed(int fd) {
    int bytes = 0;
    return ioctl(fd, SIOCOUTQ, &bytes) == 0 ? bytes : -1;
}

int cb_watch_clock(int fd) {
    /* Far ahead: what is wanted of it is that it is cancelled. */
    struct itimerspec never = {0};
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    never.it_value.tv_sec = now.tv_sec + 10 * 365 * 86400;
    if (fd < 0) fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (fd >= 0) (void)timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
    return fd;
}

int64_t cb_suspended_ns(void) {
    struct timespec before, boot, after;
    /* Time in which this process did not run between the two is no suspend. */
    for (int tries = 0; tries < 8; tries++) {
        clock_gettime(CLOCK_MONOTONIC, &before);
        clock_gettime(CLOCK_BOOTTIME, &boot);
        clock_gettime(CLOCK_MONOTONIC, &after);
        if ((int64_t)(after.tv_sec - before.tv_sec) * 1000000000 + (after.tv_nsec - before.tv_nsec) < 100000000) break;
    }
    return (int64_t)(boot.tv_sec - before.tv_sec) * 1000000000 + (boot.tv_nsec - before.tv_nsec);
}

int cb_clock_synchronised(void) {
    struct timex state = {0};
    return adjtimex(&state) != -1 && (state.status & STA_UNSYNC) == 0;
}
