/* The float mode of this thread: rounding and denormals. A library's constructor may change it for
 * the whole process, and so for every simulation in it (docs/determinism.md). */
#ifndef LS_FLOAT_MODE_H
#define LS_FLOAT_MODE_H

#include <stddef.h>
#include <stdint.h>

#define LS_FLOAT_CHANGE_BYTES 96

/* Prints the changes between two values of ls_float_control() in words, as "flush to zero is on";
 * "" when none changed. */
void ls_float_mode_compare(uint64_t before, uint64_t now, char text[LS_FLOAT_CHANGE_BYTES]);

#endif
