/* The source of random secrets: the operating system, or a test's own. */
#ifndef LS_ENTROPY_H
#define LS_ENTROPY_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_entropy {
    void (*fill)(void *context, void *bytes, size_t count);
    void *context;
} ls_entropy;

/* Fills `bytes` with unpredictable bytes. `entropy` NULL means the system's source, which never
 * fails.
 *   thread  any when `entropy` is NULL */
LS_API void ls_entropy_fill(const ls_entropy *entropy, void *bytes, size_t count);

/* Zeroes a secret; the compiler cannot optimise it away. */
LS_API void ls_wipe(void *secret, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
