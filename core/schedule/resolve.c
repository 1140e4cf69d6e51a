/* Resolves the names in a system's description to columns and lanes, and checks the rules about a
 * single system. */
#include "core/schedule/resolve.h"

#include "core/schedule/incompatibilities.h"
#include "core/schedule/lists.h"
#include "core/schedule/modules.h"
#include "core/schedule/program_data.h"
#include "core/schedule/resolve_hierarchy.h"
#include "core/schedule/resolve_join.h"
#include "core/schedule/resolve_partner.h"
#include "core/schedule/schedule_report_internal.h"
#include "core/schedule/term_rules.h"
#include "core/schema/codec.h"
#include <lockstep/random.h>

#include <string.h>

uint32_t ls_program_find_event(const ls_program *program, const ls_component *event)
{
    return ls_component_find(program->events, program->event_count, event);
}

static ls_status refuse_term(const ls_system *system, const ls_component *component,
                             const char *why, ls_error *error)
{
    return ls_error_set(error, LS_ERROR_USAGE, "system \"%s\", component \"%s\": %s", system->name,
                        component->name, why);
}

/* Whether the term leads to entities of which the system has no handle. */
static bool finds_entities(const ls_term *term)
{
    return ls_term_is_matched(term->kind) || term->filter == LS_FILTER_OBSERVED;
}

_Static_assert((LS_TOUCH_ADD << (LS_COMBINE - LS_ADD)) == LS_TOUCH_COMBINE,
               "the bits of accumulation are in the order of ls_access");

static void touch(ls_plan_system *plan, uint32_t column, const ls_term *term)
{
    uint32_t touches = LS_TOUCH_PRESENCE;
    if (term->kind == LS_COMMANDS)
        touches = LS_TOUCH_COMMAND;
    else if (term->kind == LS_ACCUMULATED)
        touches |= (uint32_t)LS_TOUCH_ADD << (term->access - LS_ADD);
    else
        touches |= (term->access >= LS_ACCESS_READ ? LS_TOUCH_READ : 0u) |
                   (term->access >= LS_ACCESS_WRITE ? LS_TOUCH_WRITE : 0u) |
                   (term->access >= LS_ACCESS_STRUCTURE ? LS_TOUCH_STRUCTURE : 0u);
    /* The engine compares and keeps the whole column. */
    if (ls_filter_compares(term->filter))
        touches |= LS_TOUCH_READ | LS_TOUCH_OTHERS;
    /* A sequential system may access the cells of all entities in its columns. Commands take effect
     * at the sync point, when no system runs. */
    bool is_others =
        plan->system->mode == LS_SEQUENTIAL || !ls_term_is_matched(term->kind) || term->query != 0;
    if (is_others && term->kind != LS_COMMANDS)
        touches |= LS_TOUCH_OTHERS;
    plan->touches[column] |= (uint16_t)touches;
    if (term->kind == LS_SPAWNED)
        ls_bit_set(plan->spawn_columns, column);
    else
        plan->settled_touches[column] |=
            (uint16_t)(touches | (finds_entities(term) ? LS_TOUCH_FINDS : 0u));
}

/* The type of all fields, where a vector counts as its numbers; 0 when there are several. */
static uint32_t combines_as(const ls_component *component)
{
    uint32_t type = 0;
    for (uint32_t i = 0; i < component->field_count; i++) {
        ls_type of_field = component->fields[i].type;
        uint32_t found = (uint32_t)(ls_type_is_vector(of_field) ? LS_TYPE_FIX : of_field);
        if (i > 0 && found != type)
            return 0;
        type = found;
    }
    return type;
}

static void add_term(ls_plan_system *plan, uint32_t column, const ls_term *term)
{
    bool has_cells = term->kind <= LS_START;
    plan->terms[plan->term_count++] =
        (ls_plan_term){.column = column,
                       .query = ls_term_query(term),
                       .kind = (uint8_t)term->kind,
                       .access = (uint8_t)term->access,
                       .filter = (uint8_t)term->filter,
                       .cell_bytes = term->component->bytes,
                       .has_entities = ls_component_has_entities(term->component),
                       .combines_as = (uint8_t)combines_as(term->component),
                       .grant = (uint8_t)(has_cells ? 1 + term->access : 0)};
    plan->has_start |= term->kind == LS_START;
    plan->changes_cells |=
        term->access >= LS_ACCESS_WRITE && (term->kind < LS_COMMANDS || term->kind == LS_PARTNER);
    plan->observes |= term->filter == LS_FILTER_OBSERVED;
    if (term->kind == LS_ACCUMULATED) {
        bool is_only = !plan->accumulates && !term->component->is_singleton;
        uint32_t bytes = (term->component->bytes + 7) / 8 * 8;
        plan->value_bytes = is_only ? (uint32_t)sizeof(ls_entity) + bytes : 0;
        plan->value_term = plan->term_count - 1;
        plan->accumulates = true;
    }
    plan->accumulates_entities |=
        term->kind == LS_ACCUMULATED && ls_component_has_entities(term->component);
    plan->commands |= term->kind == LS_COMMANDS;
    plan->has_commands |= term->kind >= LS_COMMANDS && term->kind <= LS_EVENTS &&
                          !(term->kind == LS_EVENTS && term->access == LS_ACCESS_READ);
}

