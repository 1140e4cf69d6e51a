/* Random schedules. They use few columns, so that systems often conflict. */
#include "tests/schedule/generate.h"

#include <stdio.h>
#include <string.h>

bool generate_op(actor *plan, op_kind kind, uint32_t column)
{
    if (plan->op_count == OPS_MAX || !op_fits(plan, kind, column))
        return false;
    plan->ops[plan->op_count++] = (op){(uint8_t)kind, (uint8_t)column};
    return true;
}

static uint32_t pick_column(struct generator *g)
{
    uint32_t column = below(g, COLUMN_P);
    return op_has_values(column) ? column % g->columns : column;
}

static void add_some_op(struct generator *g, actor *plan, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < 60; i++) {
        op_kind kind = (op_kind)(from + below(g, to - from));
        uint32_t column = pick_column(g);
        bool changes = op_is_own_change(kind) || kind == OP_OTHERS_WRITE ||
                       kind == OP_OTHERS_CHANGE || kind == OP_SPAWN_WITH;
        if (g->is_quiet && changes && chance(g, 80))
            continue;
        if (g->is_quiet && kind >= OP_ADD && kind <= OP_OR) /* mostly one operation per column */
            kind = (op_kind)(OP_ADD + (g->made->seed + column) % 4);
        if (generate_op(plan, kind, column))
            return;
    }
}

static void make_system(struct generator *g, uint32_t index)
{
    actor *made = &g->made->systems[index];
    made->is_concurrent = chance(g, 55);
    made->uses_spans = chance(g, 50);
    if (chance(g, 6)) { /* only a bump; two of these may be declared independent */
        made->is_concurrent = true;
        generate_op(made, OP_BUMP, below(g, g->columns));
        return;
    }
    if (chance(g, 8)) { /* may be excluded from another system by a filter */
        made->is_concurrent = true;
        generate_op(made, chance(g, 60) ? OP_WRITE : OP_READ, COLUMN_A);
        generate_op(made, chance(g, 50) ? OP_WITH : OP_WITHOUT, COLUMN_T);
        if (chance(g, 25)) /* changes the component that the filter tests */
            generate_op(made, OP_ATTACH, COLUMN_T);
        return;
    }
    if (chance(g, 10)) { /* spawns, or has handles only: such systems do not meet */
        made->is_concurrent = false;
        if (chance(g, 50) && generate_op(made, OP_SPAWN, below(g, LANES)))
            generate_op(made, OP_SPAWN_WITH, below(g, g->columns));
        if (chance(g, 40)) /* one operation in the whole schedule: these commute */
            generate_op(made, (op_kind)(OP_ADD + g->made->seed % 4), below(g, g->columns));
        if (made->op_count == 0 || chance(g, 30))
            add_some_op(g, made, OP_OTHERS_ASK, OP_GRID);
        return;
    }
    if (made->is_concurrent || chance(g, 60)) {
        uint32_t last = chance(g, 90) ? OP_PAIR_READ : OP_OTHERS_ASK;
        add_some_op(g, made, OP_WITH, OP_PAIR_READ);
        if (chance(g, 35))
            add_some_op(g, made, OP_WITH, last);
    }
    if (made->op_count && chance(g, 8))
        add_some_op(g, made, OP_PAIR_READ, OP_OTHERS_ASK);
    if (made->op_count && chance(g, 15)) { /* add a filter, to test the rule about filters */
        op_kind kind = chance(g, 50) ? OP_WITH : OP_WITHOUT;
        generate_op(made, kind, COLUMN_T + below(g, 2));
    }
    if (made->op_count == 0 || chance(g, 50))
        add_some_op(g, made, OP_OTHERS_ASK, OP_GENERAL_COUNT);
    if (chance(g, 15) && generate_op(made, OP_SPAWN, below(g, LANES)))
        add_some_op(g, made, OP_SPAWN_WITH, OP_SPAWN_WITH + 1);
    if (chance(g, 25))
        generate_op(made, OP_GUESS, 0);
    if (chance(g, 15))
        generate_op(made, chance(g, 50) ? OP_SEND : OP_RECEIVE, COLUMN_E);
    if (made->op_count == 0 || (made->is_concurrent && !op_is_matched((op_kind)made->ops[0].kind)))
        made->is_concurrent = false;
}

/* Stages and slots increase with the rank, so that they never contradict an order. */
static void make_places(struct generator *g)
{
    schedule *made = g->made;
    uint32_t count = made->system_count;
    uint32_t first = chance(g, 25) ? below(g, 2) : 0, last = chance(g, 25) ? below(g, 3) : 0;
    made->stage_count = count > 3 && chance(g, 25) ? 2 : 1;
    for (uint32_t i = 0; i < made->stage_count; i++)
        made->insertion_order[i] = chance(g, 8);
    for (uint32_t i = 0; i < count; i++) {
        actor *system = &made->systems[i];
        uint32_t rank = g->rank[i];
        system->stage = made->stage_count > 1 && rank >= count - count / 3;
        if (rank < first)
            system->slot = LS_AT_START;
        else if (rank + last >= count)
            system->slot = chance(g, 50) ? LS_AT_END : LS_BEFORE_COMMANDS;
        if (system->slot != LS_PARALLEL)
            system->is_concurrent = false;
    }
}

