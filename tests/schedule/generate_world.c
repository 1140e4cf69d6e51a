/* Abilities that are added to schedules which are otherwise complete: states of the game, further
 * forms of access, deaths with consequences, and systems that access the whole world. A system that
 * bumps may have an independence, so it stays as it is. */
#include "tests/schedule/generate.h"

#include <lockstep/component.h>

static bool bumps(const actor *system)
{
    return system->op_count && system->ops[0].kind == OP_BUMP;
}

static condition state_condition(struct generator *own)
{
    return (condition){.state_use = (uint8_t)(1 + below(own, STATES)),
                       .state = (uint8_t)(chance(own, 50) ? 0 : below(own, STATES)),
                       .every = chance(own, 15) ? 2 : 0};
}

/* Sets and stages that run in a state, or when one begins or ends. */
static void limit_to_states(struct generator *own, schedule *made)
{
    if (!made->set_count) {
        made->set_count = 1 + below(own, SETS_MAX);
        for (uint32_t i = 0; i < made->system_count; i++)
            made->systems[i].sets =
                (uint8_t)(chance(own, 60) ? (1 + below(own, 3)) & ((1u << made->set_count) - 1)
                                          : 0);
    }
    for (uint32_t i = 0; i < made->set_count; i++) {
        if (chance(own, 70))
            made->sets[i] = state_condition(own);
    }
    for (uint32_t i = 0; i < made->stage_count; i++) {
        if (chance(own, 15))
            made->stages[i] = state_condition(own);
    }
}

void generate_states(schedule *made)
{
    struct generator own = {.random = mix(made->seed, 17)};
    if (!chance(&own, 15))
        return;
    made->has_states = true;
    made->part_of_column[COLUMN_G] = made->has_modules ? (uint8_t)below(&own, SPLIT_PARTS) : 0;
    limit_to_states(&own, made);
    for (uint32_t i = 0; i < made->system_count; i++) {
        actor *system = &made->systems[i];
        bool asks = chance(&own, 25) || system->is_concurrent;
        if (!bumps(system) && chance(&own, 60))
            generate_op(system, asks ? OP_STATE : OP_ENTER, COLUMN_G);
    }
}

static void add_form(const struct generator *g, struct generator *own, actor *system)
{
    static const op_kind kinds[] = {OP_JOIN_COUNT,   OP_JOIN_START,  OP_GRID_START,
                                    OP_GRID_NEAREST, OP_GRID_VALUES, OP_JOIN_REFERENCE};
    uint32_t column = below(own, g->columns), any = below(own, g->columns + 2);
    if (generate_has_query(system) && chance(own, 35))
        generate_op(system, OP_ANY_OF, any < g->columns ? any : COLUMN_T + any - g->columns);
    if (chance(own, 35)) {
        op_kind kind = kinds[below(own, LS_COUNT_OF(kinds))];
        generate_op(system, kind, kind == OP_JOIN_REFERENCE ? COLUMN_P : column);
    }
    if (system->slot == LS_PARALLEL && chance(own, 15)) {
        op_kind kind = g->made->has_partners && chance(own, 50) ? OP_PAIR_REFERS : OP_PAIR_JOINED;
        generate_op(system, kind, kind == OP_PAIR_REFERS ? COLUMN_P : column);
    }
}

/* All systems read, or all accumulate by one operation, so that most pairs need no order. */
static void make_harmless(const struct generator *g, struct generator *own, actor *system,
                          bool reads)
{
    static const op_kind kinds[] = {OP_ADD,     OP_MIN,     OP_MAX,    OP_OR,
                                    OP_ARG_MIN, OP_ARG_MAX, OP_COMBINE};
    uint32_t column = below(own, g->columns);
    system->is_concurrent = false;
    system->op_count = 0;
    generate_op(system, reads ? OP_READ : kinds[g->made->seed % LS_COUNT_OF(kinds)], column);
}

void generate_forms(const struct generator *g)
{
    struct generator own = {.random = mix(g->made->seed, 18)};
    if (!chance(&own, 25))
        return;
    bool is_harmless = chance(&own, 40), reads = chance(&own, 60);
    for (uint32_t i = 0; i < g->made->system_count; i++) {
        actor *system = &g->made->systems[i];
        if (bumps(system))
            continue;
        if (is_harmless && chance(&own, 75))
            make_harmless(g, &own, system, reads);
        if (reads || !is_harmless)
            add_form(g, &own, system);
    }
}

void generate_deaths(const struct generator *g)
{
    schedule *made = g->made;
    struct generator own = {.random = mix(made->seed, 19)};
    made->despawns_empty = chance(&own, 8);
    if (chance(&own, 12)) {
        made->on_despawn = (uint8_t)(LS_NULL + below(&own, 3));
        made->has_partners = true;
    }
    for (uint32_t i = 0; i < made->system_count; i++) {
        actor *system = &made->systems[i];
        if ((!made->on_despawn && !made->despawns_empty) || bumps(system))
            continue;
        if (chance(&own, 40))
            generate_op(system, OP_DESPAWN, 0);
        if (made->on_despawn && chance(&own, 15))
            generate_op(system, OP_COMMAND, COLUMN_P);
        if (made->despawns_empty && chance(&own, 30))
            generate_op(system, OP_DETACH, below(&own, g->columns));
    }
}

