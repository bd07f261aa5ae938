/* What the kernel says of its clock. */
#define _GNU_SOURCE
#include "CBoard.h"
#include <sys/timex.h>

int cb_clock_synchronised(void) {
    struct timex state = {0};
    return adjtimex(&state) != -1 && (state.status & STA_UNSYNC) == 0;
}
