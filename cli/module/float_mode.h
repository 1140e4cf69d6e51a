/* The float mode of this thread. A library's constructor may change it for the whole process, and
 * so for every simulation in it (docs/determinism.md). */
#ifndef LS_FLOAT_MODE_H
#define LS_FLOAT_MODE_H

#include <stddef.h>
#include <stdint.h>

#define LS_FLOAT_CHANGE_BYTES 96

/* Bits that mean something to ls_float_mode_compare() alone. */
uint64_t ls_float_mode(void);
/* The changed modes in words: "flush to zero is on"; "" when none changed. */
void ls_float_mode_compare(uint64_t before, uint64_t now, char text[LS_FLOAT_CHANGE_BYTES]);

#endif