/* A sequential system with a query, whose matches write to entities that they share: there the
 * order of the matches shows. */
static void make_ordered(const struct generator *g, struct generator *own, actor *system)
{
    system->is_concurrent = false;
    system->op_count = 0;
    generate_op(system, chance(own, 60) ? OP_WITH : OP_READ, below(own, g->columns));
    generate_op(system, OP_PARENTS_FIRST, COLUMN_P);
    generate_op(system, OP_OTHERS_WRITE, chance(own, 50) ? COLUMN_S : below(own, g->columns));
}

/* A system that changes parents, and little else. */
static void change_parents(struct generator *own, actor *system)
{
    static const op_kind kinds[] = {OP_OTHERS_WRITE, OP_WRITE, OP_ATTACH, OP_DETACH, OP_SPAWN_WITH};
    op_kind kind = kinds[below(own, LS_COUNT_OF(kinds))];
    system->is_concurrent = false;
    system->op_count = 0;
    if (kind == OP_SPAWN_WITH)
        generate_op(system, OP_SPAWN, below(own, LANES));
    generate_op(system, kind, COLUMN_P);
}

void generate_hierarchy(const struct generator *g)
{
    schedule *made = g->made;
    struct generator own = {.random = mix(made->seed, 23)};
    bool is_chosen = chance(&own, 6) && !made->has_world && !made->has_partners;
    if (is_chosen) {
        made->on_despawn = LS_PARENT;
        made->has_partners = true;
    }
    for (uint32_t i = 0; made->on_despawn == LS_PARENT && i < made->system_count; i++) {
        actor *system = &made->systems[i];
        if (bumps(system))
            continue;
        if (is_chosen && chance(&own, 40))
            make_ordered(g, &own, system);
        else if (is_chosen && chance(&own, 30))
            change_parents(&own, system);
        else if (generate_has_query(system) && chance(&own, 50))
            generate_op(system, OP_PARENTS_FIRST, COLUMN_P);
    }
}

/* Most of the other systems change nothing, so that some need no order with one that reads all. */
static void make_quiet(const struct generator *g, struct generator *own, actor *system)
{
    static const op_kind kinds[] = {OP_READ,    OP_WITH,        OP_READ, OP_WALK,
                                    OP_OBSERVE, OP_OTHERS_READ, OP_GRID};
    uint32_t column = below(own, g->columns);
    system->is_concurrent = false;
    system->op_count = 0;
    generate_op(system, kinds[below(own, LS_COUNT_OF(kinds))], column);
    if (chance(own, 30))
        generate_op(system, chance(own, 50) ? OP_COMMAND : OP_RANDOM, 0);
    if (chance(own, 20))
        generate_op(system, OP_SEND, COLUMN_E);
}

static void make_world_system(struct generator *own, actor *system)
{
    bool reads = chance(own, 65);
    system->is_concurrent = system->slot == LS_PARALLEL && reads && chance(own, 40);
    system->op_count = 0;
    if (system->is_concurrent)
        generate_op(system, OP_WITH, COLUMN_A + below(own, 2));
    generate_op(system, reads ? OP_READS_WORLD : OP_WRITES_WORLD, 0);
    if (chance(own, 25))
        generate_op(system, OP_COMMAND, COLUMN_A);
}

/* Gives the system an order with each other one of its stage and slot. */
static void order_all(const struct generator *g, uint32_t index)
{
    schedule *made = g->made;
    for (uint32_t i = 0; i < made->system_count; i++) {
        if (i == index ||
            generate_place(&made->systems[i]) != generate_place(&made->systems[index]))
            continue;
        bool is_first = g->rank[i] < g->rank[index];
        made->before[is_first ? i : index][is_first ? index : i] = true;
    }
}

void generate_world(const struct generator *g)
{
    schedule *made = g->made;
    struct generator own = {.random = mix(made->seed, 20)};
    if (!chance(&own, 10))
        return;
    made->has_world = true;
    for (uint32_t i = 0; i < made->system_count; i++) {
        actor *system = &made->systems[i];
        if (bumps(system))
            continue;
        if (chance(&own, 40))
            make_world_system(&own, system);
        else if (chance(&own, 60))
            make_quiet(g, &own, system);
    }
    for (uint32_t i = 0; i < made->system_count; i++) {
        bool writes = false;
        for (uint32_t j = 0; j < made->systems[i].op_count; j++)
            writes |= made->systems[i].ops[j].kind == OP_WRITES_WORLD;
        if (writes && chance(&own, 75))
            order_all(g, i);
    }
}
