/* Order and ambiguity: names to edges, a topological order whose ties are broken by name,
 * reachability as bitsets, and the refusal of every pair whose order would be left to timing.
 *   source  docs/design.md section 5 */
#include "core/program_internal.h"

#include <stdio.h>
#include <string.h>

/* A growing report of all findings; what does not fit is counted. */
struct report {
    ls_error *error;
    size_t used;
    uint32_t findings;
    uint32_t omitted;
};

static void add_finding(struct report *report, const char *text)
{
    size_t room = LS_ERROR_TEXT_BYTES - 40 - report->used;
    size_t length = strlen(text) + 3; /* with what joins and ends it */
    report->findings++;
    if (!report->error)
        return;
    if (length > room) {
        report->omitted++;
        return;
    }
    report->used += (size_t)snprintf(report->error->text + report->used, room, "%s%s",
                                     report->used ? "; " : "", text);
}

static ls_status close_report(struct report *report, ls_status status)
{
    if (report->error && report->omitted)
        snprintf(report->error->text + report->used, 40, "; and %u more", report->omitted);
    return report->findings ? status : LS_OK;
}

/* While building: edges as a bit matrix over the systems in order of name. */
struct graph {
    uint32_t count, words;
    uint64_t *after; /* bit [system * words + earlier system / 64] */
    uint32_t *order; /* position -> system */
};

static bool has_bit(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static void set_bit(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= (uint64_t)1 << (i % 64);
}

static bool answers_to(const ls_system *system, const char *name)
{
    if (strcmp(system->name, name) == 0)
        return true;
    for (uint32_t i = 0; i < LS_SYSTEM_NAMES_MAX && system->labels[i]; i++) {
        if (strcmp(system->labels[i], name) == 0)
            return true;
    }
    return false;
}

static void add_edges(const ls_program *program, struct graph *graph, uint32_t system,
                      const char *const *names, bool is_after, struct report *report)
{
    for (uint32_t i = 0; i < LS_SYSTEM_NAMES_MAX && names[i]; i++) {
        bool is_known = false;
        for (uint32_t other = 0; other < graph->count; other++) {
            if (!answers_to(program->systems[other].system, names[i]))
                continue;
            is_known = true;
            uint32_t later = is_after ? system : other;
            uint32_t earlier = is_after ? other : system;
            /* A system may come after the label that it carries itself. */
            if (later != earlier || strcmp(program->systems[other].system->name, names[i]) == 0)
                set_bit(graph->after + (size_t)later * graph->words, earlier);
        }
        if (!is_known) {
            char text[256];
            snprintf(text, sizeof text,
                     "system \"%s\" is to run %s \"%s\", but no system has that "
                     "name or label",
                     program->systems[system].system->name, is_after ? "after" : "before",
                     names[i]);
            add_finding(report, text);
        }
    }
}

/* Follows predecessors that are not placed yet until a system comes up twice. */
static void report_cycle(const ls_program *program, const struct graph *graph, const bool *placed,
                         struct report *report)
{
    uint32_t *path = ls_alloc(sizeof *path * (graph->count + 1));
    uint32_t *seen = ls_alloc(sizeof *seen * graph->count); /* 1 + index in the path */
    uint32_t at = 0, length = 0;
    while (placed[at])
        at++;
    while (!seen[at]) {
        path[length++] = at;
        seen[at] = length;
        uint32_t next = 0;
        while (placed[next] || !has_bit(graph->after + (size_t)at * graph->words, next))
            next++;
        at = next;
    }
    char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "the order has a cycle: \"%s\"",
                                   program->systems[at].system->name);
    for (uint32_t i = length; i-- >= seen[at] && used < sizeof text - 80;)
        used += (size_t)snprintf(text + used, sizeof text - used, " before \"%.60s\"",
                                 program->systems[path[i]].system->name);
    add_finding(report, text);
    ls_free(seen);
    ls_free(path);
}

static bool place_all(const ls_program *program, struct graph *graph, struct report *report)
{
    bool *placed = ls_alloc(graph->count);
    uint32_t count = 0;
    for (bool moved = true; moved && count < graph->count;) {
        moved = false;
        for (uint32_t i = 0; i < graph->count && !moved; i++) {
            bool is_ready = !placed[i];
            for (uint32_t j = 0; is_ready && j < graph->count; j++)
                is_ready = placed[j] || !has_bit(graph->after + (size_t)i * graph->words, j);
            if (is_ready) {
                placed[i] = moved = true;
                graph->order[count++] = i;
            }
        }
    }
    if (count < graph->count)
        report_cycle(program, graph, placed, report);
    ls_free(placed);
    return count == graph->count;
}

