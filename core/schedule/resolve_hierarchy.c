#include "core/schedule/resolve_hierarchy.h"

#include "core/schedule/resolve_join.h"

/* The rule that the system violates; NULL when it violates none. */
static const char *find_fault(const ls_program *program, const ls_plan_system *plan,
                              uint32_t column)
{
    const ls_field *field = column == UINT32_MAX
                                ? NULL
                                : ls_component_field_at(program->components[column],
                                                        plan->system->parents_first.offset);
    if (plan->system->mode != LS_SEQUENTIAL)
        return "the matches of a concurrent system have no order; make it sequential";
    if (plan->query_count == 0)
        return "the system has no query, and so no matches to order; give it a term that matches "
               "them";
    if (column == UINT32_MAX)
        return "the simulation does not list this component; add it to its components";
    if (!field || field->on_despawn != LS_PARENT)
        return "at the offset there is no reference with LS_PARENT, and others may lead in a "
               "circle; declare it as ENTITY(parent, LS_PARENT), and use LS_KEY()";
    return NULL;
}

ls_status ls_plan_resolve_hierarchy(const ls_program *program, ls_plan_system *plan,
                                    ls_error *error)
{
    const ls_hierarchy *given = &plan->system->parents_first;
    if (!given->component)
        return LS_OK;
    uint32_t column = ls_program_find_column(program, given->component);
    const char *fault = find_fault(program, plan, column);
    if (fault)
        return ls_error_set(error, LS_ERROR_USAGE, "system \"%s\", parents first by \"%s\": %s",
                            plan->system->name, given->component->name, fault);
    plan->is_parents_first = true;
    plan->parent_column = column;
    plan->parent_offset = given->offset;
    ls_plan_note_access(plan, column, LS_ACCESS_READ);
    return LS_OK;
}
