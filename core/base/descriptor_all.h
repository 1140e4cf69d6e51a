/* Reads or writes all bytes of a request, in as many calls as the system needs. */
#ifndef LS_DESCRIPTOR_ALL_H
#define LS_DESCRIPTOR_ALL_H

#include "core/base/platform_file.h"

/* Reads `count` bytes, or fewer if the file ends before. `done` gets the number of bytes read, also
 * after an error. Returns 0 or -errno. */
int ls_descriptor_read_all(int descriptor, void *data, size_t count, size_t *done) LS_MUST_USE;
/* Returns 0 or -errno. */
int ls_descriptor_write_all(int descriptor, const void *data, size_t count) LS_MUST_USE;

#endif