uint32_t generate_place(const actor *plan)
{
    static const uint8_t order[] = {
        [LS_AT_START] = 0, [LS_PARALLEL] = 1, [LS_BEFORE_COMMANDS] = 2, [LS_AT_END] = 3};
    return plan->stage * 4u + order[plan->slot];
}

static void make_orders(struct generator *g)
{
    static const uint8_t percents[] = {0, 5, 20, 20, 40, 60, 85};
    schedule *made = g->made;
    uint32_t percent = percents[below(g, LS_COUNT_OF(percents))];
    for (uint32_t i = 0; i < made->system_count; i++) {
        for (uint32_t j = 0; j < made->system_count; j++) {
            uint32_t one = generate_place(&made->systems[i]),
                     other = generate_place(&made->systems[j]);
            bool is_exclusive = i != j && one == other && made->systems[i].slot != LS_PARALLEL;
            if (one > other || (one == other && g->rank[i] >= g->rank[j]))
                continue;
            if (is_exclusive || chance(g, percent))
                made->before[i][j] = true;
            else if (chance(g, 8))
                made->weakly[i][j] = true;
            else if (chance(g, 2))
                made->needs[i][j] = true;
        }
    }
}

/* Gives a label only to systems that come before the system that is ordered after the label. */
static void make_labels(struct generator *g)
{
    schedule *made = g->made;
    for (uint32_t label = 0; label < LABELS; label++) {
        uint32_t later = below(g, made->system_count), carriers = 0;
        if (chance(g, 60))
            continue;
        for (uint32_t i = 0; i < made->system_count; i++) {
            const actor *one = &made->systems[i], *other = &made->systems[later];
            bool is_first =
                generate_place(one) < generate_place(other) ||
                (generate_place(one) == generate_place(other) && g->rank[i] < g->rank[later]);
            if (is_first && chance(g, 50)) {
                made->systems[i].labels |= (uint8_t)(1u << label);
                carriers++;
            }
        }
        if (carriers)
            made->systems[later].after_label = (uint8_t)(label + 1);
    }
}

bool schedule_is_in(const actor *system, uint32_t part)
{
    return part && (system->part == part || (part == 1 && system->part == 2));
}

/* In a module, a system has the stage of the module. */
static void choose_parts(struct generator *own, schedule *made)
{
    for (uint32_t i = 0; i < made->system_count; i++) {
        actor *system = &made->systems[i];
        uint32_t part = below(own, SPLIT_PARTS);
        bool is_of_m = part == 1 || part == 2;
        if (made->stage_form == STAGES_OF_SIM ? system->stage : is_of_m != system->stage)
            part = 0;
        system->part = (uint8_t)part;
        char name[sizeof system->name];
        memcpy(name, system->name, sizeof name);
        snprintf(system->name, sizeof system->name, "%s%.7s", split_prefixes[part], name);
    }
}

/* A module has no word for what the simulation itself owns, so what systems of modules have in
 * their lists belongs to a module, too. */
static void choose_owners(struct generator *own, schedule *made)
{
    for (uint32_t i = 0; i <= COLUMN_P; i++)
        made->part_of_column[i] = (uint8_t)below(own, SPLIT_PARTS);
    for (uint32_t i = 0; i < LANES; i++)
        made->part_of_lane[i] = (uint8_t)(1 + below(own, SPLIT_PARTS - 1));
    for (uint32_t i = 0; i < LABELS; i++)
        made->part_of_label[i] = (uint8_t)(1 + below(own, SPLIT_PARTS - 1));
    for (uint32_t i = 0; i < SETS_MAX; i++) /* in the order of the merged list */
        made->part_of_set[i] =
            (uint8_t)(i == 0 ? 1 + below(own, SPLIT_PARTS - 1) : SPLIT_PARTS - 1);
    made->part_of_setup = (uint8_t)below(own, SPLIT_PARTS);
    made->has_module_set = made->set_count && chance(own, 25);
    for (uint32_t i = 0; made->has_module_set && i < made->system_count; i++)
        made->systems[i].sets =
            (uint8_t)((made->systems[i].sets & ~1u) | schedule_is_in(&made->systems[i], 1));
}

