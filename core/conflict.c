#include "core/conflict.h"

#include <stdio.h>
#include <string.h>

enum { OPERATIONS = 4 };

/* Who does what with one column. */
struct column_users {
    uint64_t *any, *uses, *writes, *structure, *values, *alone[OPERATIONS];
};
enum { SETS = 5 + OPERATIONS };

static bool is_one_operation(uint32_t values)
{
    return values && !(values & (values - 1));
}

static uint32_t operation_of(uint32_t values)
{
    return (uint32_t)__builtin_ctz(values) - (uint32_t)__builtin_ctz(LS_TOUCH_ADD);
}

static void make_users(struct column_users *users, uint64_t *memory, uint32_t words)
{
    uint64_t **sets[SETS] = {&users->any,       &users->uses,     &users->writes,
                             &users->structure, &users->values,   &users->alone[0],
                             &users->alone[1],  &users->alone[2], &users->alone[3]};
    memset(memory, 0, sizeof *memory * SETS * words);
    for (uint32_t i = 0; i < SETS; i++)
        *sets[i] = memory + (size_t)i * words;
}

static void note_user(struct column_users *users, uint32_t touches, uint32_t system)
{
    ls_bit_set(users->any, system);
    if (touches & (LS_TOUCH_READ | LS_TOUCH_WRITE))
        ls_bit_set(users->uses, system);
    if (touches & LS_TOUCH_WRITE)
        ls_bit_set(users->writes, system);
    if (touches & LS_TOUCH_STRUCTURE)
        ls_bit_set(users->structure, system);
    if (touches & LS_TOUCH_VALUES)
        ls_bit_set(users->values, system);
    if (is_one_operation(touches & LS_TOUCH_VALUES))
        ls_bit_set(users->alone[operation_of(touches & LS_TOUCH_VALUES)], system);
}

static uint32_t ordered_touches(const ls_plan_system *plan, uint32_t column)
{
    return plan->touches[column] & ~(uint32_t)(LS_TOUCH_COMMAND | LS_TOUCH_OTHERS);
}

/* The row of the matrix for one system and one column. */
static void add_opponents(const struct column_users *users, uint32_t touches, uint64_t *row,
                          uint32_t words)
{
    uint32_t values = touches & LS_TOUCH_VALUES;
    if (touches & LS_TOUCH_STRUCTURE) {
        ls_bits_or(row, users->any, words);
        return;
    }
    ls_bits_or(row, users->structure, words);
    if (touches & LS_TOUCH_READ)
        ls_bits_or(row, users->writes, words);
    if (touches & LS_TOUCH_WRITE)
        ls_bits_or(row, users->uses, words);
    if (touches & (LS_TOUCH_READ | LS_TOUCH_WRITE))
        ls_bits_or(row, users->values, words);
    if (!values)
        return;
    ls_bits_or(row, users->uses, words);
    /* One operation commutes with itself; a system that has two of them with nobody. */
    const uint64_t *friends = is_one_operation(values) ? users->alone[operation_of(values)] : NULL;
    for (uint32_t i = 0; i < words; i++)
        row[i] |= users->values[i] & ~(friends ? friends[i] : 0);
}

