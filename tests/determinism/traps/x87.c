/* Compiled with -mfpmath=387 where the machine has it: intermediate results have 64 bits, not 53.
 */
#include "tests/determinism/traps/values.h"

#include <string.h>

uint64_t trap_x87(uint64_t tick)
{
    volatile double tenth = 0.1;
    double sum = (double)tick, step = tenth;
    for (uint32_t i = 0; i < 1000; i++)
        sum += step;
    volatile double rounded = sum;
    double result = rounded;
    uint64_t bits;
    memcpy(&bits, &result, sizeof bits);
    return bits;
}
