#include "tests/schedule/rules.h"

enum use { NONE, PRESENCE, READ, WRITE, STRUCTURE, VALUES, SEND, RECEIVE, SPAWN };

/* The use of a column that the access does not name. */
static enum use use_besides(const op *done, uint32_t column)
{
    if (!op_touches(done, column))
        return NONE;
    switch (done->kind) {
    case OP_ANY_OF:
    case OP_PAIR_REFERS:
        return PRESENCE;
    case OP_WRITES_WORLD:
        return column == COLUMN_S || column == COLUMN_G ? WRITE : STRUCTURE;
    default: /* a grid or join over A, the references to partners, the world */
        return READ;
    }
}

static enum use use_of(const op *done, uint32_t column)
{
    if (done->column != column || op_is_of_world((op_kind)done->kind) ||
        (done->kind == OP_GRID_VALUES && column == COLUMN_A))
        return use_besides(done, column);
    switch (done->kind) {
    case OP_ANY_OF:
    case OP_WITH:
    case OP_WITHOUT:
    case OP_MAYBE:
    case OP_PAIR_ALL:
    case OP_OTHERS_ASK:
    case OP_GRID_WITH:
        return PRESENCE;
    case OP_READ:
    case OP_MAYBE_READ:
    case OP_PAIR_READ:
    case OP_OTHERS_READ:
    case OP_START:
    case OP_GRID:
    case OP_JOIN:
    case OP_WALK:
    case OP_OBSERVE:
    case OP_CHANGED:
    case OP_ADDED:
    case OP_REMOVED:
    case OP_JOIN_COUNT:
    case OP_JOIN_START:
    case OP_JOIN_REFERENCE:
    case OP_GRID_START:
    case OP_GRID_NEAREST:
    case OP_GRID_VALUES:
    case OP_PAIR_JOINED:
    case OP_PAIR_REFERS:
    case OP_PARENTS_FIRST:
    case OP_STATE:
        return READ;
    case OP_WRITE:
    case OP_BUMP:
    case OP_OTHERS_WRITE:
    case OP_PARTNER:
    case OP_ENTER:
        return WRITE;
    case OP_ATTACH:
    case OP_DETACH:
    case OP_OTHERS_CHANGE:
    case OP_SPAWN_WITH:
        return STRUCTURE;
    case OP_ADD:
    case OP_MIN:
    case OP_MAX:
    case OP_OR:
    case OP_ARG_MIN:
    case OP_ARG_MAX:
    case OP_COMBINE:
        return VALUES;
    case OP_SEND:
        return SEND;
    case OP_RECEIVE:
        return RECEIVE;
    default:
        return NONE;
    }
}

/* The incompatible tag of which a system that attaches this one looks at the presence. */
static enum use implied_use(const actor *plan, const op *done, uint32_t column)
{
    bool is_tag = column == COLUMN_T || column == COLUMN_U;
    uint32_t other = column == COLUMN_T ? COLUMN_U : COLUMN_T;
    return plan->never_both && is_tag && use_of(done, other) == STRUCTURE ? PRESENCE : NONE;
}

static rule rule_of(enum use a, enum use b, bool is_one_operation)
{
    static const uint8_t rules[VALUES + 1][VALUES + 1] = {
        [PRESENCE][STRUCTURE] = 1 + RULE_PRESENCE_STRUCTURE,
        [READ][WRITE] = 1 + RULE_READ_WRITE,
        [READ][STRUCTURE] = 1 + RULE_READ_STRUCTURE,
        [READ][VALUES] = 1 + RULE_READ_VALUES,
        [WRITE][WRITE] = 1 + RULE_WRITE_WRITE,
        [WRITE][STRUCTURE] = 1 + RULE_WRITE_STRUCTURE,
        [WRITE][VALUES] = 1 + RULE_WRITE_VALUES,
        [STRUCTURE][STRUCTURE] = 1 + RULE_STRUCTURE_STRUCTURE,
        [STRUCTURE][VALUES] = 1 + RULE_STRUCTURE_VALUES,
        [VALUES][VALUES] = 1 + RULE_TWO_OPERATIONS,
    };
    enum use less = a < b ? a : b, more = a < b ? b : a;
    if (less == SEND && more == RECEIVE)
        return RULE_EVENT;
    if (more > VALUES || !rules[less][more] || (less == VALUES && is_one_operation))
        return RULE_COUNT;
    return (rule)(rules[less][more] - 1);
}

