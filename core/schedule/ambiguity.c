/* Checks every pair of systems of one stage and slot that no path orders. A pair that conflicts is
 * either kept apart in time or refused.
 *   source  docs/scheduler.md */
#include "core/schedule/ambiguity.h"

#include "core/schedule/build.h"
#include "core/schedule/conflict.h"
#include "core/schedule/pars.h"
#include "core/schedule/pars_order.h"
#include "core/schedule/phases.h"
#include "core/schedule/schedule_report_internal.h"

#include <stdio.h>
#include <string.h>

/* `also`: a remedy besides an order, or "". `doubtful`: the one of the two that another finding
 * names, or NULL. That finding may be the reason that their order is missing. */
static void report_pair(const ls_plan_system *a, const ls_plan_system *b, const char *conflict,
                        const char *also, const char *doubtful, ls_schedule_report *report)
{
    const char *one = a->system->name, *other = b->system->name;
    char pair[512], remedy[768];
    /* A par cannot declare its own order; the system must name the par. */
    const char *named = b->step ? other : one, *by = b->step ? one : other;
    if (!a->step == !b->step)
        snprintf(pair, sizeof pair, "%ss \"%.200s\" and \"%.200s\"", ls_plan_word(a), one, other);
    else
        snprintf(pair, sizeof pair, "%s \"%.200s\" and %s \"%.200s\"", ls_plan_word(a), one,
                 ls_plan_word(b), other);
    if (!a->step && !b->step)
        snprintf(remedy, sizeof remedy, ".after = \"%.200s\" in \"%.200s\", or the other way round",
                 one, other);
    else
        snprintf(remedy, sizeof remedy,
                 ".before = \"%.200s\" or .after = \"%.200s\" in %s\"%.200s\"", named, named,
                 a->step && b->step ? "a system of " : "", by);
    ls_schedule_report_add(report, LS_FINDING_AMBIGUITY, one, other,
                           "%s have no order, but %s (settle it with %s%s%s%s%s)", pair, conflict,
                           remedy, also,
                           doubtful ? "; first look at the other finding about \"" : "",
                           doubtful ? doubtful : "", doubtful ? "\"" : "");
}

/* The one of the two systems that an earlier finding names; NULL when there is none. */
static const char *find_doubtful(const ls_build *build, uint32_t i, uint32_t j)
{
    const ls_plan_system *systems = build->program->systems;
    if (ls_bit_has(build->doubtful, i))
        return systems[i].system->name;
    return ls_bit_has(build->doubtful, j) ? systems[j].system->name : NULL;
}

/* Finds the next conflict that needs an order. Between two sides of a par, conflicts about cells
 * and events need none, because views resolve them. */
static bool next_conflict(const ls_program *program, uint32_t i, uint32_t j, uint32_t *at,
                          ls_conflict *conflict)
{
    const ls_plan_system *a = &program->systems[i], *b = &program->systems[j];
    while (ls_conflict_next(program, a, b, at, conflict)) {
        if (conflict->kind >= LS_CONFLICT_LANE || !ls_pars_separate(program, i, j))
            return true;
    }
    return false;
}

/* Prints the remedy to limit the query of `finder` to a lane that `spawner` does not spawn into;
 * prints nothing if there is no such lane. */
static void print_lane(const ls_program *program, const ls_plan_system *spawner,
                       const ls_plan_system *finder, char *text, size_t bytes)
{
    uint32_t lane = ls_conflict_lane_past(program, spawner, finder);
    if (lane != UINT32_MAX)
        snprintf(text, bytes, ", or IN_LANE(\"%.200s\") in \"%.200s\" to match that lane alone",
                 program->lanes[lane], finder->system->name);
}

/* Checks two systems of one group that no path orders. If filters or declared independence allow
 * any order, they are only kept apart in time. That is not enough for the fork and merge of a par:
 * a system between them would count as a member of the par's first side. */
static void check_pair(ls_build *build, const ls_graph *independent, uint32_t i, uint32_t j)
{
    const ls_program *program = build->program;
    ls_plan_system *a = &program->systems[i];
    const ls_plan_system *b = &program->systems[j];
    ls_conflict conflict = {LS_CONFLICT_COLUMN, 0};
    uint32_t at = 0;
    bool is_independent = ls_graph_has(independent, i, j) && !a->step && !b->step;
    if (is_independent || !next_conflict(program, i, j, &at, &conflict)) {
        a->successors[a->successor_count + a->apart_count++] = j;
        program->systems[j].apart_before_count++;
        return;
    }
    char text[1024], lane[512] = "";
    size_t used = 0;
    uint32_t more = 0;
    /* Whether all conflicts would end if the other's query were limited to another lane. */
    bool ends_past_a = true, ends_past_b = true;
    do {
        ends_past_a &= ls_conflict_ends_at_lanes(a, b, &conflict);
        ends_past_b &= ls_conflict_ends_at_lanes(b, a, &conflict);
        char words[256];
        ls_conflict_print(program, a, b, &conflict, words, sizeof words);
        if (used + strlen(words) + 40 < sizeof text)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", words);
        else
            more++;
    } while (next_conflict(program, i, j, &at, &conflict));
    if (more)
        snprintf(text + used, sizeof text - used, ", and %u more", more);
    if (ends_past_a || ends_past_b)
        print_lane(program, ends_past_a ? a : b, ends_past_a ? b : a, lane, sizeof lane);
    ls_graph_add(&build->ambiguous, i, j);
    report_pair(a, b, text, lane, find_doubtful(build, i, j), build->report);
}

