#include <lockstep/program.h>

#include "core/schedule/baselines.h"
#include "core/schedule/fingerprint.h"
#include "core/schedule/hints.h"
#include "core/schedule/incompatibilities.h"
#include "core/schedule/independences.h"
#include "core/schedule/list_check.h"
#include "core/schedule/lists.h"
#include "core/schedule/match_data.h"
#include "core/schedule/modules.h"
#include "core/schedule/name_hints.h"
#include "core/schedule/pars.h"
#include "core/schedule/query_hints.h"
#include "core/schedule/resolve.h"
#include "core/schedule/resolve_join.h"
#include "core/schedule/schedule_build.h"
#include "core/schedule/schedule_report_internal.h"
#include "core/schedule/sim_check.h"

#include <inttypes.h>
#include <string.h>

/* Inserts a component into a list sorted by name; false when the name is already listed. */
static bool insert_by_name(const ls_component **list, uint32_t *count, const ls_component *added)
{
    uint32_t at = *count;
    while (at > 0 && strcmp(list[at - 1]->name, added->name) > 0)
        at--;
    if (at > 0 && strcmp(list[at - 1]->name, added->name) == 0)
        return false;
    memmove(&list[at + 1], &list[at], sizeof list[0] * (*count - at));
    list[at] = added;
    (*count)++;
    return true;
}

static ls_status add_component(ls_program *program, uint32_t index, ls_error *error)
{
    const ls_component *component = program->sim->components[index];
    if (!component)
        return ls_error_set(error, LS_ERROR_USAGE, "component %u of %u is NULL", index,
                            program->sim->component_count);
    ls_status status = ls_component_check(component, error);
    if (status != LS_OK)
        return status;
    if (component->event_ticks && program->event_count == LS_EVENTS_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT, "at most %u events are allowed", LS_EVENTS_MAX);
    /* Components and events share one name space, so that a name in a message is unambiguous. */
    bool is_new = component->event_ticks
                      ? ls_program_find_column(program, component) == UINT32_MAX &&
                            insert_by_name(program->events, &program->event_count, component)
                      : ls_program_find_event(program, component) == UINT32_MAX &&
                            insert_by_name(program->components, &program->column_count, component);
    if (!is_new)
        return ls_error_set(error, LS_ERROR_USAGE, "two components are named \"%s\"; rename one",
                            component->name);
    for (uint32_t i = 0; i < component->field_count; i++)
        program->can_fail |= component->fields[i].on_despawn == LS_PARENT;
    return LS_OK;
}

static ls_status add_lane(ls_program *program, uint32_t index, ls_error *error)
{
    const char *name = program->sim->lanes[index];
    if (!name || !name[0])
        return ls_error_set(error, LS_ERROR_USAGE, "lane %u has no name", index);
    uint32_t at = program->lane_count;
    while (at > 1 && strcmp(program->lanes[at - 1], name) > 0)
        at--;
    if (strcmp(program->lanes[at - 1], name) == 0 || strcmp(name, "world") == 0)
        return ls_error_set(error, LS_ERROR_USAGE, "two lanes are named \"%s\"; rename one%s", name,
                            strcmp(name, "world") == 0 ? " (\"world\" is the engine's)" : "");
    memmove(&program->lanes[at + 1], &program->lanes[at],
            sizeof program->lanes[0] * (program->lane_count - at));
    program->lanes[at] = name;
    program->lane_count++;
    return LS_OK;
}

static ls_status add_operation(ls_program *program, uint32_t index, ls_error *error)
{
    const ls_operation *operation = &program->sim->operations[index];
    uint32_t column =
        operation->component ? ls_program_find_column(program, operation->component) : UINT32_MAX;
    if (!operation->component || ls_sim_is_nameless(operation->name) || !operation->combine)
        return ls_error_set(
            error, LS_ERROR_USAGE,
            "operation %u of %u lacks a component, a name or a function; give it one", index,
            program->sim->operation_count);
    if (column == UINT32_MAX)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "operation \"%s\" combines \"%s\", which is no component that the "
                            "simulation lists; add it to its components",
                            operation->name, operation->component->name);
    if (program->operations[column])
        return ls_error_set(error, LS_ERROR_USAGE,
                            "operations \"%s\" and \"%s\" both combine \"%s\"; a component has "
                            "one, give the other a component of its own",
                            program->operations[column]->name, operation->name,
                            operation->component->name);
    program->operations[column] = operation;
    return LS_OK;
}

