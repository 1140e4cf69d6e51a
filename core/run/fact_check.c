#include "core/run/fact_check.h"

#include "core/schedule/value_text.h"
#include "core/state/facts.h"

#include <inttypes.h>

/* Keeps the first breach. The executor decides which breach is first, but not whether there is one;
 * see core/run/fact_explain.h. */
static void note_breach(ls_world *world, const ls_fact_breach *found)
{
    ls_scratch *scratch = world->scratch;
    ls_mutex_lock(&scratch->merge_lock);
    if (!scratch->breach.is_set)
        scratch->breach = *found;
    ls_mutex_unlock(&scratch->merge_lock);
}

/* Checks the pairs of which the system touches a component in one of the given ways. */
static void check_pairs(ls_world *world, uint32_t position, uint32_t touches, bool by_commands)
{
    const ls_program *program = world->program;
    const ls_plan_system *plan = ls_plan_at(program, position);
    ls_fact_breach breach = {.is_set = true, .by_commands = by_commands, .position = position};
    for (uint32_t i = 0; i < program->incompatibility_count; i++) {
        const ls_plan_incompatibility *pair = &program->incompatibilities[i];
        breach.pair = i;
        if (((plan->touches[pair->one] | plan->touches[pair->other]) & touches) &&
            LS_UNLIKELY(ls_facts_find_both(world, pair->one, pair->other, &breach.entity)))
            note_breach(world, &breach);
    }
}

void ls_fact_check_system(ls_world *world, uint32_t position)
{
    check_pairs(world, position, LS_TOUCH_STRUCTURE, false);
}

void ls_fact_check_commands(ls_world *world, uint32_t position)
{
    check_pairs(world, position, LS_TOUCH_COMMAND, true);
}

ls_status ls_fact_breach_print(const ls_world *world, ls_error *error)
{
    const ls_program *program = world->program;
    const ls_fact_breach *breach = &world->scratch->breach;
    const ls_plan_system *plan = ls_plan_at(program, breach->position);
    const ls_plan_incompatibility *pair = &program->incompatibilities[breach->pair];
    bool is_setup = breach->position >= program->system_count;
    const char *cause = plan->step            ? "the merge of par"
                        : breach->by_commands ? "the commands of system"
                        : is_setup            ? "setup"
                                              : "system";
    const char *name = ls_plan_name(program, plan);
    ls_builder owner = {0};
    ls_entity_print(&owner, program, breach->entity);
    ls_error_set(error, LS_ERROR_REFUSED,
                 "tick %" PRIu64 ": %s \"%s\" gave entity %s both \"%s\" and \"%s\", which the "
                 "simulation declares incompatible; detach one before the other is attached",
                 world->state.tick, cause, name, owner.data, program->components[pair->one]->name,
                 program->components[pair->other]->name);
    ls_free(owner.data);
    return LS_ERROR_REFUSED;
}