static void note(reasons *found, rule why, op_kind one, op_kind other)
{
    bool is_first = found->rules == 0;
    found->rules |= 1u << why;
    found->one = is_first ? (one < other ? one : other) : OP_COUNT;
    found->other = is_first ? (one < other ? other : one) : OP_COUNT;
}

/* The column that entities of query 0 have because of the access; COLUMN_COUNT: none. */
static uint32_t required(const op *done)
{
    switch (done->kind) {
    case OP_PARTNER:
        return COLUMN_P;
    case OP_PAIR_JOINED:
    case OP_PAIR_REFERS:
        return COLUMN_A;
    case OP_WITH:
    case OP_READ:
    case OP_WRITE:
    case OP_BUMP:
    case OP_DETACH:
    case OP_CHANGED:
    case OP_ADDED:
        return done->column;
    default:
        return COLUMN_COUNT;
    }
}

static bool requires(const op *done, uint32_t column)
{
    return required(done) == column;
}

/* The lane that query 0 is limited to; above LANES: none. */
static uint32_t lane_of(const actor *plan)
{
    uint32_t lane = LANES + 1;
    for (uint32_t i = 0; i < plan->op_count; i++)
        lane = plan->ops[i].kind == OP_IN_LANE ? plan->ops[i].column : lane;
    return lane;
}

static bool spawns_into(const actor *plan, uint32_t lane)
{
    bool does = false;
    for (uint32_t i = 0; i < plan->op_count; i++)
        does |= plan->ops[i].kind == OP_SPAWN && plan->ops[i].column == lane;
    return does;
}

/* Whether query 0 of `plan` finds nothing that the spawner spawns, because of its lane. */
static bool is_in_other_lane(const actor *spawner, const actor *plan)
{
    return lane_of(plan) <= LANES && !spawns_into(spawner, lane_of(plan));
}

/* The access by which a system matches all that lives, or one of two components, or reads the
 * world; OP_COUNT: it does none of these. With a spawner, only what matches where it spawns. */
static op_kind all_matched(const actor *plan, const actor *spawner)
{
    bool has_first = false, has_include = false, has_second = false, has_pair = false;
    op_kind choice = OP_PAIR_ALL;
    for (uint32_t i = 0; i < plan->op_count; i++) {
        op_kind kind = (op_kind)plan->ops[i].kind;
        bool is_driven = kind == OP_PAIR_JOINED || kind == OP_PAIR_REFERS;
        if (op_is_of_world(kind))
            return kind;
        choice = kind == OP_ANY_OF ? OP_ANY_OF : choice;
        has_first |= op_is_matched(kind) && kind != OP_PAIR_READ && kind != OP_PAIR_ALL;
        has_include |= required(&plan->ops[i]) != COLUMN_COUNT;
        has_second |= kind == OP_PAIR_ALL || kind == OP_PAIR_READ || is_driven;
        has_pair |= kind == OP_PAIR_READ || is_driven;
    }
    if (has_second && !has_pair)
        return OP_PAIR_ALL;
    bool is_past = spawner && is_in_other_lane(spawner, plan);
    return has_first && !has_include && !is_past ? choice : OP_COUNT;
}

