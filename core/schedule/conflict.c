#include "core/schedule/conflict.h"

#include "core/schedule/incompatibilities.h"

#include <stdio.h>
#include <string.h>

static bool is_one_operation(uint32_t values)
{
    return values && !(values & (values - 1));
}

/* All kinds of access to a column that can make an order necessary. */
enum {
    ORDERED_TOUCHES =
        LS_TOUCH_PRESENCE | LS_TOUCH_READ | LS_TOUCH_WRITE | LS_TOUCH_STRUCTURE | LS_TOUCH_VALUES
};

static uint32_t ordered_touches(const ls_plan_system *plan, uint32_t column)
{
    return plan->touches[column] & (uint32_t)ORDERED_TOUCHES;
}

/* The conflict matrix for two kinds of access to one column. */
static bool column_conflicts(uint32_t a, uint32_t b)
{
    if (!a || !b)
        return false;
    if ((a | b) & LS_TOUCH_STRUCTURE)
        return true;
    uint32_t values_a = a & LS_TOUCH_VALUES, values_b = b & LS_TOUCH_VALUES;
    bool uses_a = a & (LS_TOUCH_READ | LS_TOUCH_WRITE);
    bool uses_b = b & (LS_TOUCH_READ | LS_TOUCH_WRITE);
    if ((values_a && uses_b) || (values_b && uses_a))
        return true;
    if (values_a && values_b)
        return values_a != values_b || !is_one_operation(values_a);
    return uses_a && uses_b && ((a | b) & LS_TOUCH_WRITE);
}

bool ls_touches_conflict(uint32_t one, uint32_t other)
{
    return column_conflicts(one & (uint32_t)ORDERED_TOUCHES, other & (uint32_t)ORDERED_TOUCHES);
}

/* Adds the conflicts on one column. Systems with the same access to the column have the same
 * conflicts there, so the matrix is evaluated once for each pair of accesses. `users` has one set
 * of systems for each access; all are empty before and after the call. */
static void find_on_column(const ls_program *program, uint32_t column, ls_graph *conflicts,
                           uint64_t *users)
{
    uint32_t uses[ORDERED_TOUCHES], use_count = 0, words = conflicts->words;
    for (uint32_t i = 0; i < program->system_count; i++) {
        uint32_t touches = ordered_touches(&program->systems[i], column);
        uint64_t *same = users + (size_t)touches * words;
        if (touches && ls_bits_next(same, words, 0) == words * 64)
            uses[use_count++] = touches;
        ls_bit_set(same, i);
    }
    for (uint32_t i = 0; i < program->system_count; i++) {
        uint32_t touches = ordered_touches(&program->systems[i], column);
        for (uint32_t use = 0; use < use_count; use++) {
            if (column_conflicts(touches, uses[use]))
                ls_bits_or(ls_graph_row(conflicts, i), users + (size_t)uses[use] * words, words);
        }
    }
    memset(users, 0, sizeof *users * words);
    for (uint32_t use = 0; use < use_count; use++)
        memset(users + (size_t)uses[use] * words, 0, sizeof *users * words);
}

static void find_on_events(const ls_program *program, ls_graph *conflicts, uint64_t *memory)
{
    uint64_t *senders = memory, *receivers = memory + conflicts->words;
    for (uint32_t event = 0; event < program->event_count; event++) {
        memset(memory, 0, sizeof *memory * 2 * conflicts->words);
        for (uint32_t i = 0; i < program->system_count; i++) {
            if (program->systems[i].sends >> event & 1)
                ls_bit_set(senders, i);
            if (program->systems[i].receives >> event & 1)
                ls_bit_set(receivers, i);
        }
        for (uint32_t i = 0; i < program->system_count; i++) {
            if (ls_bit_has(senders, i))
                ls_bits_or(ls_graph_row(conflicts, i), receivers, conflicts->words);
            if (ls_bit_has(receivers, i))
                ls_bits_or(ls_graph_row(conflicts, i), senders, conflicts->words);
        }
    }
}

