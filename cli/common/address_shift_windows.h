/* Gives memory that this process takes later other addresses, on Windows, which starts no process
 * at addresses that its parent chooses. */
#ifndef LS_ADDRESS_SHIFT_WINDOWS_H
#define LS_ADDRESS_SHIFT_WINDOWS_H

#include <stdint.h>

/* Each number gives other addresses. The process keeps the memory that this takes. */
void ls_address_shift(uint64_t number);

#endif
