/* The source of secrets: the system, or in a test the test's own. */
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

/* Fills with unpredictable bytes. `entropy` NULL means the system's source, which never fails.
 *   thread  any for NULL */
LS_API void ls_entropy_fill(const ls_entropy *entropy, void *bytes, size_t count);

/* Zeroes a secret in a way that the compiler keeps. */
LS_API void ls_wipe(void *secret, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