static void note_spawns(const actor *a, const actor *b, reasons *found)
{
    for (uint32_t i = 0; i < a->op_count; i++) {
        if (a->ops[i].kind != OP_SPAWN)
            continue;
        if (all_matched(b, a) != OP_COUNT)
            note(found, RULE_LIVENESS, OP_SPAWN, all_matched(b, a));
        for (uint32_t j = 0; j < b->op_count && a < b; j++) {
            if (b->ops[j].kind == OP_SPAWN && b->ops[j].column == a->ops[i].column)
                note(found, RULE_LANE, OP_SPAWN, OP_SPAWN);
        }
    }
}

/* Access to entities whose handle the system has. An entity spawned by a system without an order
 * with it is dead to it. A query finds P, and P has the handle of the partner. */
static bool is_by_handle(const op *done, uint32_t column)
{
    op_kind kind = (op_kind)done->kind;
    return (kind >= OP_OTHERS_ASK && kind <= OP_START) || (kind >= OP_ADD && kind <= OP_OR) ||
           (kind >= OP_ARG_MIN && kind <= OP_COMBINE) ||
           (kind == OP_PARTNER && done->column == column);
}

static bool is_past_spawned(const op *one, const op *other, uint32_t column)
{
    return one->kind == OP_SPAWN_WITH &&
           (other->kind == OP_SPAWN_WITH || is_by_handle(other, column));
}

static bool uses(const actor *plan, const op *done, uint32_t column)
{
    return use_of(done, column) != NONE || implied_use(plan, done, column) != NONE;
}

/* Whether a concurrent system accesses the column on its own entities only, besides those that it
 * spawns. */
static bool is_of_own(const actor *plan, uint32_t column)
{
    bool is_own = plan->is_concurrent;
    for (uint32_t i = 0; i < plan->op_count; i++) {
        const op *done = &plan->ops[i];
        if (uses(plan, done, column))
            is_own &= done->kind <= OP_DETACH || done->kind == OP_ANY_OF ||
                      done->kind == OP_SPAWN_WITH ||
                      (done->kind == OP_PARTNER && column == COLUMN_P) ||
                      (done->kind == OP_PAIR_REFERS && column == COLUMN_A);
    }
    return is_own;
}

static bool spawns_with(const actor *plan, uint32_t column)
{
    bool does = false;
    for (uint32_t i = 0; i < plan->op_count; i++)
        does |= plan->ops[i].kind == OP_SPAWN_WITH && uses(plan, &plan->ops[i], column);
    return does;
}

/* Whether lanes keep the entities of the two accesses apart. Lanes never change. */
static bool lanes_settle(const actor *a, const op *one, const actor *b, const op *other,
                         uint32_t column)
{
    bool a_spawns = one->kind == OP_SPAWN_WITH, b_spawns = other->kind == OP_SPAWN_WITH;
    if (a_spawns || b_spawns)
        return a_spawns ? is_of_own(b, column) && is_in_other_lane(a, b)
                        : is_of_own(a, column) && is_in_other_lane(b, a);
    return is_of_own(a, column) && is_of_own(b, column) && lane_of(a) != lane_of(b) &&
           lane_of(a) <= LANES && lane_of(b) <= LANES;
}

static rule rule_between(const op *one, const op *other, uint32_t column)
{
    if (is_past_spawned(one, other, column) || is_past_spawned(other, one, column))
        return RULE_COUNT;
    return rule_of(use_of(one, column), use_of(other, column), one->kind == other->kind);
}

/* By what an incompatible tag implies. Spawned entities have no other one. */
static rule implied_between(const actor *a, const op *one, const actor *b, const op *other,
                            uint32_t column)
{
    enum use by_one = implied_use(a, one, column), by_other = implied_use(b, other, column);
    if (one->kind == OP_SPAWN_WITH || other->kind == OP_SPAWN_WITH)
        return RULE_COUNT;
    rule found = rule_of(by_one, use_of(other, column), false);
    return found != RULE_COUNT ? found : rule_of(use_of(one, column), by_other, false);
}

static bool excludes(const op *done)
{
    return done->kind == OP_WITHOUT || done->kind == OP_REMOVED;
}