/* Whether the simulation lists a component of this name, perhaps a faulty one that was left out of
 * the program. */
static bool is_listed(const ls_sim *sim, const ls_component *component)
{
    for (uint32_t i = 0; i < sim->component_count; i++) {
        const ls_component *listed = sim->components[i];
        if (listed && listed->name && component->name && ls_component_is(listed, component))
            return true;
    }
    return false;
}

static ls_status resolve_lane_term(const ls_program *program, ls_plan_system *plan,
                                   const ls_term *term, ls_error *error)
{
    const ls_system *system = plan->system;
    uint32_t lane = ls_plan_find_lane(program, plan, term->lane);
    const char *fault = ls_term_query_fault(system, term);
    if (term->kind != LS_LANE || term->component || term->access || term->filter)
        fault = "a term with a lane has nothing else but a query; use IN_LANE(...)";
    else if (lane == LS_LANES_MAX)
        fault = "the simulation does not list this lane; add it to its lanes";
    if (fault)
        return ls_error_set(error, LS_ERROR_USAGE, "system \"%s\", lane \"%s\": %s", system->name,
                            term->lane, fault);
    plan->terms[plan->term_count++] =
        (ls_plan_term){.column = lane, .query = ls_term_query(term), .kind = LS_LANE};
    return LS_OK;
}

static ls_status resolve_world_term(ls_plan_system *plan, const ls_term *term, ls_error *error)
{
    const char *fault = NULL;
    if (term->component || term->query || term->filter ||
        (term->access != LS_ACCESS_READ && term->access != LS_ACCESS_STRUCTURE))
        fault = "a term of the whole world is READS_WORLD or WRITES_WORLD";
    else if (plan->world_access)
        fault = "READS_WORLD and WRITES_WORLD are for one term; list the stronger one";
    else if (term->access == LS_ACCESS_STRUCTURE && plan->system->mode == LS_CONCURRENT)
        fault = "a concurrent system changes its own entities only; make it sequential for "
                "WRITES_WORLD";
    if (fault)
        return ls_error_set(error, LS_ERROR_USAGE, "system \"%s\": %s", plan->system->name, fault);
    plan->world_access = term->access;
    plan->all_matching = UINT32_MAX;
    plan->terms[plan->term_count++] = (ls_plan_term){.kind = LS_WORLD};
    return LS_OK;
}

/* Adds a term for each component and singleton. The system may find entities in other ways than by
 * handles, so it needs an order with all systems that spawn. */
static ls_status add_world(const ls_program *program, ls_plan_system *plan, ls_error *error)
{
    if (plan->term_count + program->column_count > LS_TERMS_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "system \"%s\": its terms and those of the whole world are more than "
                            "%u",
                            plan->system->name, LS_TERMS_MAX);
    plan->world_first = plan->term_count;
    for (uint32_t column = 0; column < program->column_count; column++) {
        const ls_component *component = program->components[column];
        ls_access access = component->is_singleton && plan->world_access == LS_ACCESS_STRUCTURE
                               ? LS_ACCESS_WRITE
                               : (ls_access)plan->world_access;
        const ls_term term = LS_TERM(0, LS_OTHERS, access, *component);
        add_term(plan, column, &term);
        touch(plan, column, &term);
        plan->settled_touches[column] |= LS_TOUCH_FINDS;
    }
    return LS_OK;
}

