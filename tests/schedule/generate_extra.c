/* Abilities that are added to schedules which are otherwise complete. */
#include "tests/schedule/generate.h"

/* A system that requires one of the two tags. It may settle a conflict with one that requires the
 * other, unless one of them changes a tag. Some do only that. */
static void split_by_tag(struct generator *own, actor *system)
{
    static const op_kind kinds[] = {OP_READ, OP_WRITE, OP_WRITE, OP_BUMP, OP_ATTACH};
    uint32_t tag = COLUMN_T + below(own, 2);
    system->is_concurrent = true;
    system->op_count = 0;
    if (chance(own, 15)) {
        generate_op(system, chance(own, 50) ? OP_ATTACH : OP_DETACH, tag);
        return;
    }
    generate_op(system, kinds[below(own, LS_COUNT_OF(kinds))], COLUMN_A);
    generate_op(system, chance(own, 75) ? OP_WITH : OP_MAYBE, tag);
    if (chance(own, 6))
        generate_op(system, OP_ATTACH, COLUMN_T + below(own, 2));
    if (chance(own, 15))
        generate_op(system, OP_COMMAND, chance(own, 50) ? COLUMN_A : COLUMN_T);
}

/* Leaves two systems that nothing orders: often their tags or lanes decide whether they need an
 * order. */
static void keep_two(schedule *made)
{
    made->system_count = 2;
    made->stage_count = 1;
    made->is_nested = false;
    for (uint32_t i = 0; i < 2; i++) {
        actor *system = &made->systems[i];
        system->stage = system->labels = system->after_label = 0;
        system->slot = LS_PARALLEL;
    }
    made->before[0][1] = made->before[1][0] = false;
}

/* Mostly "world": the others have spawned entities only. */
static uint32_t pick_lane(struct generator *own)
{
    return chance(own, 60) ? LANES : below(own, LANES);
}

/* A system that may be kept apart from another one by their lanes. Some spawn, perhaps into the
 * lane of another. */
static void split_by_lane(struct generator *own, actor *system, uint32_t lane)
{
    system->is_concurrent = true;
    system->op_count = 0;
    generate_op(system, chance(own, 70) ? OP_WRITE : OP_READ, COLUMN_A);
    generate_op(system, OP_IN_LANE, lane);
    if (chance(own, 15))
        generate_op(system, OP_ATTACH, COLUMN_T);
    if (chance(own, 40) && generate_op(system, OP_SPAWN, below(own, LANES)))
        generate_op(system, OP_SPAWN_WITH, COLUMN_A);
}

void generate_facts(schedule *made)
{
    struct generator own = {.random = mix(made->seed, 12)};
    made->never_both = chance(&own, 12);
    if (made->never_both && chance(&own, 40))
        keep_two(made);
    for (uint32_t i = 0; made->never_both && i < made->system_count; i++) {
        actor *system = &made->systems[i];
        system->never_both = true;
        if (system->slot == LS_PARALLEL && chance(&own, 60))
            split_by_tag(&own, system);
    }
    if (made->never_both || !chance(&own, 6))
        return;
    keep_two(made);
    for (uint32_t i = 0; i < 2; i++)
        split_by_lane(&own, &made->systems[i], i == 0 ? LANES : below(&own, LANES + 1));
}

static bool add_partner(const struct generator *g, struct generator *own, actor *system)
{
    system->partner_fails = chance(own, 40);
    for (uint32_t tries = 0; tries < 4; tries++) {
        if (generate_op(system, OP_PARTNER, below(own, g->columns)))
            return true;
    }
    return false;
}

/* A system that has little else, so that few other conflicts hide those of partners. */
static void make_partner(const struct generator *g, struct generator *own, actor *system)
{
    static const op_kind kinds[] = {OP_READ, OP_WRITE, OP_WITH, OP_OTHERS_ASK, OP_START, OP_ADD};
    actor made = *system;
    made.is_concurrent = true;
    made.op_count = 0;
    if (chance(own, 60))
        generate_op(&made, kinds[below(own, LS_COUNT_OF(kinds))], below(own, g->columns));
    if (chance(own, 15))
        generate_op(&made, chance(own, 50) ? OP_WITH : OP_WITHOUT, COLUMN_T + below(own, 2));
    if (add_partner(g, own, &made))
        *system = made;
}

/* A system whose newborns no partner is, because it has no order with the system that looks. */
static void make_spawner(const struct generator *g, struct generator *own, actor *system)
{
    actor made = *system;
    made.is_concurrent = false;
    made.op_count = 0;
    generate_op(&made, OP_SPAWN, below(own, LANES));
    generate_op(&made, OP_SPAWN_WITH, chance(own, 90) ? below(own, g->columns) : COLUMN_P);
    *system = made;
}

/* A system that has no partner uses P, or changes it and with it the partners. */
static void use_reference(struct generator *own, actor *system)
{
    for (uint32_t tries = 0; tries < 20; tries++) {
        if (generate_op(system, (op_kind)below(own, OP_GENERAL_COUNT), COLUMN_P))
            return;
    }
}

void generate_partners(const struct generator *g)
{
    schedule *made = g->made;
    struct generator own = {.random = mix(made->seed, 13)};
    if (!chance(&own, 20))
        return;
    made->has_partners = true;
    for (uint32_t i = 0; i < made->system_count; i++) {
        actor *system = &made->systems[i];
        if (system->slot == LS_PARALLEL && chance(&own, 25))
            make_partner(g, &own, system);
        else if (chance(&own, 12))
            make_spawner(g, &own, system);
        else if (system->is_concurrent && chance(&own, 30))
            add_partner(g, &own, system);
        else if (chance(&own, 25))
            use_reference(&own, system);
    }
}

bool generate_has_query(const actor *system)
{
    bool has = false;
    for (uint32_t i = 0; i < system->op_count; i++) {
        op_kind kind = (op_kind)system->ops[i].kind;
        has |= op_is_matched(kind) && kind != OP_PAIR_READ && kind != OP_PAIR_ALL;
    }
    return has;
}

/* Filters by change and by lane, and operations on whole values. A system that bumps may have an
 * independence, so it does nothing else. */
void generate_filters(const struct generator *g)
{
    struct generator own = {.random = mix(g->made->seed, 14)};
    if (!chance(&own, 30))
        return;
    for (uint32_t i = 0; i < g->made->system_count; i++) {
        actor *system = &g->made->systems[i];
        if (system->ops[0].kind == OP_BUMP)
            continue;
        if (system->slot == LS_PARALLEL && chance(&own, 15))
            split_by_lane(&own, system, pick_lane(&own));
        if (generate_has_query(system) && chance(&own, 30))
            generate_op(system, (op_kind)(OP_CHANGED + below(&own, 3)), below(&own, g->columns));
        if (generate_has_query(system) && chance(&own, 8))
            generate_op(system, OP_IN_LANE, pick_lane(&own));
        if (chance(&own, 30))
            generate_op(system, (op_kind)(OP_ARG_MIN + below(&own, 3)),
                        chance(&own, 20) ? COLUMN_S : below(&own, g->columns));
    }
}

void generate_threads(schedule *made)
{
    struct generator own = {.random = mix(made->seed, 15)};
    for (uint32_t i = 0; i < made->system_count; i++) {
        actor *system = &made->systems[i];
        if (system->slot == LS_PARALLEL && chance(&own, 6))
            system->home_thread = (uint8_t)(1 + below(&own, 3));
        system->uses_scratch = chance(&own, 10);
    }
}
