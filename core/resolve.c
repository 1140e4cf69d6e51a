/* From the names in a system's description to columns and lanes, and the rules that one
 * system has to keep by itself. */
#include "core/program_internal.h"
#include "core/random.h"

#include <string.h>

static ls_status refuse_term(const ls_system *system, const ls_component *component,
                             const char *why, ls_error *error)
{
    return ls_error_set(error, LS_ERROR_USAGE, "system \"%s\", component \"%s\": %s", system->name,
                        component->name, why);
}

static ls_status check_term(const ls_system *system, const ls_term *term,
                            const ls_component *component, ls_error *error)
{
    bool is_concurrent = system->mode == LS_CONCURRENT;
    if (term->query >= LS_QUERIES_MAX || (uint32_t)term->kind > LS_OTHERS ||
        (uint32_t)term->access > LS_STRUCTURE)
        return refuse_term(system, component, "the term has no such kind, access or query", error);
    if (is_concurrent && term->query != 0)
        return refuse_term(system, component,
                           "a concurrent system has one query; make the system sequential", error);
    if (component->is_singleton && term->kind != LS_OTHERS)
        return refuse_term(system, component,
                           "no query matches a singleton; use LS_OTHERS_READ or LS_OTHERS_WRITE",
                           error);
    if (component->is_singleton && term->access == LS_STRUCTURE)
        return refuse_term(system, component, "a singleton is neither attached nor detached",
                           error);
    if (term->kind == LS_EXCLUDE && term->access != LS_PRESENCE)
        return refuse_term(system, component,
                           "an excluded component has no value; declare LS_ATTACHES to attach it",
                           error);
    if (is_concurrent && term->kind == LS_OTHERS && term->access >= LS_WRITE)
        return refuse_term(system, component,
                           "a concurrent system changes its own entities only; make the system "
                           "sequential or let the others read what this one writes",
                           error);
    return LS_OK;
}

static ls_status resolve_terms(const ls_program *program, ls_plan_system *plan, ls_error *error)
{
    const ls_system *system = plan->system;
    bool has_include[LS_QUERIES_MAX] = {false}, has_term[LS_QUERIES_MAX] = {false};
    for (uint32_t i = 0; i < LS_TERMS_MAX && system->terms[i].component; i++) {
        const ls_term *term = &system->terms[i];
        uint32_t column = ls_program_find_column(program, term->component);
        if (column == UINT32_MAX)
            return refuse_term(system, term->component,
                               "the simulation does not list this component", error);
        if (program->components[column]->bytes != term->component->bytes)
            return refuse_term(system, term->component,
                               "the simulation lists another component of this name", error);
        ls_status status = check_term(system, term, program->components[column], error);
        if (status != LS_OK)
            return status;
        plan->terms[plan->term_count++] = (ls_plan_term){.column = column,
                                                         .query = term->query,
                                                         .kind = (uint8_t)term->kind,
                                                         .access = (uint8_t)term->access};
        ls_plan_note_access(plan, column, term->access);
        if (term->kind == LS_OTHERS)
            continue;
        has_term[term->query] = true;
        has_include[term->query] |= term->kind == LS_INCLUDE;
        if (term->query >= plan->query_count)
            plan->query_count = term->query + 1;
    }
    for (uint32_t i = 0; i < plan->query_count; i++) {
        if (!has_term[i])
            return ls_error_set(error, LS_ERROR_USAGE,
                                "system \"%s\": query %u of its vector has no term", system->name,
                                i);
        plan->reads_liveness |= !has_include[i];
    }
    if (system->mode == LS_CONCURRENT && plan->query_count == 0)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "system \"%s\" is concurrent but matches nothing; give it a query or "
                            "make it sequential, which then runs once a tick",
                            system->name);
    return LS_OK;
}

/* A column that a concurrent system changes on its own entity and reads on another one has two
 * values within the tick, and timing would choose between them. */
static ls_status check_self_conflict(const ls_program *program, const ls_plan_system *plan,
                                     uint32_t column, ls_error *error)
{
    if (plan->system->mode != LS_CONCURRENT)
        return LS_OK;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *own = &plan->terms[i];
        if (own->column == column && own->kind != LS_OTHERS && own->access >= LS_WRITE)
            return ls_error_set(error, LS_ERROR_REFUSED,
                                "system \"%s\" conflicts with itself: it changes \"%s\" on its own "
                                "entities and reads it on others; write to another component and "
                                "let a second system copy it",
                                plan->system->name, program->components[column]->name);
    }
    return LS_OK;
}

static ls_status resolve_lanes(const ls_program *program, ls_plan_system *plan, ls_error *error)
{
    const ls_system *system = plan->system;
    for (uint32_t i = 0; i < LS_SYSTEM_NAMES_MAX && system->lanes[i]; i++) {
        uint32_t lane = 0;
        while (lane < program->lane_count && strcmp(program->lanes[lane], system->lanes[i]) != 0)
            lane++;
        if (lane == program->lane_count)
            return ls_error_set(error, LS_ERROR_USAGE,
                                "system \"%s\" spawns into lane \"%s\", which the simulation does "
                                "not list",
                                system->name, system->lanes[i]);
        if (system->mode == LS_CONCURRENT)
            return ls_error_set(error, LS_ERROR_USAGE,
                                "system \"%s\" spawns but is concurrent; spawn from a sequential "
                                "system",
                                system->name);
        plan->lanes[plan->lane_count++] = lane;
    }
    return LS_OK;
}

ls_status ls_plan_resolve(ls_program *program, const ls_system *system, ls_plan_system *plan,
                          ls_error *error)
{
    *plan = (ls_plan_system){.system = system};
    if (!system->name || !system->name[0])
        return ls_error_set(error, LS_ERROR_USAGE, "a system has no name");
    bool is_concurrent = system->mode == LS_CONCURRENT;
    if (is_concurrent ? !system->span || system->match : !system->match || system->span)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "system \"%s\" is %s and so needs a %s function and no other",
                            system->name, is_concurrent ? "concurrent" : "sequential",
                            is_concurrent ? "span" : "match");
    plan->key = ls_name_key(system->name);
    ls_status status = resolve_terms(program, plan, error);
    if (status == LS_OK)
        status = resolve_lanes(program, plan, error);
    if (status == LS_OK)
        status = ls_plan_resolve_joins(program, plan, error);
    for (uint32_t i = 0; status == LS_OK && i < plan->term_count; i++) {
        if (plan->terms[i].kind == LS_OTHERS)
            status = check_self_conflict(program, plan, plan->terms[i].column, error);
    }
    return status;
}
