#include "core/float_probe.h"

ls_status ls_float_check(uint32_t faults, const char *what, ls_error *error)
{
    if (!faults)
        return LS_OK;
    bool is_contracted = faults & LS_FLOAT_CONTRACTED;
    return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                        "%s was compiled so that floats differ between machines: %s; compile each "
                        "of its files with %s (lockstep_add_simulation() and `pkg-config --cflags "
                        "lockstep-sim` do)",
                        what,
                        is_contracted ? "a * b + c is rounded once instead of twice"
                                      : "sums are taken in another order",
                        is_contracted ? "-ffp-contract=off"
                                      : "-fno-associative-math, without -ffast-math");
}