static void find_on_lanes(const ls_program *program, ls_graph *conflicts, uint64_t *memory)
{
    uint64_t *spawners = memory, *watchers = memory + conflicts->words,
             *some = memory + 2 * (size_t)conflicts->words;
    memset(memory, 0, sizeof *memory * 2 * conflicts->words);
    for (uint32_t i = 0; i < program->system_count; i++) {
        if (program->systems[i].lane_count)
            ls_bit_set(spawners, i);
        if (program->systems[i].all_matching)
            ls_bit_set(watchers, i);
    }
    for (uint32_t lane = 0; lane < program->lane_count; lane++) {
        memset(some, 0, sizeof *some * conflicts->words);
        for (uint32_t i = ls_bits_next(spawners, conflicts->words, 0); i < conflicts->count;
             i = ls_bits_next(spawners, conflicts->words, i + 1)) {
            if (ls_plan_spawns_into(&program->systems[i], lane))
                ls_bit_set(some, i);
        }
        for (uint32_t i = ls_bits_next(some, conflicts->words, 0); i < conflicts->count;
             i = ls_bits_next(some, conflicts->words, i + 1))
            ls_bits_or(ls_graph_row(conflicts, i), some, conflicts->words);
    }
    for (uint32_t i = 0; i < program->system_count; i++) {
        if (ls_bit_has(spawners, i))
            ls_bits_or(ls_graph_row(conflicts, i), watchers, conflicts->words);
        if (ls_bit_has(watchers, i))
            ls_bits_or(ls_graph_row(conflicts, i), spawners, conflicts->words);
    }
}

void ls_conflicts_find(const ls_program *program, ls_graph *conflicts)
{
    uint64_t *memory = ls_alloc(sizeof *memory * (ORDERED_TOUCHES + 1) * conflicts->words);
    for (uint32_t column = 0; column < program->column_count; column++)
        find_on_column(program, column, conflicts, memory);
    find_on_events(program, conflicts, memory);
    find_on_lanes(program, conflicts, memory);
    for (uint32_t i = 0; i < conflicts->count; i++)
        ls_bit_clear(ls_graph_row(conflicts, i), i);
    ls_free(memory);
}

static bool is_filter(const ls_plan_term *term, ls_match_kind kind)
{
    return term->query == 0 && term->kind == kind;
}

/* Whether no entity matches both terms, of query 0 of two systems: one requires a component that
 * the other excludes, or both require two incompatible ones. */
static bool are_exclusive(const ls_program *program, const ls_plan_term *a, const ls_plan_term *b)
{
    if (is_filter(a, LS_INCLUDE) && is_filter(b, LS_INCLUDE))
        return ls_columns_are_incompatible(program, a->column, b->column);
    return a->column == b->column && ((is_filter(a, LS_INCLUDE) && is_filter(b, LS_EXCLUDE)) ||
                                      (is_filter(a, LS_EXCLUDE) && is_filter(b, LS_INCLUDE)));
}

static bool attaches(const ls_plan_system *plan, const uint32_t columns[2])
{
    return (plan->touches[columns[0]] | plan->touches[columns[1]]) & LS_TOUCH_STRUCTURE;
}

bool ls_conflict_filter(const ls_program *program, const ls_plan_system *a, const ls_plan_system *b,
                        uint32_t column, uint32_t filters[2])
{
    if ((a->touches[column] | b->touches[column]) & LS_TOUCH_OTHERS)
        return false;
    for (uint32_t i = 0; i < a->term_count * b->term_count; i++) {
        const ls_plan_term *one = &a->terms[i / b->term_count];
        const ls_plan_term *other = &b->terms[i % b->term_count];
        if (!are_exclusive(program, one, other))
            continue;
        filters[0] = one->column;
        filters[1] = other->column;
        if (!attaches(a, filters) && !attaches(b, filters))
            return true;
    }
    return false;
}

/* Finds the lanes that a query is limited to; false when it is not limited. */
static bool find_lanes(const ls_plan_system *plan, uint32_t query,
                       uint64_t lanes[LS_LANES_MAX / 64])
{
    bool is_limited = false;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        if (plan->terms[i].kind != LS_LANE || plan->terms[i].query != query)
            continue;
        ls_bit_set(lanes, plan->terms[i].column);
        is_limited = true;
    }
    return is_limited;
}

bool ls_conflict_lanes_differ(const ls_plan_system *a, const ls_plan_system *b, uint32_t column)
{
    uint64_t one[LS_LANES_MAX / 64] = {0}, other[LS_LANES_MAX / 64] = {0}, both = 0;
    if ((a->settled_touches[column] | b->settled_touches[column]) & LS_TOUCH_OTHERS)
        return false;
    if (!find_lanes(a, 0, one) || !find_lanes(b, 0, other))
        return false;
    for (uint32_t i = 0; i < LS_COUNT_OF(one); i++)
        both |= one[i] & other[i];
    return !both;
}