static bool are_incompatible(const actor *a, const op *one, const op *other)
{
    return a->never_both && ((requires(one, COLUMN_T) && requires(other, COLUMN_U)) ||
                             (requires(one, COLUMN_U) && requires(other, COLUMN_T)));
}

/* Whether no entity matches both accesses, of query 0 of two systems. */
static bool are_exclusive(const actor *a, const op *one, const op *other)
{
    return (excludes(one) && requires(other, one->column)) ||
           (excludes(other) && requires(one, other->column)) || are_incompatible(a, one, other);
}

static bool changes_presence(const actor *plan, const op *filter)
{
    uint32_t column = excludes(filter) ? filter->column : required(filter);
    bool does = false;
    for (uint32_t i = 0; i < plan->op_count; i++)
        does |= use_of(&plan->ops[i], column) == STRUCTURE;
    return does;
}

/* Whether filters settle a conflict in the column: both are concurrent and access it on their own
 * entities only, no entity matches both, and neither changes the presence that decides it. */
static bool filters_settle(const actor *a, const actor *b, uint32_t column)
{
    if (!is_of_own(a, column) || !is_of_own(b, column) || spawns_with(a, column) ||
        spawns_with(b, column))
        return false;
    for (uint32_t i = 0; i < a->op_count * b->op_count; i++) {
        const op *one = &a->ops[i / b->op_count], *other = &b->ops[i % b->op_count];
        if (are_exclusive(a, one, other) && !changes_presence(a, one) &&
            !changes_presence(a, other) && !changes_presence(b, one) && !changes_presence(b, other))
            return true;
    }
    return false;
}

static void note_column(const actor *a, const actor *b, uint32_t column, reasons *found)
{
    for (uint32_t i = 0; i < a->op_count * b->op_count; i++) {
        const op *one = &a->ops[i / b->op_count], *other = &b->ops[i % b->op_count];
        rule why = rule_between(one, other, column);
        if (why == RULE_COUNT)
            why = implied_between(a, one, b, other, column);
        if (why != RULE_COUNT && !lanes_settle(a, one, b, other, column))
            note(found, why, (op_kind)one->kind, (op_kind)other->kind);
    }
}

static bool writes_world(const actor *plan)
{
    bool does = false;
    for (uint32_t i = 0; i < plan->op_count; i++)
        does |= plan->ops[i].kind == OP_WRITES_WORLD;
    return does;
}

bool rules_touch(const actor *a, const actor *b)
{
    bool do_touch = writes_world(a) || writes_world(b); /* the roster, which all systems read */
    for (uint32_t i = 0; i < a->op_count * b->op_count; i++) {
        const op *one = &a->ops[i / b->op_count], *other = &b->ops[i % b->op_count];
        for (uint32_t column = 0; column < COLUMN_COUNT; column++) {
            enum use by_one = use_of(one, column), by_other = use_of(other, column);
            bool is_event = column == COLUMN_E || column == COLUMN_F;
            do_touch |=
                !is_event && rule_of(by_one, by_other, one->kind == other->kind) != RULE_COUNT;
            do_touch |= rule_of(implied_use(a, one, column), by_other, false) != RULE_COUNT ||
                        rule_of(by_one, implied_use(b, other, column), false) != RULE_COUNT;
        }
    }
    return do_touch;
}

static bool spawns_beside_all(const actor *spawner, const actor *other)
{
    return (spawns_into(spawner, 0) || spawns_into(spawner, 1)) &&
           all_matched(other, NULL) != OP_COUNT;
}

bool rules_keep_apart(const actor *a, const actor *b)
{
    return rules_between(a, b).rules != 0 || rules_touch(a, b) || spawns_beside_all(a, b) ||
           spawns_beside_all(b, a);
}

bool rules_spawn_past_lane(const actor *spawner, const actor *other)
{
    bool would_meet = spawns_beside_all(spawner, other);
    for (uint32_t i = 0; i < spawner->op_count * other->op_count; i++) {
        const op *one = &spawner->ops[i / other->op_count], *two = &other->ops[i % other->op_count];
        would_meet |=
            one->kind == OP_SPAWN_WITH && rule_between(one, two, one->column) != RULE_COUNT;
    }
    return would_meet && is_in_other_lane(spawner, other);
}