/* Lets a system of the simulation wait for a module all of which may come before it. */
static void make_waits(struct generator *g, struct generator *own)
{
    schedule *made = g->made;
    for (uint32_t later = 0; later < made->system_count; later++) {
        actor *other = &made->systems[later];
        uint32_t part = 1 + below(own, SPLIT_PARTS - 1), members = 0;
        bool is_last = !other->part;
        for (uint32_t i = 0; i < made->system_count; i++) {
            const actor *one = &made->systems[i];
            if (!schedule_is_in(one, part))
                continue;
            members++;
            is_last &=
                generate_place(one) < generate_place(other) ||
                (generate_place(one) == generate_place(other) && g->rank[i] < g->rank[later]);
        }
        if (is_last && members && chance(own, 40))
            other->after_part = (uint8_t)part;
    }
}

/* With random numbers of its own: a schedule without modules stays as it was. */
static void make_modules(struct generator *g)
{
    schedule *made = g->made;
    struct generator own = {.random = mix(made->seed, 11)};
    if (!chance(&own, 40))
        return;
    made->has_modules = true;
    made->stage_form = made->stage_count > 1 ? (stage_form)below(&own, 3) : STAGES_OF_SIM;
    made->is_nested |= made->stage_form == STAGE_WITHIN_M;
    choose_parts(&own, made);
    choose_owners(&own, made);
    make_waits(g, &own);
    for (uint32_t i = 0; i < made->system_count; i++) {
        for (uint32_t j = 0; j < made->system_count; j++)
            made->needs[i][j] &= made->systems[i].part || !made->systems[j].part;
    }
}

static condition make_condition(struct generator *g)
{
    condition made = {.every = chance(g, 40) ? (uint8_t)(2 + below(g, 3)) : 0};
    made.phase = made.every ? (uint8_t)below(g, made.every) : 0;
    made.criterion = chance(g, 60) ? (chance(g, 50) ? COLUMN_S : COLUMN_A) + 1 : 0;
    made.asks_again = made.criterion && chance(g, 40);
    return made;
}

/* Two sets that run in turn, so that their members never meet. */
static void make_turns(struct generator *g)
{
    schedule *made = g->made;
    made->set_count = 2;
    for (uint32_t i = 0; i < 2; i++)
        made->sets[i] = (condition){.every = (uint8_t)(2 + 2 * below(g, 2)), .phase = (uint8_t)i};
    for (uint32_t j = 0; j < made->system_count; j++)
        made->systems[j].sets = (uint8_t)(chance(g, 85) << below(g, 2));
}

static void make_sets(struct generator *g)
{
    schedule *made = g->made;
    for (uint32_t i = 0; i < made->stage_count; i++) {
        if (chance(g, 10))
            made->stages[i] = make_condition(g);
    }
    made->is_nested = made->stage_count > 1 && chance(g, 50);
    if (chance(g, 8)) {
        make_turns(g);
        return;
    }
    made->set_count = chance(g, 25) ? 1 + below(g, SETS_MAX) : 0;
    for (uint32_t i = 0; i < made->set_count; i++) {
        made->sets[i] = make_condition(g);
        for (uint32_t j = 0; j < made->system_count; j++) {
            if (chance(g, 35))
                made->systems[j].sets |= (uint8_t)(1u << i);
        }
    }
}

/* Declares independent each pair of systems that only bump: they add different numbers in place. */
static void make_independences(schedule *made)
{
    for (uint32_t i = 0; i < made->system_count; i++) {
        for (uint32_t j = i + 1; j < made->system_count; j++) {
            const actor *one = &made->systems[i], *other = &made->systems[j];
            if (one->op_count == 1 && other->op_count == 1 && one->ops[0].kind == OP_BUMP &&
                other->ops[0].kind == OP_BUMP)
                made->independent[i][j] = true;
        }
    }
}

schedule schedule_generate(uint64_t seed)
{
    schedule made = {.seed = seed};
    struct generator g = {.random = mix(seed, 0), .made = &made};
    made.system_count = chance(&g, 50) ? 2 + below(&g, 3) : 2 + below(&g, SYSTEMS_MAX - 1);
    g.columns = 1 + below(&g, 3);
    g.is_quiet = chance(&g, 30);
    uint32_t turn = below(&g, 26);
    for (uint32_t i = 0; i < made.system_count; i++) {
        g.rank[i] = (uint8_t)i;
        snprintf(made.systems[i].name, sizeof made.systems[i].name, "%c%u",
                 (int)('a' + (turn + i * 7) % 26), i);
    }
    for (uint32_t i = made.system_count; i-- > 1;) {
        uint32_t j = below(&g, i + 1);
        uint8_t kept = g.rank[i];
        g.rank[i] = g.rank[j];
        g.rank[j] = kept;
    }
    for (uint32_t i = 0; i < made.system_count; i++)
        make_system(&g, i);
    make_places(&g);
    make_orders(&g);
    make_labels(&g);
    make_sets(&g);
    generate_facts(&made);
    generate_partners(&g);
    make_independences(&made);
    make_modules(&g);
    generate_filters(&g);
    generate_threads(&made);
    generate_states(&made);
    generate_deaths(&g);
    generate_forms(&g);
    generate_world(&g);
    generate_hierarchy(&g);
    generate_par(&made);
    return made;
}
