#include <lockstep/whole_world.h>

#include "core/run/access_fault.h"
#include "core/schedule/resolve_join.h"

uint32_t ls_world_term(const ls_context *context, const ls_component *component)
{
    const ls_plan_system *plan = context->plan;
    if (!plan->world_access)
        ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL,
                        "asks for a component without a term; list READS_WORLD or "
                        "WRITES_WORLD");
    uint32_t column = ls_program_find_column(context->world->program, component);
    if (column == UINT32_MAX)
        ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL,
                        "asks for a component that the simulation does not list");
    return plan->world_first + column;
}
