/* Tests whether floats were compiled to give the same bits on every machine. Each file that
 * includes this header carries a probe, compiled with that file's flags. ls_sim_float_faults() runs
 * all probes of the module or program that it is linked into. docs/determinism.md lists the
 * flags. */
#ifndef LS_FLOAT_PROBE_H
#define LS_FLOAT_PROBE_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LS_FLOAT_CONTRACTED = 1,   /* a * b + c with one rounding instead of two */
    LS_FLOAT_REASSOCIATED = 2, /* (a + b) - b replaced by a */
    LS_FLOAT_RECIPROCAL = 4,   /* a / 10 replaced by a * 0.1 */
};

/* The values come from volatile variables, so the compiler cannot compute the results itself. */
static uint32_t ls_float_probe(void)
{
    volatile double inputs[] = {1.0 + 0x1p-27, -(1.0 + 0x1p-26), 1.0, 0x1p53, 3.0};
    volatile float inputs_float[] = {1.0f + 0x1p-13f, -(1.0f + 0x1p-12f)};
    double a = inputs[0], c = inputs[1], one = inputs[2], big = inputs[3];
    float b = inputs_float[0], d = inputs_float[1];
    /* a * a differs from -c by less than half a unit in its last place, and b * b from -d. */
    volatile double product = a * a + c, sum = (one + big) - big;
    /* 3 * 0.1 rounds to the double after 0.3. Only a constant divisor is replaced by its
     * reciprocal. */
    volatile double quotient = inputs[4] / 10.0;
    volatile float product_float = b * b + d;
    return (product != 0.0 || product_float != 0.0f ? LS_FLOAT_CONTRACTED : 0) |
           (sum != 0.0 ? LS_FLOAT_REASSOCIATED : 0) | (quotient != 0.3 ? LS_FLOAT_RECIPROCAL : 0);
}

typedef uint32_t ls_float_probe_function(void);

/* Object files of Windows have sections in the order of the text after the `$`, and no symbols for
 * their ends: each file adds an empty entry to both. Elsewhere the section's name is a C
 * identifier, so the linker joins the entries of all files and defines the symbols of both ends.
 * `retain` keeps the probes from linkers that remove unused sections; older compilers lack it. */
#if __has_attribute(dllexport)
#define LS_FLOAT_PROBE_ENTRY __attribute__((used, section("lsprobe$m")))
__attribute__((used, section("lsprobe$a"))) static ls_float_probe_function *ls_float_probe_first;
__attribute__((used, section("lsprobe$z"))) static ls_float_probe_function *ls_float_probe_last;
#define LS_FLOAT_PROBES_BEGIN (&ls_float_probe_first)
#define LS_FLOAT_PROBES_END   (&ls_float_probe_last)
#else
#if __has_attribute(retain)
#define LS_FLOAT_PROBE_ENTRY __attribute__((used, retain, section("ls_float_probes")))
#else
#define LS_FLOAT_PROBE_ENTRY __attribute__((used, section("ls_float_probes")))
#endif
extern ls_float_probe_function *__start_ls_float_probes[] __attribute__((visibility("hidden")));
extern ls_float_probe_function *__stop_ls_float_probes[] __attribute__((visibility("hidden")));
#define LS_FLOAT_PROBES_BEGIN __start_ls_float_probes
#define LS_FLOAT_PROBES_END   __stop_ls_float_probes
#endif
LS_FLOAT_PROBE_ENTRY static ls_float_probe_function *ls_float_probe_entry = ls_float_probe;

#define LS_SIM_FLOAT_FAULTS_NAME "ls_sim_float_faults"
/* Returns the LS_FLOAT_* bits of all probes; 0: no fault. The definition is weak, so each module
 * keeps one copy. */
LS_API uint32_t ls_sim_float_faults(void);
__attribute__((weak)) uint32_t ls_sim_float_faults(void)
{
    uint32_t faults = 0;
    for (ls_float_probe_function **at = LS_FLOAT_PROBES_BEGIN; at < LS_FLOAT_PROBES_END; at++)
        faults |= *at ? (*at)() : 0;
    return faults;
}

/* Turns the result of ls_sim_float_faults() into a status.
 *   errors  INCOMPATIBLE when there are faults: names `what` and the compiler flag that helps */
LS_API ls_status ls_float_check(uint32_t faults, const char *what, ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
