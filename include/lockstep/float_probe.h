/* Whether floats were compiled to give the same bits on every machine. Each file that includes this
 * header carries a probe, compiled with that file's flags; ls_sim_float_faults() asks all probes of
 * the module or program that it is linked into. docs/determinism.md has the flags. */
#ifndef LS_FLOAT_PROBE_H
#define LS_FLOAT_PROBE_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LS_FLOAT_CONTRACTED = 1,   /* a * b + c with one rounding instead of two */
    LS_FLOAT_REASSOCIATED = 2, /* (a + b) - b taken for a */
    LS_FLOAT_RECIPROCAL = 4,   /* a / 10 taken for a * 0.1 */
};

/* Values come from volatile variables: the compiler cannot compute the results itself. */
static uint32_t ls_float_probe(void)
{
    volatile double inputs[] = {1.0 + 0x1p-27, -(1.0 + 0x1p-26), 1.0, 0x1p53, 3.0};
    volatile float inputs_float[] = {1.0f + 0x1p-13f, -(1.0f + 0x1p-12f)};
    double a = inputs[0], c = inputs[1], one = inputs[2], big = inputs[3];
    float b = inputs_float[0], d = inputs_float[1];
    /* a * a differs from -c by less than half a unit in its last place, and b * b from -d. */
    volatile double product = a * a + c, sum = (one + big) - big;
    /* 3 * 0.1 rounds to the double after 0.3. Compilers invert constants alone. */
    volatile double quotient = inputs[4] / 10.0;
    volatile float product_float = b * b + d;
    return (product != 0.0 || product_float != 0.0f ? LS_FLOAT_CONTRACTED : 0) |
           (sum != 0.0 ? LS_FLOAT_REASSOCIATED : 0) | (quotient != 0.3 ? LS_FLOAT_RECIPROCAL : 0);
}

typedef uint32_t ls_float_probe_function(void);

/* Linkers that remove unused sections would remove the probes; older compilers cannot say so. */
#if __has_attribute(retain)
#define LS_FLOAT_PROBE_ENTRY __attribute__((used, retain, section("ls_float_probes")))
#else
#define LS_FLOAT_PROBE_ENTRY __attribute__((used, section("ls_float_probes")))
#endif

/* A section with the name of a C identifier: the linker puts the entries of all files side by side
 * and defines the names of both ends. */
LS_FLOAT_PROBE_ENTRY static ls_float_probe_function *ls_float_probe_entry = ls_float_probe;
extern ls_float_probe_function *__start_ls_float_probes[] __attribute__((visibility("hidden")));
extern ls_float_probe_function *__stop_ls_float_probes[] __attribute__((visibility("hidden")));

#define LS_SIM_FLOAT_FAULTS_NAME "ls_sim_float_faults"
/* LS_FLOAT_* of all probes; 0: none. One copy of the weak definitions is kept in each module. */
LS_API uint32_t ls_sim_float_faults(void);
__attribute__((weak)) uint32_t ls_sim_float_faults(void)
{
    uint32_t faults = 0;
    for (ls_float_probe_function **at = __start_ls_float_probes; at < __stop_ls_float_probes; at++)
        faults |= (*at)();
    return faults;
}

/* Judges the result of ls_sim_float_faults() for a module or program.
 *   errors  INCOMPATIBLE when there are faults: names `what` and the flag to compile with */
LS_API ls_status ls_float_check(uint32_t faults, const char *what, ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
