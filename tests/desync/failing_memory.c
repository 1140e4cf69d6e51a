/* LD_PRELOAD: a machine with failing memory, for faults/bit_flip.c. */
#include <stdbool.h>

bool memory_fails(void);

bool memory_fails(void)
{
    return true;
}