/* Finds the systems after `i` in its group to which no path leads from it. With `spawners` (NULL:
 * no such limit) it finds only these spawners and systems that conflict with `i`. */
static void find_unordered(const ls_build *build, uint32_t i, const uint64_t *spawners,
                           uint64_t *row)
{
    const uint64_t *paths = ls_graph_row(&build->program->paths, i);
    const uint64_t *conflicts = ls_graph_row(&build->conflicts, i);
    memset(row, 0, sizeof *row * build->edges.words);
    for (uint32_t j = i + 1; j < build->edges.count && build->groups[j] == build->groups[i]; j++)
        ls_bit_set(row, j);
    for (uint32_t word = 0; word < build->edges.words; word++)
        row[word] &= ~paths[word] & (spawners ? conflicts[word] | spawners[word] : UINT64_MAX);
    for (uint32_t j = ls_bits_next(row, build->edges.words, 0); j < build->edges.count;
         j = ls_bits_next(row, build->edges.words, j + 1)) { /* few are left: this compares names */
        if (!ls_stages_has_place(build->program, build->program->systems[j].system))
            ls_bit_clear(row, j);
    }
    for (uint32_t j = i + 1; build->cyclic.count && j < build->edges.count; j++) {
        if (ls_graph_has(&build->cyclic, i, j) || ls_graph_has(&build->cyclic, j, i))
            ls_bit_clear(row, j);
    }
}

/* A system sees either the entities of all spawners of a lane, or none. `spawner` has no order with
 * `system`, so `system` sees none. Therefore no other spawner of that lane may be ordered before
 * `system`. */
static void note_unsettled(ls_build *build, uint32_t system, uint32_t spawner)
{
    ls_program *program = build->program;
    ls_plan_system *plan = &program->systems[system];
    const ls_plan_system *other = &program->systems[spawner];
    /* The steps of a par look at no entities; each of its members is checked itself. */
    for (uint32_t i = 0; !plan->step && i < other->lane_count; i++) {
        uint32_t lane = other->lanes[i];
        plan->unsettled_lanes[lane / 64] |= (uint64_t)1 << (lane % 64);
        plan->has_unsettled = true;
        ls_bits_or(plan->unsettled_columns, other->spawn_columns,
                   LS_COUNT_OF(plan->unsettled_columns));
        for (uint32_t j = 0; j < system; j++) {
            if (!ls_plan_spawns_into(&program->systems[j], lane) ||
                !ls_graph_has(&program->paths, j, system))
                continue;
            char text[256];
            snprintf(text, sizeof text,
                     "the second spawns into lane \"%.60s\" as \"%.60s\" before the first does",
                     program->lanes[lane], program->systems[j].system->name);
            ls_graph_add(&build->ambiguous, system < spawner ? system : spawner,
                         system < spawner ? spawner : system);
            report_pair(plan, other, text, "", find_doubtful(build, system, spawner),
                        build->report);
            return;
        }
    }
}

static void find_independence(ls_build *build, ls_graph *independent)
{
    const ls_sim *sim = build->program->sim;
    for (uint32_t i = 0; i < sim->independence_count; i++) {
        const ls_independence *given = &sim->independences[i];
        const uint64_t *one = ls_name_table_find(&build->names, given->one);
        const uint64_t *other = ls_name_table_find(&build->names, given->other);
        if (!one || !other)
            ls_schedule_report_add(
                build->report, LS_FINDING_UNKNOWN, given->one, given->other,
                "\"%s\" and \"%s\" are to be independent, but no system has the name "
                "or label \"%s\"",
                given->one, given->other, one ? given->other : given->one);
        if (!given->reason || !given->reason[0])
            ls_schedule_report_add(
                build->report, LS_FINDING_UNKNOWN, given->one, given->other,
                "\"%s\" and \"%s\" are to be independent without a reason; say why", given->one,
                given->other);
        for (uint32_t j = 0; one && other && j < independent->count; j++) {
            if (ls_bit_has(one, j))
                ls_bits_or(ls_graph_row(independent, j), other, independent->words);
            if (ls_bit_has(other, j))
                ls_bits_or(ls_graph_row(independent, j), one, independent->words);
        }
    }
}