static ls_status resolve_event(const ls_program *program, ls_plan_system *plan, const ls_term *term,
                               ls_error *error)
{
    uint32_t event = ls_program_find_event(program, term->component);
    if (event == UINT32_MAX && is_listed(program->sim, term->component))
        return LS_OK; /* it was reported with the components */
    if (event == UINT32_MAX)
        return refuse_term(plan->system, term->component,
                           "the simulation does not list this event; add it to its components",
                           error);
    if (term->kind != LS_EVENTS ||
        (term->access != LS_ACCESS_READ && term->access != LS_ACCESS_WRITE))
        return refuse_term(plan->system, term->component,
                           "an event is sent or received: SENDS(...) or RECEIVES(...)", error);
    if (term->access == LS_ACCESS_WRITE) {
        plan->event_bytes = plan->sends ? 0 : (uint32_t)(term->component->bytes + 7) / 8 * 8;
        plan->event_term = plan->term_count;
        plan->sends |= (uint64_t)1 << event;
    } else {
        plan->receives |= (uint64_t)1 << event;
    }
    add_term(plan, event, term);
    return LS_OK;
}

static ls_status resolve_term(const ls_program *program, ls_plan_system *plan, const ls_term *term,
                              ls_error *error)
{
    const ls_system *system = plan->system;
    if (term->kind == LS_WORLD)
        return resolve_world_term(plan, term, error);
    if (term->lane)
        return resolve_lane_term(program, plan, term, error);
    if (term->component->event_ticks)
        return resolve_event(program, plan, term, error);
    uint32_t column = ls_program_find_column(program, term->component);
    if (column == UINT32_MAX && is_listed(program->sim, term->component))
        return LS_OK; /* it was reported with the components */
    if (column == UINT32_MAX)
        return refuse_term(system, term->component,
                           "the simulation does not list this component; add it to its "
                           "components",
                           error);
    if (program->components[column]->bytes != term->component->bytes)
        return refuse_term(system, term->component,
                           "the simulation lists another component of this name", error);
    if (term->kind == LS_EVENTS)
        return refuse_term(system, term->component, "is no event; describe it with LS_EVENT()",
                           error);
    const char *fault = ls_term_fault(system, term, program->components[column]);
    if (!fault && term->access == LS_COMBINE && !program->operations[column])
        fault = "LS_COMBINE takes the simulation's operation for the component, and there is none; "
                "add one to its .operations";
    if (fault)
        return refuse_term(system, term->component, fault, error);
    add_term(plan, column, term);
    touch(plan, column, term);
    return LS_OK;
}

static ls_status check_queries(ls_plan_system *plan, const bool *has_term, const bool *has_include,
                               ls_error *error)
{
    for (uint32_t i = 0; i < plan->query_end; i++) {
        bool is_walked_too = plan->walked >> i & 1;
        if (i < plan->query_count && is_walked_too)
            return ls_error_set(error, LS_ERROR_USAGE,
                                "system \"%s\": query %u is walked, but its number is below those "
                                "of its vector; give it a number from %u on",
                                plan->system->name, i, plan->query_count);
        if (i < plan->query_count && !has_term[i])
            return ls_error_set(error, LS_ERROR_USAGE,
                                "system \"%s\": query %u of its vector has no term",
                                plan->system->name, i);
        plan->all_matching |= (uint32_t)(has_term[i] && !has_include[i]) << i;
    }
    if (plan->system->mode == LS_CONCURRENT && plan->query_count == 0)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "system \"%s\" is concurrent but matches nothing; give it a query or "
                            "make it sequential, which then runs once a tick",
                            plan->system->name);
    return LS_OK;
}

static void note_query(ls_plan_system *plan, const ls_term *term)
{
    uint32_t query = ls_term_query(term);
    bool compares = ls_filter_compares(term->filter);
    plan->alternatives |= (uint32_t)(term->filter && !compares) << query;
    plan->comparing |= (uint32_t)compares << query;
    plan->query_end = query >= plan->query_end ? query + 1 : plan->query_end;
    if (ls_term_is_walked(term))
        plan->walked |= (uint32_t)1 << query;
    else if (query >= plan->query_count)
        plan->query_count = query + 1;
}

/* Notes the faults of all terms; if there are none, also the faults of the queries that the terms
 * form. LS_ERROR_LIMIT: the list is cut, so what refers to terms cannot be checked. */
