/* Corrects a fault of Embedded Swift 6.3 on arm64, where a String of 1 to 15 bytes could lose its length.
 *
 * The compiler declares that swift_bridgeObjectRetain returns its argument, and LLVM's AArch64 backend relies on it by
 * keeping the argument in x0 across the call. The standard library's definition, however, returns the pointer without
 * its tag bits, and those bits are all that a small string has to say how long it is. That definition is weak; this one
 * takes its place and keeps the promise. */
#ifdef SKYGLOW_EMBEDDED
#include <stdint.h>

void *swift_bridgeObjectRetain_n(void *object, int32_t count);
void *swift_bridgeObjectRetain(void *object);

void *swift_bridgeObjectRetain(void *object) {
    (void)swift_bridgeObjectRetain_n(object, 1);
    return object;
}
#else
/* The Swift runtime of other builds does it right. */
typedef int cb_nothing_to_correct;
#endif
