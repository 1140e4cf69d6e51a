/* Preloaded with LD_PRELOAD: simulates failing memory for faults/bit_flip.c. */
#include <stdbool.h>

bool memory_fails(void);

bool memory_fails(void)
{
    return true;
}