/* Adds what systems refer to, without the faulty parts. */
static ls_status add_parts(ls_program *program, ls_schedule_report *report)
{
    const ls_sim *sim = program->sim;
    ls_status first = LS_OK;
    ls_error reason;
    for (uint32_t i = 0; i < sim->component_count; i++)
        ls_schedule_report_note(report, sim->components[i] ? sim->components[i]->name : NULL,
                                add_component(program, i, &reason), &reason, &first);
    ls_schedule_report_note(report, NULL, ls_match_tables_check(sim, &reason), &reason, &first);
    for (uint32_t i = 0; i < sim->operation_count; i++)
        ls_schedule_report_note(report, sim->operations[i].name, add_operation(program, i, &reason),
                                &reason, &first);
    program->incompatibilities =
        ls_alloc(sizeof *program->incompatibilities * (sim->incompatibility_count + 1));
    for (uint32_t i = 0; i < sim->incompatibility_count; i++)
        ls_schedule_report_note(report, NULL, ls_incompatibility_add(program, i, &reason), &reason,
                                &first);
    program->lanes[program->lane_count++] = "world";
    for (uint32_t i = 0; i < sim->lane_count; i++)
        ls_schedule_report_note(report, sim->lanes[i], add_lane(program, i, &reason), &reason,
                                &first);
    return first;
}

static ls_status earlier(ls_status first, ls_status second)
{
    return first != LS_OK ? first : second;
}

/* Names what a setup has and may not have; NULL when there is nothing. */
static const char *excess_of_setup(const ls_plan_system *plan, bool is_first)
{
    const ls_system *setup = plan->system;
    if (setup->before || setup->after || setup->weakly_before || setup->weakly_after ||
        setup->needs || setup->stage || setup->slot != LS_PARALLEL)
        return "an order or a stage: setups run in the order of their list";
    if (plan->sends || plan->receives)
        return "an event, which would end before the first tick; write to a component instead";
    if (plan->comparing)
        return "a filter by change: it runs once, so everything is new";
    if (plan->observes)
        return "OBSERVES(...): it runs once, so everything is new";
    return is_first && plan->query_count
               ? "a query, but is the first: there is nothing to match yet"
               : NULL;
}

static ls_status add_setups(ls_program *program, ls_schedule_report *report)
{
    const ls_sim *sim = program->sim;
    ls_status first = LS_OK;
    program->setup_count = ls_sim_setup_count(sim);
    program->setups = ls_alloc(sizeof *program->setups * (program->setup_count + 1));
    for (uint32_t i = 0; i < program->setup_count; i++) {
        const ls_system *setup = &sim->setup[i];
        if (ls_sim_is_nameless(setup->name))
            continue;
        ls_error reason;
        ls_status status = ls_plan_resolve(program, setup, &program->setups[i], report);
        first = earlier(first, status);
        const char *excess = status == LS_OK ? excess_of_setup(&program->setups[i], i == 0) : NULL;
        if (excess)
            ls_schedule_report_note(
                report, setup->name,
                ls_error_set(&reason, LS_ERROR_USAGE, "setup \"%s\" has %s", setup->name, excess),
                &reason, &first);
    }
    return first;
}

static ls_status add_systems(ls_program *program, ls_schedule_report *report)
{
    const ls_sim *sim = program->sim;
    ls_status first = LS_OK;
    program->system_count = sim->system_count;
    program->systems = ls_alloc(sizeof *program->systems * (sim->system_count + 1));
    for (uint32_t i = 0; i < sim->system_count; i++) {
        if (!ls_sim_is_nameless(sim->systems[i].name))
            first = earlier(
                first, ls_plan_resolve(program, &sim->systems[i], &program->systems[i], report));
    }
    return earlier(first, add_setups(program, report));
}

/* The rule that a criterion violates, in words; NULL when it violates none. */
static const char *fault_of_criterion(const ls_plan_system *plan)
{
    if (!ls_plan_is_pure(plan))
        return "has to be sequential, without a query, and to change nothing";
    if (plan->comparing || plan->observes)
        return "keeps no state to compare with; let a system observe or filter by change, and read "
               "what it writes";
    return NULL;
}

static ls_status add_gate(ls_program *program, const char *kind, const char *name,
                          const ls_plan_gate *given, ls_schedule_report *report)
{
    const ls_condition *when = given->when;
    ls_error reason;
    ls_status first = LS_OK;
    if (!when->criterion && !when->every)
        return LS_OK;
    ls_plan_gate *gate = &program->gates[program->gate_count++];
    *gate = *given;
    program->can_fail |= when->iterations_max != 0;
    if (when->every && when->phase >= when->every)
        ls_schedule_report_note(
            report, name,
            ls_error_set(&reason, LS_ERROR_USAGE,
                         "%s \"%s\" runs every %u ticks in phase %u; phases are 0 to %u", kind,
                         name, when->every, when->phase, when->every - 1),
            &reason, &first);
    if (!when->criterion || ls_sim_is_nameless(when->criterion->name))
        return first;
    ls_status status = ls_plan_resolve(program, when->criterion, &gate->criterion, report);
    const char *fault = status == LS_OK ? fault_of_criterion(&gate->criterion) : NULL;
    if (fault)
        ls_schedule_report_note(report, name,
                                ls_error_set(&reason, LS_ERROR_USAGE,
                                             "the criterion \"%s\" of %s \"%s\" %s",
                                             when->criterion->name, kind, name, fault),
                                &reason, &status);
    return earlier(first, status);
}

