/* Debian's armel libraries know only a 32-bit time_t, while this program is compiled for a 64-bit one. Every call that
 * passes them a structure with a time_t in it is made from this file. */
#undef _TIME_BITS
#undef _FILE_OFFSET_BITS
#include <ares.h>
#include <sys/time.h>

int cb_ares_timeout_ms(ares_channel channel, int max_ms);

#if defined(__arm__)
_Static_assert(sizeof(struct timeval) == 8, "this file must see the libraries' own struct timeval");
#endif

int cb_ares_timeout_ms(ares_channel channel, int max_ms) {
    struct timeval limit = {max_ms / 1000, (max_ms % 1000) * 1000}, left;
    struct timeval *next = ares_timeout(channel, &limit, &left);
    return (int)(next->tv_sec * 1000 + (next->tv_usec + 999) / 1000);
}
