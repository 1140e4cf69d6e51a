/* How many descriptors the process may have. descriptor_limit.c, descriptor_limit_windows.c. */
#ifndef LS_DESCRIPTOR_LIMIT_H
#define LS_DESCRIPTOR_LIMIT_H

#include <stdint.h>

/* Raises the limit to `wanted` if the system allows that many. Returns `wanted` then, and if the
 * limit is higher already or unknown. Otherwise nothing changes, and it returns the highest limit
 * that the system allows, or the present one if the system refuses to raise it. */
uint64_t ls_descriptor_limit(uint64_t wanted);

#endif
