/* Debian's armel libgpiod knows only a 32-bit time_t, so its events are smaller there than this program's own view of
 * them: every event is read in this file. */
#undef _TIME_BITS
#undef _FILE_OFFSET_BITS
#include <errno.h>
#include <gpiod.h>
#include <poll.h>
#include <stdint.h>
#include <time.h>

int cb_gpiod_next_edge(int fd, int64_t *age_ms);

#if defined(__arm__)
_Static_assert(sizeof(struct gpiod_line_event) == 12, "this file must see the library's own struct gpiod_line_event");
#endif

int cb_gpiod_next_edge(int fd, int64_t *age_ms) {
    struct pollfd entry = {.fd = fd, .events = POLLIN};
    if (poll(&entry, 1, 0) <= 0) {
        errno = EAGAIN;
        return -1;
    }
    struct gpiod_line_event event;
    if (gpiod_line_event_read_fd(fd, &event) < 0) return -1;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *age_ms = ((int64_t)now.tv_sec - event.ts.tv_sec) * 1000 + (now.tv_nsec - event.ts.tv_nsec) / 1000000;
    return event.event_type == GPIOD_LINE_EVENT_RISING_EDGE;
}
