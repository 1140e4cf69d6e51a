#include "core/run/fact_explain.h"

#include "core/run/fact_check.h"
#include "core/run/tick.h"

ls_status ls_fact_explain(const ls_tick_job *failed, ls_error *error)
{
    ls_world *world = failed->world;
    const ls_fact_breach found = world->scratch->breach;
    const ls_tick_job job = {.world = world, .frame = failed->frame, .part = failed->part};
    if (ls_tick_rerun(&job) == LS_OK || !world->scratch->breach.is_set)
        world->scratch->breach = found;
    return ls_fact_breach_print(world, error);
}