/* Adds the gates: sets and stages with a condition. */
static ls_status add_gates(ls_program *program, ls_schedule_report *report)
{
    const ls_sim *sim = program->sim;
    ls_status first = LS_OK;
    program->gates = ls_alloc(sizeof *program->gates * (sim->set_count + sim->stage_count + 1));
    for (uint32_t i = 0; i < sim->set_count; i++) {
        const ls_plan_gate gate = {.set = &sim->sets[i], .when = &sim->sets[i].when};
        first = earlier(first, add_gate(program, "set", sim->sets[i].name, &gate, report));
    }
    for (uint32_t i = 0; i < sim->stage_count; i++) {
        const ls_plan_gate gate = {.stage = &sim->stages[i], .when = &sim->stages[i].when};
        first = earlier(first, add_gate(program, "stage", sim->stages[i].name, &gate, report));
    }
    return first;
}

static bool is_refusal(const ls_schedule_report *report)
{
    for (uint32_t i = 0; i < report->count; i++) {
        if (report->findings[i].kind >= LS_FINDING_CYCLE &&
            report->findings[i].kind <= LS_FINDING_AMBIGUITY)
            return true;
    }
    return false;
}

/* Gives each event a column for each age that it reaches, in order of names. */
static void assign_kept(ls_program *program)
{
    for (uint32_t event = 0; event < program->event_count; event++) {
        program->kept_first[event] = program->kept_count;
        program->kept_count += program->events[event]->event_ticks - 1u;
    }
}

/* Adds systems, conditions and schedule. Returns the first error of systems and conditions,
 * otherwise the error of the schedule. */
static ls_status add_schedule(ls_program *program, ls_schedule_report *report)
{
    ls_status systems = add_systems(program, report), gates = add_gates(program, report);
    ls_schedule_build(program, report);
    if (systems != LS_OK || gates != LS_OK)
        return earlier(systems, gates);
    if (!ls_schedule_report_refuses(report)) {
        ls_baselines_assign(program);
        assign_kept(program);
        return LS_OK;
    }
    return is_refusal(report) ? LS_ERROR_REFUSED : LS_ERROR_USAGE;
}

/* Adds everything that is wrong to the report, and returns the first error. Faulty modules are left
 * out for the checks that follow. If a part has no name, lists and order are not checked. If a list
 * was cut because it is too long, nothing that depends on it is checked. */
static ls_status make_program(const ls_sim *sim, ls_schedule_report *report, ls_program **program)
{
    *program = NULL;
    ls_status status = LS_OK;
    if (!ls_sim_check_abi(sim, report, &status))
        return status;
    ls_sim cut = *sim;
    bool is_whole = ls_sim_cut_to_limits(&cut, report, &status);
    ls_merged_sim *merged = NULL;
    if (sim->module_count) {
        status = earlier(status, ls_merged_sim_create(&cut, report, &merged));
        is_whole &= ls_sim_cut_to_limits(&merged->sim, report, &status);
        sim = &merged->sim;
    } else if (status != LS_OK) {
        sim = &cut; /* ends with this function, as does the program */
    }
    ls_sim_check_settings(sim, report, &status);
    bool has_names = ls_sim_check_names(sim, report, &status);
    ls_program *made = ls_alloc(sizeof *made);
    made->sim = sim;
    made->merged = merged;
    if (is_whole)
        status = earlier(status, add_parts(made, report));
    if (is_whole && has_names) {
        status = earlier(status, ls_lists_check(sim, report));
        status = earlier(status, add_schedule(made, report));
    } else if (is_whole) {
        status = earlier(status, add_systems(made, report));
    }
    if (status == LS_OK)
        *program = made;
    else
        ls_program_destroy(made);
    return status;
}

ls_status ls_program_check(const ls_sim *sim, ls_schedule_report **report, ls_error *error)
{
    ls_program *program;
    ls_schedule_report *made = *report = ls_alloc(sizeof *made);
    ls_status status = make_program(sim, made, &program);
    if (status == LS_OK) {
        ls_hints_find(program, made);
        ls_name_hints_find(program, made);
        ls_query_hints_find(program, made);
        ls_independences_list(program, made);
    } else {
        ls_schedule_report_print(made, error);
    }
    ls_program_destroy(program);
    return status;
}