/* The strongest of what a system does, for people. */
static const char *touch_verb(uint32_t touches)
{
    if (touches & LS_TOUCH_STRUCTURE)
        return "attaches or detaches";
    if (touches & LS_TOUCH_WRITE)
        return "writes";
    if (touches & LS_TOUCH_VALUES) {
        bool is_one = !(touches & LS_TOUCH_VALUES & ((touches & LS_TOUCH_VALUES) - 1));
        if (!is_one)
            return "accumulates in several ways";
        return touches & LS_TOUCH_ADD   ? "adds to"
               : touches & LS_TOUCH_MIN ? "takes the minimum of"
               : touches & LS_TOUCH_MAX ? "takes the maximum of"
                                        : "accumulates bits of";
    }
    return touches & LS_TOUCH_READ ? "reads" : "asks for the presence of";
}

static bool column_conflicts(uint32_t a, uint32_t b)
{
    a &= ~(uint32_t)LS_TOUCH_COMMAND;
    b &= ~(uint32_t)LS_TOUCH_COMMAND;
    if (!a || !b)
        return false;
    if ((a | b) & LS_TOUCH_STRUCTURE)
        return true;
    uint32_t values_a = a & LS_TOUCH_VALUES, values_b = b & LS_TOUCH_VALUES;
    bool uses_a = a & (LS_TOUCH_READ | LS_TOUCH_WRITE),
         uses_b = b & (LS_TOUCH_READ | LS_TOUCH_WRITE);
    if ((values_a && uses_b) || (values_b && uses_a))
        return true;
    /* One operation commutes with itself; two systems that each have both do not. */
    if (values_a && values_b)
        return values_a != values_b || (values_a & (values_a - 1));
    return uses_a && uses_b && ((a | b) & LS_TOUCH_WRITE);
}

static void report_pair(const ls_plan_system *a, const ls_plan_system *b, const char *conflict,
                        struct report *report)
{
    char text[512];
    snprintf(text, sizeof text,
             "systems \"%s\" and \"%s\" have no order, but %s (settle it with .after = {\"%s\"} in "
             "\"%s\", or the other way round)",
             a->system->name, b->system->name, conflict, a->system->name, b->system->name);
    add_finding(report, text);
}

static void find_conflicts(const ls_program *program, const ls_plan_system *a,
                           const ls_plan_system *b, struct report *report)
{
    char text[256];
    for (uint32_t column = 0; column < program->column_count; column++) {
        if (!column_conflicts(a->touches[column], b->touches[column]))
            continue;
        snprintf(text, sizeof text, "the first %s and the second %s \"%s\"",
                 touch_verb(a->touches[column]), touch_verb(b->touches[column]),
                 program->components[column]->name);
        report_pair(a, b, text, report);
        return;
    }
    uint64_t events = (a->sends & b->receives) | (a->receives & b->sends);
    if (events) {
        uint32_t event = (uint32_t)__builtin_ctzll(events);
        bool is_first = a->sends >> event & 1;
        snprintf(text, sizeof text, "the %s sends and the %s receives \"%s\"",
                 is_first ? "first" : "second", is_first ? "second" : "first",
                 program->events[event]->name);
        report_pair(a, b, text, report);
        return;
    }
    for (uint32_t i = 0; i < a->lane_count; i++) {
        for (uint32_t j = 0; j < b->lane_count; j++) {
            if (a->lanes[i] != b->lanes[j])
                continue;
            snprintf(text, sizeof text, "both spawn into lane \"%s\"", program->lanes[a->lanes[i]]);
            report_pair(a, b, text, report);
            return;
        }
    }
    if ((a->lane_count && b->reads_liveness) || (b->lane_count && a->reads_liveness))
        report_pair(a, b, "one spawns and the other matches every living entity", report);
}

static bool spawns_into(const ls_plan_system *system, uint32_t lane)
{
    for (uint32_t i = 0; i < system->lane_count; i++) {
        if (system->lanes[i] == lane)
            return true;
    }
    return false;
}

/* Of a lane's newborns a system sees all or none. `spawner` has no order with `system`, so they are
 * none, and no other spawner of the lane may come before `system`. */
static void note_unsettled(ls_program *program, uint32_t system, uint32_t spawner,
                           struct report *report)
{
    ls_plan_system *plan = &program->systems[system];
    const ls_plan_system *other = &program->systems[spawner];
    for (uint32_t i = 0; i < other->lane_count; i++) {
        uint32_t lane = other->lanes[i];
        plan->unsettled_lanes[lane / 64] |= (uint64_t)1 << (lane % 64);
        plan->has_unsettled = true;
        for (uint32_t j = 0; j < program->system_count; j++) {
            if (!spawns_into(&program->systems[j], lane) ||
                !ls_program_is_ordered(program, j, system))
                continue;
            char text[256];
            snprintf(text, sizeof text,
                     "the second spawns into lane \"%.60s\" as \"%.60s\" before the first does",
                     program->lanes[lane], program->systems[j].system->name);
            report_pair(plan, other, text, report);
            return;
        }
    }
}