static ls_status resolve_terms(const ls_program *program, ls_plan_system *plan,
                               ls_schedule_report *report)
{
    const ls_system *system = plan->system;
    bool has_include[LS_QUERIES_MAX] = {false}, has_term[LS_QUERIES_MAX] = {false};
    uint32_t count = 0, beyond = 0; /* beyond: bit by query, with more terms than it may have */
    ls_status first = LS_OK;
    ls_error reason;
    while (ls_term_of(system, count))
        count++;
    bool is_cut = count == LS_TERMS_MAX && ls_term_is_listed(&system->terms[count]);
    plan->terms = ls_alloc(sizeof *plan->terms * (count + 1 + program->column_count));
    for (uint32_t i = 0; i < count; i++) {
        const ls_term *term = &system->terms[i];
        bool is_beyond = ls_term_is_beyond(system, term);
        if (is_beyond && beyond >> ls_term_query(term) & 1)
            continue;
        ls_status status = is_beyond ? ls_term_refuse_beyond(system, term, &reason)
                                     : resolve_term(program, plan, term, &reason);
        beyond |= (uint32_t)is_beyond << ls_term_query(term);
        ls_schedule_report_note(report, system->name, status, &reason, &first);
        if (status != LS_OK || !ls_term_limits_query(term->kind))
            continue;
        note_query(plan, term);
        has_term[ls_term_query(term)] = true;
        has_include[ls_term_query(term)] |= term->kind == LS_INCLUDE;
    }
    if (plan->world_access)
        ls_schedule_report_note(report, system->name, add_world(program, plan, &reason), &reason,
                                &first);
    if (is_cut) /* ls_lists_check() reports it */
        return LS_ERROR_LIMIT;
    if (first == LS_OK)
        ls_schedule_report_note(report, system->name,
                                check_queries(plan, has_term, has_include, &reason), &reason,
                                &first);
    return first;
}

/* Refuses a concurrent system that writes a column on its own entity and reads it on others, or
 * attaches or detaches it on its own entity and looks for it on others. Timing would decide what
 * the system sees. */
static ls_status check_self_conflict(const ls_program *program, const ls_plan_system *plan,
                                     uint32_t column, ls_access others, ls_error *error)
{
    if (plan->system->mode != LS_CONCURRENT)
        return LS_OK;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *own = &plan->terms[i];
        if (!ls_term_is_matched((ls_match_kind)own->kind) || own->query != 0 ||
            own->column != column)
            continue;
        if (own->access == LS_ACCESS_STRUCTURE ||
            (own->access == LS_ACCESS_WRITE && others >= LS_ACCESS_READ))
            return ls_error_set(
                error, LS_ERROR_REFUSED,
                "system \"%s\" conflicts with itself: it changes \"%s\" on its own "
                "entities and looks at it on others; read it as it was at the "
                "start (OTHERS_START(...), or .start of a grid or join), or write to "
                "another component and let a second system copy it",
                plan->system->name, program->components[column]->name);
    }
    return LS_OK;
}

static void check_self_conflicts(const ls_program *program, const ls_plan_system *plan,
                                 ls_schedule_report *report, ls_status *first)
{
    ls_error reason;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        bool is_others = term->kind == LS_OTHERS ||
                         (ls_term_is_matched((ls_match_kind)term->kind) && term->query != 0);
        /* LS_ACCUMULATE() tests whether the cell is present; values are merged when the system
         * ends. */
        if (is_others || term->kind == LS_ACCUMULATED)
            ls_schedule_report_note(
                report, plan->system->name,
                check_self_conflict(program, plan, term->column,
                                    is_others ? (ls_access)term->access : LS_ACCESS_PRESENCE,
                                    &reason),
                &reason, first);
    }
}

_Static_assert(LS_LANES_MAX - 1 <= UINT8_MAX, "a lane is a byte in the plan of a system");

static void resolve_lanes(const ls_program *program, const ls_system *system, const char *names,
                          uint8_t *lanes, uint32_t *count, ls_schedule_report *report,
                          ls_status *first)
{
    ls_name_list list = ls_name_list_of(names);
    while (*count < LS_NAMES_MAX && ls_name_list_next(&list)) {
        ls_error reason;
        uint32_t lane = ls_lane_find(program, list.name);
        if (lane != LS_LANES_MAX)
            lanes[(*count)++] = (uint8_t)lane;
        else
            ls_schedule_report_note(
                report, system->name,
                ls_error_set(&reason, LS_ERROR_USAGE,
                             "system \"%s\" spawns into lane \"%s\", which the simulation does "
                             "not list",
                             system->name, list.name),
                &reason, first);
    }
}

/* Checks that a system has exactly one function, and one that its mode allows. */
static ls_status check_functions(const ls_system *system, ls_error *error)
{
    if (system->mode != LS_CONCURRENT && system->mode != LS_SEQUENTIAL)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "system \"%s\" has mode %d, which does not exist; take LS_CONCURRENT "
                            "or LS_SEQUENTIAL",
                            system->name, (int)system->mode);
    uint32_t forms = (system->span != NULL) + (system->each != NULL) + (system->block != NULL) +
                     (system->match != NULL);
    if (forms == 1 && (system->mode == LS_CONCURRENT || system->match))
        return LS_OK;
    return ls_error_set(
        error, LS_ERROR_USAGE, "system \"%s\" is %s and so needs %s function and no other",
        system->name, system->mode == LS_CONCURRENT ? "concurrent" : "sequential",
        system->mode == LS_CONCURRENT ? "an each, a span, a block or a match" : "a match");
}

