#include "core/schedule/incompatibilities.h"

#include "core/schedule/resolve_join.h"

bool ls_columns_are_incompatible(const ls_program *program, uint32_t one, uint32_t other)
{
    for (uint32_t i = 0; i < program->incompatibility_count; i++) {
        const ls_plan_incompatibility *pair = &program->incompatibilities[i];
        if ((pair->one == one && pair->other == other) ||
            (pair->one == other && pair->other == one))
            return true;
    }
    return false;
}

/* The fault of a component of a pair; NULL when there is none. */
static const char *fault_of(const ls_program *program, uint32_t column)
{
    if (column == UINT32_MAX)
        return "is no component that the simulation lists; add it to its components";
    if (program->components[column]->is_singleton)
        return "is a singleton, which no entity has; take components of entities";
    return NULL;
}

ls_status ls_incompatibility_add(ls_program *program, uint32_t index, ls_error *error)
{
    const ls_incompatibility *given = &program->sim->incompatibilities[index];
    if (!given->one || !given->other || !given->one->name || !given->other->name)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "incompatibility %u of %u lacks a component; use LS_NEVER_BOTH()",
                            index, program->sim->incompatibility_count);
    const ls_plan_incompatibility pair = {ls_program_find_column(program, given->one),
                                          ls_program_find_column(program, given->other)};
    const char *faults[] = {fault_of(program, pair.one), fault_of(program, pair.other)};
    for (uint32_t i = 0; i < LS_COUNT_OF(faults); i++) {
        if (faults[i])
            return ls_error_set(error, LS_ERROR_USAGE, "LS_NEVER_BOTH(%s, %s): \"%s\" %s",
                                given->one->name, given->other->name,
                                (i == 0 ? given->one : given->other)->name, faults[i]);
    }
    if (pair.one == pair.other)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "LS_NEVER_BOTH(%s, %s): names one component twice; take two",
                            given->one->name, given->other->name);
    if (ls_columns_are_incompatible(program, pair.one, pair.other))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "LS_NEVER_BOTH(%s, %s): is listed twice; take one out",
                            given->one->name, given->other->name);
    program->incompatibilities[program->incompatibility_count++] = pair;
    program->can_fail = true;
    return LS_OK;
}

/* A system that attaches one component of a pair looks at the presence of the other. Spawned
 * entities are checked too, but no handle, query or index of another system reaches them without an
 * order, so they are left out of the settled touches. */
static void touch_other(ls_plan_system *plan, uint32_t attached, uint32_t other)
{
    uint32_t touches = plan->touches[attached], settled = plan->settled_touches[attached];
    if (touches & LS_TOUCH_STRUCTURE) {
        plan->touches[other] |= (uint16_t)(LS_TOUCH_PRESENCE | (touches & LS_TOUCH_OTHERS));
        plan->checks_pairs = true;
    }
    if (settled & LS_TOUCH_STRUCTURE)
        plan->settled_touches[other] |= (uint16_t)(LS_TOUCH_PRESENCE | (settled & LS_TOUCH_OTHERS));
    plan->commands_pairs |= (touches & LS_TOUCH_COMMAND) != 0;
}

void ls_incompatibilities_touch(const ls_program *program, ls_plan_system *plan)
{
    for (uint32_t i = 0; i < program->incompatibility_count; i++) {
        const ls_plan_incompatibility *pair = &program->incompatibilities[i];
        touch_other(plan, pair->one, pair->other);
        touch_other(plan, pair->other, pair->one);
    }
}
