/* Queries and changes that systems walk, and access to the whole world. They are added to programs
 * that are otherwise complete, each in a seventh of all programs, with random numbers of their own:
 * all else stays as it was without them. */
#include "tests/model/generate.h"

#include <string.h>

enum { TRIES = 24 };

/* Puts the instruction before index `at`; a full body loses its last one. */
static void insert(program_system *system, uint32_t at, struct instruction made)
{
    if (system->body_count < PROGRAM_BODY_MAX)
        system->body_count++;
    memmove(&system->body[at + 1], &system->body[at],
            sizeof made * (size_t)(system->body_count - at - 1));
    system->body[at] = made;
}

/* Draws OP_WALK of a query, or OP_OBSERVE of a term. */
static struct instruction draw_walk(struct generator *g, const program_system *system,
                                    program_op op, uint32_t walked)
{
    uint32_t action = chance(g, 40) ? WALK_LOAD : below(g, WALK_ACTIONS);
    return (struct instruction){.op = (uint8_t)op,
                                .term = (uint8_t)below(g, system->term_count),
                                .field = (uint8_t)below(g, 4),
                                .b = (uint8_t)walked,
                                .c = 4,
                                .imm = action | (chance(g, 50) ? WALK_NESTED : 0) |
                                       below(g, 8) << WALK_SHIFT};
}

uint32_t generate_insert(struct generator *g, program_system *system, struct instruction made)
{
    uint32_t at = 0;
    while (at < system->body_count && system->body[at].op <= OP_BULK_DETACH)
        at++;
    if (at + 4 > PROGRAM_BODY_MAX)
        return PROGRAM_BODY_MAX;
    insert(system, at, (struct instruction){.op = OP_ARITH, .a = 0, .b = 4, .imm = below(g, 4)});
    insert(system, at, made);
    return at;
}

void generate_guard(struct generator *g, program_system *system, uint32_t at, uint32_t often)
{
    uint32_t rare = g->mood == MOOD_SMALL ? often + below(g, 3) : 12 + below(g, 4);
    insert(system, at, (struct instruction){.op = OP_SKIP, .a = 5, .b = 2, .imm = 16 + rare});
    insert(system, at,
           (struct instruction){.op = OP_RANDOM, .entity = E_MATCH, .c = 5, .imm = below(g, 32)});
}

static void insert_walk(struct generator *g, program_system *system, program_op op, uint32_t walked)
{
    uint32_t at = generate_insert(g, system, draw_walk(g, system, op, walked));
    if (at == PROGRAM_BODY_MAX)
        return;
    for (uint32_t i = 0; i < TRIES && !program_is_valid(g->made, system, at); i++)
        system->body[at] = draw_walk(g, system, op, walked);
    generate_guard(g, system, at, 0);
}

static void add_walk(struct generator *g, uint32_t index)
{
    program_system *system = &g->made->systems[index];
    uint32_t first = program_query_count(system), before = system->term_count;
    uint32_t query = (first ? first : 1) + below(g, 2);
    generate_query(g, index, query);
    for (uint32_t i = before; i < system->term_count; i++)
        system->terms[i].is_walked = true;
    for (uint32_t i = system->term_count > before ? 1 + below(g, 2) : 0; i-- > 0;)
        insert_walk(g, system, OP_WALK, query);
}

static void add_observer(struct generator *g, uint32_t index)
{
    program_system *system = &g->made->systems[index];
    uint32_t term = system->term_count;
    if (!generate_observed(g, index))
        return;
    for (uint32_t i = 1 + below(g, 2); i-- > 0;)
        insert_walk(g, system, OP_OBSERVE, term);
}

/* Inserts an access to a component that no term names. */
static void insert_world(struct generator *g, program_system *system)
{
    program_op op = OP_WORLD_LOAD;
    uint32_t at = 0;
    if (system->world == LS_ACCESS_STRUCTURE && chance(g, 70))
        op = chance(g, 50) ? OP_WORLD_ATTACH : OP_WORLD_DETACH;
    const struct instruction made = {
        .op = (uint8_t)op,
        .field = (uint8_t)below(g, 4),
        .entity = (uint8_t)(chance(g, 50) ? E_MATCH : E_LOADED + below(g, 2)),
        .to = (uint8_t)(E_LOADED + below(g, 2)),
        .b = (uint8_t)below(g, g->made->component_count),
        .c = 3,
        .imm = below(g, 32)};
    while (at < system->body_count && system->body[at].op <= OP_BULK_DETACH)
        at++;
    at += below(g, system->body_count - at + 1);
    if (at + 2 > PROGRAM_BODY_MAX)
        return;
    insert(system, at, (struct instruction){.op = OP_ARITH, .a = 0, .b = 3, .imm = below(g, 4)});
    insert(system, at, made);
}

static void add_world(struct generator *g, uint32_t index)
{
    program_system *system = &g->made->systems[index];
    system->world = system->is_concurrent || chance(g, 50) ? LS_ACCESS_READ : LS_ACCESS_STRUCTURE;
    for (uint32_t i = 1 + below(g, 3); i-- > 0;)
        insert_world(g, system);
}

void generate_in_some(struct generator *g, uint64_t stream,
                      void (*add)(struct generator *g, uint32_t index))
{
    struct generator own = *g;
    own.random = program_hash(g->made->seed, stream);
    if (!chance(&own, 15))
        return;
    for (uint32_t i = 0; i < g->made->system_count; i++) {
        if (chance(&own, 60))
            add(&own, i);
    }
}

void generate_walks(struct generator *g)
{
    generate_in_some(g, 4, add_walk);
    generate_in_some(g, 5, add_observer);
    generate_in_some(g, 32, add_world);
}