static ls_status check_settings(const ls_system *system, ls_error *error)
{
    if (system->scratch_bytes > LS_SCRATCH_BYTES_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "system \"%s\" declares %u scratch_bytes; at most %u are allowed",
                            system->name, system->scratch_bytes, LS_SCRATCH_BYTES_MAX);
    if (system->home_thread >= LS_THREADS_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "system \"%s\" has home_thread %u; at most %d is allowed", system->name,
                            system->home_thread, LS_THREADS_MAX - 1);
    if (system->home_thread && (system->main_thread || system->slot != LS_PARALLEL))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "system \"%s\" has home_thread %u, but %s; leave one of them out",
                            system->name, system->home_thread,
                            system->main_thread ? "main_thread as well"
                                                : "runs in an exclusive slot on the main thread");
    return LS_OK;
}

/* Whether the system itself attaches or detaches what one of its queries matches, or writes the
 * keys that a join compares. */
static bool ends_matches(const ls_program *program, const ls_plan_system *plan)
{
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        if (ls_term_is_matched((ls_match_kind)term->kind) &&
            (plan->settled_touches[term->column] & LS_TOUCH_STRUCTURE))
            return true;
    }
    for (uint32_t i = 0; i < plan->join_count; i++) {
        uint32_t from = plan->join_from[i].column, found = program->joins[plan->joins[i]].column;
        uint32_t touches = plan->touches[found] | (from == UINT32_MAX ? 0 : plan->touches[from]);
        if (plan->system->joins[i].query && (touches & LS_TOUCH_CHANGES))
            return true;
    }
    return false;
}

ls_status ls_plan_resolve(ls_program *program, const ls_system *system, ls_plan_system *plan,
                          ls_schedule_report *report)
{
    const char *name = system->name;
    ls_status first = LS_OK;
    ls_error reason;
    *plan = (ls_plan_system){.system = system,
                             .span = system->each ? system->each : system->span,
                             .list_used = system->terms};
    plan->key = ls_name_key(name);
    plan->part = ls_merged_part_of(program->merged, name);
    ls_schedule_report_note(report, name, check_functions(system, &reason), &reason, &first);
    ls_schedule_report_note(report, name, check_settings(system, &reason), &reason, &first);
    ls_status terms = resolve_terms(program, plan, report);
    first = first == LS_OK ? terms : first;
    resolve_lanes(program, system, system->lanes, plan->lanes, &plan->lane_count, report, &first);
    resolve_lanes(program, system, system->command_lanes, plan->command_lanes,
                  &plan->command_lane_count, report, &first);
    if (plan->accumulates_entities && plan->lane_count)
        plan->value_bytes = 0; /* only records can refer to an entity that has no handle yet */
    plan->commands |= plan->command_lane_count > 0;
    plan->has_commands |= plan->commands || (plan->lane_count && system->mode == LS_CONCURRENT);
    if (terms == LS_OK) /* a join may refer to any term */
        ls_schedule_report_note(report, name, ls_plan_resolve_joins(program, plan, &reason),
                                &reason, &first);
    if (terms != LS_ERROR_LIMIT)
        ls_schedule_report_note(report, name, ls_plan_resolve_hierarchy(program, plan, &reason),
                                &reason, &first);
    check_self_conflicts(program, plan, report, &first);
    if (terms == LS_OK)
        ls_schedule_report_note(report, name, ls_plan_resolve_partner(program, plan, &reason),
                                &reason, &first);
    ls_incompatibilities_touch(program, plan);
    plan->ends_matches = first != LS_OK || ends_matches(program, plan);
    return first;
}

void ls_plan_reset(ls_plan_system *plan)
{
    ls_free(plan->terms);
    ls_free(plan->successors);
    ls_free(plan->needs);
}

bool ls_plan_is_pure(const ls_plan_system *plan)
{
    bool is_pure = plan->system->mode == LS_SEQUENTIAL && plan->query_count == 0 &&
                   plan->lane_count == 0 && !plan->has_commands;
    for (uint32_t i = 0; i < plan->term_count; i++)
        is_pure &= plan->terms[i].access <= LS_ACCESS_READ;
    return is_pure;
}
