#include <lockstep/uses.h>

#include "core/run/access_fault.h"
#include "core/run/run.h"
#include "core/schedule/lists.h"

#include <stdio.h>
#include <string.h>

static bool is_same_component(const ls_component *a, const ls_component *b)
{
    return ls_component_is(a, b) && (!a || a->bytes == b->bytes);
}

static bool is_same_lane(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool begins_with(const ls_term *list, const ls_term *first)
{
    for (; list && first && ls_term_is_listed(first); list++, first++) {
        if (!is_same_component(list->component, first->component) || list->kind != first->kind ||
            list->access != first->access || list->query != first->query ||
            list->filter != first->filter || !is_same_lane(list->lane, first->lane))
            return false;
    }
    return list && first;
}

static bool is_same_list(const ls_term *a, const ls_term *b)
{
    return begins_with(a, b) && begins_with(b, a);
}

/* The name of the first setup or system with this list; NULL when none has it. */
static const char *owner_of(const ls_sim *sim, const ls_term *list)
{
    for (uint32_t i = 0; i < ls_sim_setup_count(sim); i++) {
        if (is_same_list(sim->setup[i].terms, list))
            return sim->setup[i].name;
    }
    for (uint32_t i = 0; i < sim->system_count; i++) {
        if (is_same_list(sim->systems[i].terms, list))
            return sim->systems[i].name;
    }
    return NULL;
}

void ls_uses_far_(const ls_context *context, const ls_term *list, const char *name)
{
    if (begins_with(context->plan->system->terms, list)) {
        /* Caches of the engine: the comparison is made once for each array. Relaxed: the list is
         * constant data of the module, and a thread that reads the older one compares again. */
        ((ls_context *)(uintptr_t)context)->front.terms = list;
        const ls_term **used = &((ls_plan_system *)(uintptr_t)context->plan)->list_used;
        __atomic_store_n(used, list, __ATOMIC_RELAXED);
        return;
    }
    const char *owner = owner_of(context->world->program->sim, list);
    char why[320];
    snprintf(why, sizeof why,
             "its function says LS_USES(%s), but %s%s%s; give LS_USES the list that the system "
             "has as .terms",
             name, owner ? "that is the list of system \"" : "no system has that list",
             owner ? owner : "", owner ? "\"" : "");
    ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL, why);
}