/* Whether LS_IN_LANE limits the query to lanes that `spawner` does not spawn into. */
static bool is_past_lanes(const ls_plan_system *spawner, const ls_plan_system *plan, uint32_t query)
{
    uint64_t lanes[LS_LANES_MAX / 64] = {0};
    bool is_past = find_lanes(plan, query, lanes);
    for (uint32_t i = 0; i < spawner->lane_count; i++)
        is_past &= !ls_bit_has(lanes, spawner->lanes[i]);
    return is_past;
}

/* Whether what `a` spawns cannot meet the accesses of `b` to the column. An entity that one of two
 * unordered systems spawns is dead to the other's handles, so only a query, grid or join could find
 * it. Query 0 cannot find it either if LS_IN_LANE limits the query to other lanes. */
static bool spawns_past(const ls_plan_system *a, const ls_plan_system *b, uint32_t column)
{
    uint32_t found = b->settled_touches[column];
    return !ls_bit_has(a->spawn_columns, column) || !(found & LS_TOUCH_FINDS) ||
           (!(found & LS_TOUCH_OTHERS) && is_past_lanes(a, b, 0));
}

/* Whether the two never access the same entity in the column, although their touches conflict. They
 * do not conflict on older entities, or access these in different lanes; and neither can reach an
 * entity that the other spawns. Spawns into one lane are a conflict of their own. */
static bool are_entities_apart(const ls_plan_system *a, const ls_plan_system *b, uint32_t column)
{
    if (a->step || b->step) /* a step has the accesses of all members */
        return false;
    uint32_t kept = (uint32_t)ORDERED_TOUCHES;
    return (!column_conflicts(a->settled_touches[column] & kept,
                              b->settled_touches[column] & kept) ||
            ls_conflict_lanes_differ(a, b, column)) &&
           spawns_past(a, b, column) && spawns_past(b, a, column);
}

/* Whether a query of `b` matches every living entity of a lane that `a` spawns into. */
static bool spawns_into_matches(const ls_plan_system *a, const ls_plan_system *b)
{
    bool does = false;
    for (uint32_t query = 0; a->lane_count && query < LS_QUERIES_MAX; query++)
        does |= b->all_matching >> query & 1 && !is_past_lanes(a, b, query);
    return does;
}

bool ls_conflict_ends_at_lanes(const ls_plan_system *spawner, const ls_plan_system *finder,
                               const ls_conflict *conflict)
{
    const uint32_t kept = (uint32_t)ORDERED_TOUCHES, column = conflict->index;
    if (spawner->step || finder->step)
        return false;
    if (conflict->kind == LS_CONFLICT_LIVENESS)
        return finder->all_matching == 1 && !spawns_into_matches(finder, spawner);
    return conflict->kind == LS_CONFLICT_COLUMN &&
           !(finder->settled_touches[column] & LS_TOUCH_OTHERS) &&
           !column_conflicts(spawner->settled_touches[column] & kept,
                             finder->settled_touches[column] & kept) &&
           spawns_past(finder, spawner, column);
}

uint32_t ls_conflict_lane_past(const ls_program *program, const ls_plan_system *spawner,
                               const ls_plan_system *finder)
{
    uint64_t lanes[LS_LANES_MAX / 64] = {0};
    bool is_limited = find_lanes(finder, 0, lanes);
    for (uint32_t lane = 0; lane < program->lane_count; lane++) {
        if ((!is_limited || ls_bit_has(lanes, lane)) && !ls_plan_spawns_into(spawner, lane))
            return lane;
    }
    return UINT32_MAX;
}

/* Whether the two conflict at `conflict`, which is one of the kinds and indexes that
 * ls_conflict_next() tries one after another. */
static bool conflicts_at(const ls_program *program, const ls_plan_system *a,
                         const ls_plan_system *b, const ls_conflict *conflict)
{
    uint32_t i = conflict->index, filters[2];
    switch (conflict->kind) {
    case LS_CONFLICT_COLUMN:
        return column_conflicts(ordered_touches(a, i), ordered_touches(b, i)) &&
               !are_entities_apart(a, b, i) && !ls_conflict_filter(program, a, b, i, filters);
    case LS_CONFLICT_EVENT:
        return ((a->sends & b->receives) | (a->receives & b->sends)) >> i & 1;
    case LS_CONFLICT_LANE:
        for (uint32_t j = 0; j < a->lane_count * b->lane_count; j++) {
            if (a->lanes[j / b->lane_count] == i && b->lanes[j % b->lane_count] == i)
                return true;
        }
        return false;
    default:
        return spawns_into_matches(a, b) || spawns_into_matches(b, a);
    }
}