static void find_on_columns(const ls_program *program, ls_graph *conflicts, uint64_t *memory)
{
    for (uint32_t column = 0; column < program->column_count; column++) {
        struct column_users users;
        make_users(&users, memory, conflicts->words);
        for (uint32_t i = 0; i < program->system_count; i++) {
            uint32_t touches = ordered_touches(&program->systems[i], column);
            if (touches)
                note_user(&users, touches, i);
        }
        for (uint32_t i = ls_bits_next(users.any, conflicts->words, 0); i < conflicts->count;
             i = ls_bits_next(users.any, conflicts->words, i + 1))
            add_opponents(&users, ordered_touches(&program->systems[i], column),
                          ls_graph_row(conflicts, i), conflicts->words);
    }
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
        if (program->systems[i].reads_liveness)
            ls_bit_set(watchers, i);
    }
    for (uint32_t lane = 0; lane < program->lane_count; lane++) {
        memset(some, 0, sizeof *some * conflicts->words);
        for (uint32_t i = ls_bits_next(spawners, conflicts->words, 0); i < conflicts->count;
             i = ls_bits_next(spawners, conflicts->words, i + 1)) {
            for (uint32_t j = 0; j < program->systems[i].lane_count; j++) {
                if (program->systems[i].lanes[j] == lane)
                    ls_bit_set(some, i);
            }
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
    uint64_t *memory = ls_alloc(sizeof *memory * SETS * conflicts->words);
    find_on_columns(program, conflicts, memory);
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

static bool excludes_what_is_required(const ls_plan_system *a, const ls_plan_system *b)
{
    for (uint32_t i = 0; i < a->term_count; i++) {
        uint32_t column = a->terms[i].column;
        if (!is_filter(&a->terms[i], LS_INCLUDE) ||
            ((a->touches[column] | b->touches[column]) & LS_TOUCH_STRUCTURE))
            continue;
        for (uint32_t j = 0; j < b->term_count; j++) {
            if (is_filter(&b->terms[j], LS_EXCLUDE) && b->terms[j].column == column)
                return true;
        }
    }
    return false;
}

bool ls_conflict_is_filtered(const ls_program *program, const ls_plan_system *a,
                             const ls_plan_system *b, uint32_t column)
{
    (void)program;
    return !((a->touches[column] | b->touches[column]) & LS_TOUCH_OTHERS) &&
           (excludes_what_is_required(a, b) || excludes_what_is_required(b, a));
}

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

/* One kind after the other, each with its indices; `at` counts through all of them. */
static bool conflicts_at(const ls_program *program, const ls_plan_system *a,
                         const ls_plan_system *b, const ls_conflict *conflict)
{
    uint32_t i = conflict->index;
    switch (conflict->kind) {
    case LS_CONFLICT_COLUMN:
        return column_conflicts(ordered_touches(a, i), ordered_touches(b, i)) &&
               !ls_conflict_is_filtered(program, a, b, i);
    case LS_CONFLICT_EVENT:
        return ((a->sends & b->receives) | (a->receives & b->sends)) >> i & 1;
    case LS_CONFLICT_LANE:
        for (uint32_t j = 0; j < a->lane_count * b->lane_count; j++) {
            if (a->lanes[j / b->lane_count] == i && b->lanes[j % b->lane_count] == i)
                return true;
        }
        return false;
    default:
        return (a->lane_count && b->reads_liveness) || (b->lane_count && a->reads_liveness);
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

/* The strongest of what a system does, for people. */
static const char *touch_verb(uint32_t touches)
{
    if (touches & LS_TOUCH_STRUCTURE)
        return "attaches or detaches";
    if (touches & LS_TOUCH_WRITE)
        return "writes";
    if (touches & LS_TOUCH_VALUES) {
        if (!is_one_operation(touches & LS_TOUCH_VALUES))
            return "accumulates in several ways";
        return touches & LS_TOUCH_ADD   ? "adds to"
               : touches & LS_TOUCH_MIN ? "takes the minimum of"
               : touches & LS_TOUCH_MAX ? "takes the maximum of"
                                        : "accumulates bits of";
    }
    return touches & LS_TOUCH_READ ? "reads" : "asks for the presence of";
}

void ls_conflict_print(const ls_program *program, const ls_plan_system *a, const ls_plan_system *b,
                       const ls_conflict *conflict, char *text, size_t bytes)
{
    uint32_t i = conflict->index;
    switch (conflict->kind) {
    case LS_CONFLICT_COLUMN:
        snprintf(text, bytes, "the first %s and the second %s \"%s\"", touch_verb(a->touches[i]),
                 touch_verb(b->touches[i]), program->components[i]->name);
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
