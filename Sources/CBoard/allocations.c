/* Counts allocations where the linker is told to wrap the allocator (--wrap=malloc and so on). The __real_ names are
 * weak: elsewhere they stay null, nothing refers to the __wrap_ functions and the linker drops them. */
#include "CBoard.h"

static uint64_t by_swift, by_libraries;
static int64_t live;

__attribute__((weak)) void *__real_malloc(size_t);
__attribute__((weak)) void *__real_calloc(size_t, size_t);
__attribute__((weak)) void *__real_realloc(void *, size_t);
__attribute__((weak)) int __real_posix_memalign(void **, size_t, size_t);
__attribute__((weak)) void __real_free(void *);

static void *library(void *block) {
    by_libraries++;
    live += block != NULL;
    return block;
}

void *__wrap_malloc(size_t size) { return library(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return library(__real_calloc(count, size)); }

void *__wrap_realloc(void *old, size_t size) {
    void *block = library(__real_realloc(old, size));
    live -= old != NULL && (block != NULL || size == 0);
    return block;
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
    int failed = __real_posix_memalign(block, alignment, size);
    by_swift++;
    live += failed == 0;
    return failed;
}

void __wrap_free(void *block) {
    live -= block != NULL;
    __real_free(block);
}

int cb_alloc_counting(void) { return __real_malloc != NULL; }
uint64_t cb_alloc_swift(void) { return by_swift; }
uint64_t cb_alloc_libraries(void) { return by_libraries; }
int64_t cb_alloc_live(void) { return live; }
