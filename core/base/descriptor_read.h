/* Reads a file at once: the loop over ls_descriptor_read(). */
#ifndef LS_DESCRIPTOR_READ_H
#define LS_DESCRIPTOR_READ_H

#include <lockstep/base.h>

/* Reads `count` bytes, or those before the end of the file. `done` is how many, also after an
 * error. Returns 0 or -errno. */
int ls_descriptor_read_all(int descriptor, void *data, size_t count, size_t *done) LS_MUST_USE;

#endif