/* Whether the pair is reported with the fork of a par in place of a member. To systems outside of a
 * par, the par is one node, and its fork represents the members and the merge. */
static bool is_reported_by_par(const ls_build *build, uint32_t i, uint32_t j)
{
    const ls_program *program = build->program;
    uint32_t one = ls_pars_around(program, i, j), other = ls_pars_around(program, j, i);
    uint32_t first = one == UINT32_MAX ? i : program->pars[one].fork;
    uint32_t second = other == UINT32_MAX ? j : program->pars[other].fork;
    return (first != i || second != j) && ls_graph_has(&build->conflicts, first, second);
}

/* Reports two unordered systems of a strict simulation that command one component. Their commands
 * are merged in one fixed order, on any threads, but it may not be the intended order. */
static void check_commands(ls_build *build, uint32_t i, uint32_t j)
{
    const ls_program *program = build->program;
    const ls_plan_system *a = &program->systems[i], *b = &program->systems[j];
    for (uint32_t column = 0; column < program->column_count; column++) {
        if (!(a->touches[column] & b->touches[column] & LS_TOUCH_COMMAND))
            continue;
        char text[256];
        snprintf(text, sizeof text, "both command \"%.100s\", and the simulation is strict",
                 program->components[column]->name);
        ls_graph_add(&build->ambiguous, i, j);
        report_pair(a, b, text, "", find_doubtful(build, i, j), build->report);
        return;
    }
}

static void check_exclusive(const ls_build *build, uint32_t i, const uint64_t *unordered)
{
    const ls_plan_system *systems = build->program->systems;
    for (uint32_t j = ls_bits_next(unordered, build->edges.words, 0); j < build->edges.count;
         j = ls_bits_next(unordered, build->edges.words, j + 1))
        ls_schedule_report_add(
            build->report, LS_FINDING_EXCLUSIVE, systems[i].system->name, systems[j].system->name,
            "exclusive systems \"%s\" and \"%s\" share a slot and have no order; give "
            "them one",
            systems[i].system->name, systems[j].system->name);
}

/* Notes the systems in earlier findings: such a finding may be the reason that an order is
 * missing. */
static void note_doubtful(const ls_build *build)
{
    const ls_schedule_report *report = build->report;
    for (uint32_t i = 0; i < report->count; i++) {
        const char *names[] = {report->findings[i].one, report->findings[i].other};
        for (uint32_t j = 0; j < LS_COUNT_OF(names); j++) {
            const uint64_t *some = names[j] ? ls_name_table_find(&build->names, names[j]) : NULL;
            if (some)
                ls_bits_or(build->doubtful, some, build->edges.words);
        }
    }
}

void ls_ambiguities_find(ls_build *build)
{
    ls_program *program = build->program;
    ls_graph independent;
    build->doubtful = ls_alloc(sizeof *build->doubtful * build->names.words);
    note_doubtful(build);
    ls_graph_init(&independent, program->system_count);
    find_independence(build, &independent);
    uint64_t *unordered = ls_alloc(sizeof *unordered * build->edges.words);
    uint64_t *spawners = ls_alloc(sizeof *spawners * build->edges.words);
    for (uint32_t i = 0; i < program->system_count; i++) {
        if (program->systems[i].lane_count)
            ls_bit_set(spawners, i);
    }
    for (uint32_t i = 0; i < program->system_count; i++) {
        if (!ls_stages_has_place(program, program->systems[i].system))
            continue;
        bool needs_all = program->systems[i].system->slot != LS_PARALLEL ||
                         program->systems[i].lane_count || program->sim->is_strict;
        find_unordered(build, i, needs_all ? NULL : spawners, unordered);
        if (program->systems[i].system->slot != LS_PARALLEL) {
            check_exclusive(build, i, unordered);
            continue;
        }
        for (uint32_t j = ls_bits_next(unordered, build->edges.words, 0); j < build->edges.count;
             j = ls_bits_next(unordered, build->edges.words, j + 1)) {
            if (ls_phases_exclude(program, i, j))
                continue;
            if (ls_graph_has(&build->conflicts, i, j) && !is_reported_by_par(build, i, j))
                check_pair(build, &independent, i, j);
            if (program->sim->is_strict)
                check_commands(build, i, j);
            note_unsettled(build, i, j);
            note_unsettled(build, j, i);
        }
    }
    ls_free(build->doubtful);
    ls_free(unordered);
    ls_free(spawners);
    ls_graph_reset(&independent);
}