bool ls_conflict_next(const ls_program *program, const ls_plan_system *a, const ls_plan_system *b,
                      uint32_t *at, ls_conflict *conflict)
{
    const uint32_t ends[] = {program->column_count, program->event_count, program->lane_count, 1};
    uint32_t begin = 0;
    for (uint32_t kind = 0; kind < LS_COUNT_OF(ends); begin += ends[kind++]) {
        for (; *at < begin + ends[kind]; ++*at) {
            *conflict = (ls_conflict){(ls_conflict_kind)kind, *at - begin};
            if (conflicts_at(program, a, b, conflict)) {
                ++*at;
                return true;
            }
        }
    }
    return false;
}

/* Words for the access of a system to a column, strongest first. verb_of() has the word for spawns.
 */
static const struct {
    uint32_t touch;
    const char *verb;
} uses[] = {
    {LS_TOUCH_STRUCTURE, "attaches or detaches"},
    {LS_TOUCH_WRITE, "writes"},
    {LS_TOUCH_ADD, "adds to"},
    {LS_TOUCH_MIN, "takes the minimum of"},
    {LS_TOUCH_MAX, "takes the maximum of"},
    {LS_TOUCH_OR, "accumulates bits of"},
    {LS_TOUCH_ARG_MIN, "takes the least value of"},
    {LS_TOUCH_ARG_MAX, "takes the greatest value of"},
    {LS_TOUCH_COMBINE, "combines into"},
    {LS_TOUCH_READ, "reads"},
    {LS_TOUCH_PRESENCE, "asks for the presence of"},
};

/* The verb of uses[use]; "spawns with" if the system attaches the component only to entities that
 * it spawns itself. */
static const char *verb_of(const ls_plan_system *plan, uint32_t column, uint32_t use)
{
    bool is_settled = plan->settled_touches[column] & LS_TOUCH_STRUCTURE;
    return uses[use].touch == LS_TOUCH_STRUCTURE && !is_settled &&
                   ls_bit_has(plan->spawn_columns, column)
               ? "spawns with"
               : uses[use].verb;
}

/* Finds the strongest two accesses that need an order. Equal operations need none: if both systems
 * add, for example, the two accesses are the addition of one and a read of the other. */
static void find_verbs(const ls_plan_system *a, const ls_plan_system *b, uint32_t column,
                       const char *verbs[2])
{
    uint32_t first = ordered_touches(a, column), second = ordered_touches(b, column);
    for (uint32_t i = 0; i < LS_COUNT_OF(uses); i++) {
        for (uint32_t j = 0; first & uses[i].touch && j < LS_COUNT_OF(uses); j++) {
            if (!(second & uses[j].touch) || !column_conflicts(uses[i].touch, uses[j].touch))
                continue;
            verbs[0] = verb_of(a, column, i);
            verbs[1] = verb_of(b, column, j);
            return;
        }
    }
}

const ls_plan_system *ls_conflict_third(const ls_program *program, const ls_plan_par *par,
                                        uint32_t one, uint32_t other, uint32_t column,
                                        const char **verb)
{
    const ls_plan_system *all = program->systems;
    if (column_conflicts(ordered_touches(&all[one], column), ordered_touches(&all[other], column)))
        return NULL;
    for (uint32_t i = 0; i < program->system_count; i++) {
        if (all[i].step ||
            !column_conflicts(ordered_touches(&all[one], column), ordered_touches(&all[i], column)))
            continue;
        if (!ls_par_separates(par, i, one) && !ls_par_separates(par, i, other))
            continue;
        const char *verbs[2] = {"uses", "uses"};
        find_verbs(&all[one], &all[i], column, verbs);
        *verb = verbs[1];
        return &all[i];
    }
    return NULL;
}

void ls_conflict_print(const ls_program *program, const ls_plan_system *a, const ls_plan_system *b,
                       const ls_conflict *conflict, char *text, size_t bytes)
{
    uint32_t i = conflict->index;
    const char *verbs[2] = {"uses", "uses"};
    switch (conflict->kind) {
    case LS_CONFLICT_COLUMN:
        find_verbs(a, b, i, verbs);
        snprintf(text, bytes, "the first %s and the second %s \"%s\"", verbs[0], verbs[1],
                 program->components[i]->name);
        return;
    case LS_CONFLICT_EVENT:
        snprintf(text, bytes, "the %s sends and the %s receives \"%s\"",
                 a->sends >> i & 1 ? "first" : "second", a->sends >> i & 1 ? "second" : "first",
                 program->events[i]->name);
        return;
    case LS_CONFLICT_LANE:
        snprintf(text, bytes, "both spawn into lane \"%s\"", program->lanes[i]);
        return;
    default:
        snprintf(text, bytes, "one spawns and the other matches every living entity");
    }
}
