/* Moves the memory that this process allocates later to other addresses. For Windows, where a
 * parent cannot choose the addresses of a process that it starts. */
#ifndef LS_ADDRESS_SHIFT_WINDOWS_H
#define LS_ADDRESS_SHIFT_WINDOWS_H

#include <stdint.h>

/* Each number gives other addresses. The process keeps the memory that this takes. */
void ls_address_shift(uint64_t number);

#endif
