/* The interface through which a check runs systems instead of the tick: core/check/check.h. */
#ifndef LS_TICK_CHECK_H
#define LS_TICK_CHECK_H
#include "core/run/invocation.h"

typedef struct ls_tick_check ls_tick_check;
struct ls_tick_check {
    /* Run the system at `position`, or the systems from `first` to `end` - 1. */
    void (*run_system)(ls_tick_check *self, const ls_tick_job *job, uint32_t position);
    void (*run_systems)(ls_tick_check *self, const ls_tick_job *job, uint32_t first, uint32_t end);
};

#endif
