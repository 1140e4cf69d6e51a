#include "cli/module/float_faults.h"

#include <lockstep/float_probe.h>

#include <dlfcn.h>
#include <string.h>

bool ls_module_float_faults(void *library, uint32_t *faults)
{
    void *symbol = dlsym(library, LS_SIM_FLOAT_FAULTS_NAME);
    ls_float_probe_function *run;
    if (!symbol)
        return false;
    memcpy(&run, &symbol, sizeof run); /* ISO C has no cast from object to function */
    *faults = run();
    return true;
}