enum { PHASES_REPEAT = 12 }; /* ticks: a multiple of each `every` */

static bool is_due(const schedule *given, uint32_t system, uint32_t tick)
{
    bool is_due = true;
    for (uint32_t i = 0; i < given->set_count; i++) {
        const condition *when = &given->sets[i];
        if (given->systems[system].sets >> i & 1 && when->every)
            is_due &= tick % when->every == when->phase;
    }
    return is_due;
}

bool rules_never_meet(const schedule *given, uint32_t i, uint32_t j)
{
    bool do_meet = false;
    for (uint32_t tick = 0; tick < PHASES_REPEAT; tick++)
        do_meet |= is_due(given, i, tick) && is_due(given, j, tick);
    return !do_meet;
}

reasons rules_between(const actor *a, const actor *b)
{
    reasons found = {0, OP_COUNT, OP_COUNT};
    for (uint32_t column = 0; column < COLUMN_COUNT; column++) {
        if (!filters_settle(a, b, column))
            note_column(a, b, column, &found);
    }
    if (writes_world(a) || writes_world(b)) /* the roster; no access of its own */
        note(&found, writes_world(a) && writes_world(b) ? RULE_WRITE_WRITE : RULE_READ_WRITE,
             OP_COUNT, OP_COUNT);
    note_spawns(a < b ? a : b, a < b ? b : a, &found);
    note_spawns(a < b ? b : a, a < b ? a : b, &found);
    return found;
}

bool rules_are_beside(const schedule *given, uint32_t i, uint32_t j)
{
    uint8_t one = given->systems[i].side, other = given->systems[j].side;
    return given->par_sides && one && other && one != other;
}

reasons rules_of_pair(const schedule *given, uint32_t i, uint32_t j)
{
    const actor *a = &given->systems[i], *b = &given->systems[j];
    reasons found = {0, OP_COUNT, OP_COUNT};
    if (!rules_are_beside(given, i, j))
        return rules_between(a, b);
    note_spawns(a < b ? a : b, a < b ? b : a, &found);
    note_spawns(a < b ? b : a, a < b ? a : b, &found);
    return found;
}

bool rules_fork(const schedule *given)
{
    bool do_touch = false;
    for (uint32_t i = 0; i < given->system_count; i++) {
        for (uint32_t j = 0; j < i; j++)
            do_touch |= rules_are_beside(given, i, j) &&
                        rules_touch(&given->systems[i], &given->systems[j]);
    }
    return do_touch;
}

void rules_count_free(const actor *a, const actor *b, uint64_t counts[OP_COUNT][OP_COUNT])
{
    for (uint32_t i = 0; i < a->op_count; i++) {
        for (uint32_t j = 0; j < b->op_count; j++) {
            uint8_t one = a->ops[i].kind, other = b->ops[j].kind;
            if (a->ops[i].column == b->ops[j].column &&
                rule_between(&a->ops[i], &b->ops[j], a->ops[i].column) == RULE_COUNT)
                counts[one < other ? one : other][one < other ? other : one]++;
        }
    }
}

bool rules_are_filtered(const actor *a, const actor *b)
{
    bool are = lane_of(a) != lane_of(b) && lane_of(a) <= LANES && lane_of(b) <= LANES;
    for (uint32_t i = 0; i < a->op_count * b->op_count; i++)
        are |= are_exclusive(a, &a->ops[i / b->op_count], &b->ops[i % b->op_count]);
    return are;
}

bool rules_are_incompatible(const actor *a, const actor *b)
{
    bool are = false;
    for (uint32_t i = 0; i < a->op_count * b->op_count; i++)
        are |= are_incompatible(a, &a->ops[i / b->op_count], &b->ops[i % b->op_count]);
    return are;
}
