/* Runs the probes of floats that a loaded module carries (include/lockstep/float_probe.h).
 * float_faults.c, float_faults_windows.c. */
#ifndef LS_FLOAT_FAULTS_H
#define LS_FLOAT_FAULTS_H

#include <lockstep/base.h>

/* Gives the LS_FLOAT_* bits of all probes. False: the module has none. */
bool ls_module_float_faults(void *library, uint32_t *faults) LS_MUST_USE;

#endif