ls_status ls_program_create(const ls_sim *sim, ls_program **program, ls_error *error)
{
    ls_schedule_report *report = ls_alloc(sizeof *report);
    ls_status status = make_program(sim, report, program);
    if (ls_schedule_report_refuses(report))
        ls_schedule_report_print(report, error);
    ls_schedule_report_destroy(report);
    if (status != LS_OK)
        return status;
    ls_program_compute_fingerprint(*program);
    (*program)->match_cache = ls_match_cache_create();
    return LS_OK;
}

void ls_program_destroy(ls_program *program)
{
    if (!program)
        return;
    for (uint32_t i = 0; program->systems && i < program->system_count; i++)
        ls_plan_reset(&program->systems[i]);
    for (uint32_t i = 0; i < program->setup_count; i++)
        ls_plan_reset(&program->setups[i]);
    ls_free(program->setups);
    for (uint32_t i = 0; i < program->gate_count; i++) {
        ls_plan_reset(&program->gates[i].criterion);
        ls_free(program->gates[i].members);
    }
    ls_free(program->gates);
    ls_pars_destroy(program);
    ls_free(program->systems);
    ls_graph_reset(&program->paths);
    ls_graph_reset(&program->weak_edges);
    ls_graph_reset(&program->listed_edges);
    ls_free(program->grids);
    ls_free(program->joins);
    ls_free(program->incompatibilities);
    ls_free(program->baselines);
    ls_match_cache_destroy(program->match_cache);
    ls_merged_sim_destroy(program->merged);
    ls_free(program);
}

const ls_sim *ls_program_sim(const ls_program *program)
{
    return program->sim;
}

uint64_t ls_program_schema(const ls_program *program)
{
    return ls_fingerprint_schema(program);
}

const uint8_t *ls_program_fingerprint(const ls_program *program)
{
    return program->fingerprint;
}

ls_match ls_program_match(const ls_program *program, uint64_t seed)
{
    const ls_sim *sim = program->sim;
    ls_match match = {.seed = seed,
                      .tick_rate = sim->tick_rate,
                      .player_count = sim->player_count,
                      .option_count = sim->option_count};
    for (uint32_t i = 0; i < sim->option_count; i++)
        match.options[i] = sim->options[i].standard;
    return match;
}

ls_status ls_program_check_match(const ls_program *program, const ls_match *match, ls_error *error)
{
    const ls_sim *sim = program->sim;
    if (match->tick_rate < 1 || match->tick_rate > LS_TICK_RATE_MAX || match->player_count < 1 ||
        match->player_count > LS_PLAYERS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "a match has 1 to %u ticks a second and 1 to %u players, not %u and %u",
                            LS_TICK_RATE_MAX, LS_PLAYERS_MAX, match->tick_rate,
                            match->player_count);
    size_t states = match->player_count * (LS_INPUT_HEADER_BYTES + (size_t)sim->state_bytes);
    if (sim->state_bytes &&
        1 + states + LS_INPUT_HEADER_BYTES + LS_INPUT_BYTES_MAX > LS_FRAME_BYTES_MAX)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%u players with %u bytes of state each and one order exceed a tick's "
                            "%u bytes: fewer players, or a smaller state",
                            match->player_count, sim->state_bytes, LS_FRAME_BYTES_MAX);
    if (match->option_count != sim->option_count)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "the match sets %u options, simulation \"%s\" has %u",
                            match->option_count, sim->name, sim->option_count);
    for (uint32_t i = 0; i < sim->option_count; i++) {
        const ls_option *option = &sim->options[i];
        if (match->options[i] < option->min || match->options[i] > option->max)
            return ls_error_set(error, LS_ERROR_USAGE,
                                "option \"%s\" is %" PRId64 " to %" PRId64 ", not %" PRId64,
                                option->name, option->min, option->max, match->options[i]);
    }
    return LS_OK;
}

uint32_t ls_program_column_count(const ls_program *program)
{
    return program->column_count;
}

uint32_t ls_program_find_lane(const ls_program *program, const char *name)
{
    return ls_lane_find(program, name);
}

const ls_component *ls_program_component(const ls_program *program, uint32_t column)
{
    LS_ASSERT(column < program->column_count);
    return program->components[column];
}

uint32_t ls_program_system_count(const ls_program *program)
{
    return program->system_count;
}

const ls_system *ls_program_system(const ls_program *program, uint32_t position)
{
    LS_ASSERT(position < program->system_count);
    return program->systems[position].system;
}
