/* Copies memory together with the gaps between variables that a sanitizer guards. It is a loop over
 * volatile bytes, because the compiler could make other code a call of memcpy(), which the
 * sanitizer checks. */
#ifndef LS_RAW_COPY_H
#define LS_RAW_COPY_H

#include <stddef.h>
#include <stdint.h>

__attribute__((no_sanitize("address"))) static inline void
ls_raw_copy(volatile uint8_t *to, const volatile uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

#endif
