#include <lockstep/float_probe.h>

static const struct {
    uint32_t fault;
    const char *text, *flag;
} kinds[] = {
    {LS_FLOAT_CONTRACTED, "a * b + c is rounded once instead of twice", "-ffp-contract=off"},
    {LS_FLOAT_REASSOCIATED, "sums are taken in another order",
     "-fno-associative-math, without -ffast-math"},
    {LS_FLOAT_RECIPROCAL, "a / b is computed as a * (1 / b)",
     "-fno-reciprocal-math, without -ffast-math"},
};

ls_status ls_float_check(uint32_t faults, const char *what, ls_error *error)
{
    if (!faults)
        return LS_OK;
    size_t kind = 0;
    while (kind + 1 < LS_COUNT_OF(kinds) && !(faults & kinds[kind].fault))
        kind++;
    return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                        "%s was compiled so that floats differ between machines: %s; compile each "
                        "of its files with %s (lockstep_add_simulation() and `pkg-config --cflags "
                        "lockstep-sim` do)",
                        what, kinds[kind].text, kinds[kind].flag);
}
