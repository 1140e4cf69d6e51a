#include "core/run/fact_explain.h"

#include "core/run/fact_check.h"
#include "core/run/tick.h"
#include <lockstep/snapshot.h>

ls_status ls_fact_explain(ls_world *world, const ls_frame *frame, ls_error *error)
{
    const ls_fact_breach found = world->scratch->breach;
    ls_snapshot *before = ls_world_snapshot(world);
    const ls_tick_job job = {.world = world, .frame = frame};
    ls_status status = ls_tick_run(&job, NULL, NULL);
    ls_world_restore(world, before);
    ls_snapshot_destroy(before);
    if (status == LS_OK || !world->scratch->breach.is_set)
        world->scratch->breach = found;
    return ls_fact_breach_print(world, error);
}