static void check_pairs(ls_program *program, struct report *report)
{
    for (uint32_t i = 0; i < program->system_count; i++) {
        for (uint32_t j = i + 1; j < program->system_count; j++) {
            if (ls_program_is_ordered(program, i, j))
                continue;
            find_conflicts(program, &program->systems[i], &program->systems[j], report);
            note_unsettled(program, i, j, report);
            note_unsettled(program, j, i, report);
        }
    }
}

/* Puts the systems into their order and turns edges into positions. */
static void commit_order(ls_program *program, const struct graph *graph)
{
    ls_plan_system *ordered = ls_alloc(sizeof *ordered * graph->count);
    for (uint32_t i = 0; i < graph->count; i++)
        ordered[i] = program->systems[graph->order[i]];
    program->reachable_words = graph->words;
    program->reachable = ls_alloc(sizeof(uint64_t) * graph->words * graph->count);
    for (uint32_t i = graph->count; i-- > 0;) {
        ls_plan_system *system = &ordered[i];
        system->successors = ls_alloc(sizeof(uint32_t) * graph->count);
        uint64_t *reach = program->reachable + (size_t)i * graph->words;
        for (uint32_t j = i + 1; j < graph->count; j++) {
            if (!has_bit(graph->after + (size_t)graph->order[j] * graph->words, graph->order[i]))
                continue;
            system->successors[system->successor_count++] = j;
            ordered[j].predecessor_count++;
            set_bit(reach, j);
            for (uint32_t word = 0; word < graph->words; word++)
                reach[word] |= program->reachable[(size_t)j * graph->words + word];
        }
    }
    ls_free(program->systems);
    program->systems = ordered;
}

static void sort_by_name(ls_plan_system *systems, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        ls_plan_system moved = systems[i];
        uint32_t at = i;
        for (; at > 0 && strcmp(systems[at - 1].system->name, moved.system->name) > 0; at--)
            systems[at] = systems[at - 1];
        systems[at] = moved;
    }
}

static void compare_keys(const ls_plan_system *a, const ls_plan_system *b, struct report *report)
{
    if (a->key != b->key)
        return;
    char text[256];
    if (strcmp(a->system->name, b->system->name) == 0)
        snprintf(text, sizeof text, "two systems are named \"%.100s\"; rename one",
                 a->system->name);
    else
        snprintf(text, sizeof text,
                 "the names \"%.80s\" and \"%.80s\" have one key; rename one of the systems",
                 a->system->name, b->system->name);
    add_finding(report, text);
}

/* The key of its name tells a system's random numbers from another's, the setup's included. */
static void find_duplicates(const ls_program *program, struct report *report)
{
    for (uint32_t i = 0; i < program->system_count; i++) {
        for (uint32_t j = 0; j < i; j++)
            compare_keys(&program->systems[j], &program->systems[i], report);
        if (program->has_setup)
            compare_keys(&program->systems[i], &program->setup, report);
    }
}

ls_status ls_schedule_build(ls_program *program, ls_error *error)
{
    struct report report = {.error = error};
    sort_by_name(program->systems, program->system_count);
    find_duplicates(program, &report);
    struct graph graph = {.count = program->system_count, .words = program->system_count / 64 + 1};
    graph.after = ls_alloc(sizeof(uint64_t) * graph.words * graph.count);
    graph.order = ls_alloc(sizeof(uint32_t) * graph.count);
    for (uint32_t i = 0; i < graph.count; i++) {
        add_edges(program, &graph, i, program->systems[i].system->after, true, &report);
        add_edges(program, &graph, i, program->systems[i].system->before, false, &report);
    }
    ls_status status = LS_ERROR_USAGE;
    if (!place_all(program, &graph, &report)) {
        status = LS_ERROR_REFUSED;
    } else if (report.findings == 0) {
        commit_order(program, &graph);
        status = LS_ERROR_REFUSED;
        check_pairs(program, &report);
    }
    ls_free(graph.after);
    ls_free(graph.order);
    return close_report(&report, status);
}

bool ls_program_is_ordered(const ls_program *program, uint32_t earlier, uint32_t later)
{
    return has_bit(program->reachable + (size_t)earlier * program->reachable_words, later);
}
