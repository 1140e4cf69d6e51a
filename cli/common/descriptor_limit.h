/* How many descriptors the process may have. descriptor_limit.c, descriptor_limit_windows.c. */
#ifndef LS_DESCRIPTOR_LIMIT_H
#define LS_DESCRIPTOR_LIMIT_H

#include <stdint.h>

/* Raises the limit to `wanted` where the system allows it. Returns the limit, which may be lower;
 * if the system does not tell, `wanted`. */
uint64_t ls_descriptor_limit(uint64_t wanted);

#endif
