#include "core/run/fact_explain.h"

#include "core/run/fact_check.h"
#include "core/run/tick.h"
#include <lockstep/snapshot.h>

ls_status ls_fact_explain(const ls_tick_job *failed, ls_error *error)
{
    ls_world *world = failed->world;
    const ls_fact_breach found = world->scratch->breach;
    ls_snapshot *before = ls_world_snapshot(world);
    const ls_tick_job job = {.world = world, .frame = failed->frame, .part = failed->part};
    ls_status status = ls_tick_run(&job, NULL, NULL);
    ls_world_restore(world, before);
    ls_snapshot_destroy(before);
    if (status == LS_OK || !world->scratch->breach.is_set)
        world->scratch->breach = found;
    return ls_fact_breach_print(world, error);
}
