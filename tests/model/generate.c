/* Random programs of three kinds: small worlds with query vectors, worlds of several pages, and
 * systems with disjoint data, which leave many pairs unordered. */
#include "tests/model/generate.h"

#include <string.h>

static void make_lanes(struct generator *g, uint32_t index)
{
    program_system *system = &g->made->systems[index];
    uint32_t lanes = g->made->lane_count + 1;
    if (g->mood == MOOD_PARALLEL && chance(g, 40) && index < lanes)
        system->lanes[system->lane_count++] = (uint8_t)index;
    if (g->mood != MOOD_PARALLEL) {
        for (uint32_t i = chance(g, 40) ? 1 + below(g, 2) : 0; i-- > 0;)
            system->lanes[system->lane_count++] = (uint8_t)below(g, lanes);
    }
    for (uint32_t i = chance(g, 25) ? 1 + below(g, 2) : 0; i-- > 0;)
        system->command_lanes[system->command_lane_count++] = (uint8_t)below(g, lanes);
}

static struct instruction draw(struct generator *g, program_op op, uint32_t term)
{
    return (struct instruction){
        .op = (uint8_t)op,
        .term = (uint8_t)term,
        .field = (uint8_t)below(g, 4),
        .entity = (uint8_t)(chance(g, 60) ? E_MATCH : below(g, E_COUNT)),
        .to = (uint8_t)(chance(g, 40) ? E_LOADED + below(g, 2) : below(g, E_COUNT)),
        .a = 0,
        .b = 1,
        .c = (uint8_t)(1 + below(g, PROGRAM_REGISTERS - 1)),
        .imm = below(g, 32)};
}

static bool append(struct generator *g, program_system *system, struct instruction made)
{
    if (system->body_count == PROGRAM_BODY_MAX)
        return false;
    system->body[system->body_count] = made;
    if (!program_is_valid(g->made, system, system->body_count))
        return false;
    system->body_count++;
    return true;
}

/* Appends an instruction with this op and term, if one of twelve draws is valid. */
static bool emit(struct generator *g, program_system *system, program_op op, uint32_t term)
{
    for (uint32_t tries = 0; tries < 12; tries++) {
        if (append(g, system, draw(g, op, term)))
            return true;
    }
    return false;
}

/* Makes some invocations skip up to `max` of the next instructions. */
static void guard(struct generator *g, program_system *system, uint32_t max)
{
    struct instruction random = draw(g, OP_RANDOM, 0);
    random.c = 5;
    if (chance(g, 60) && program_query_count(system))
        random.entity = E_MATCH;
    append(g, system, random);
    struct instruction skip = draw(g, OP_SKIP, 0);
    skip.a = chance(g, 70) ? 5 : 0;
    skip.b = (uint8_t)(1 + below(g, max));
    skip.imm = g->mood == MOOD_SMALL || chance(g, 30) ? below(g, 32) : 16 + 6 + below(g, 10);
    append(g, system, skip);
}

/* Combines the last loaded number with register 0, which all writes use. */
static void mix(struct generator *g, program_system *system)
{
    struct instruction made = draw(g, OP_ARITH, 0);
    made.b = system->body[system->body_count - 1].c;
    made.c = 0;
    made.imm = chance(g, 90) ? below(g, 4) : below(g, 8);
    append(g, system, made);
}

static void ask_whether_alive(struct generator *g, program_system *system, uint8_t entity)
{
    struct instruction made = draw(g, OP_ALIVE, 0);
    made.entity = entity;
    if (chance(g, 70) && append(g, system, made))
        mix(g, system);
}

/* Mostly guesses the handle that a later spawn will get. */
static void guess(struct generator *g, program_system *system)
{
    struct instruction made = draw(g, OP_GUESS, 0);
    made.to = (uint8_t)(E_LOADED + below(g, 2));
    uint32_t lane = below(g, g->made->lane_count + 1), slot = below(g, 4);
    for (uint32_t i = 0; i < g->made->group_count && chance(g, 80); i++)
        slot += g->made->groups[i].lane == lane ? g->made->groups[i].count : 0;
    made.imm = lane | (chance(g, 20) ? 8 : 0) | slot << 4;
    append(g, system, made);
    ask_whether_alive(g, system, made.to);
}

static void gather(struct generator *g, program_system *system)
{
    if (chance(g, 25))
        guess(g, system);
    for (uint32_t i = 0; i < system->term_count; i++) {
        const program_term *term = &system->terms[i];
        if (chance(g, 60))
            emit(g, system, OP_FOLLOW, i);
        if (term->kind == LS_EVENTS && term->access == LS_ACCESS_READ && g->mood != MOOD_SMALL)
            guard(g, system,
                  1); /* every invocation receives all events, so runs with many of both are slow */
        if (chance(g, 75) && emit(g, system, term->kind == LS_EVENTS ? OP_RECEIVE : OP_LOAD, i)) {
            uint8_t last = system->body[system->body_count - 1].to;
            mix(g, system);
            if (term->kind == LS_EVENTS)
                ask_whether_alive(g, system, last);
        }
        if (chance(g, 30) && emit(g, system, OP_HAS, i))
            mix(g, system);
    }
    static const uint8_t others[] = {OP_ALIVE, OP_RANDOM, OP_TICK, OP_CONST};
    for (uint32_t i = 0; i < LS_COUNT_OF(others); i++) {
        if (chance(g, 20) && emit(g, system, (program_op)others[i], 0))
            mix(g, system);
    }
}

static void act_on_term(struct generator *g, program_system *system, uint32_t index)
{
    static const uint8_t structure[] = {OP_ATTACH, OP_DETACH, OP_STORE, OP_POINT};
    static const uint8_t commands[] = {OP_COMMAND_ATTACH, OP_COMMAND_DETACH};
    const program_term *term = &system->terms[index];
    if (term->kind == LS_EVENTS)
        emit(g, system, OP_SEND, index);
    else if (term->kind == LS_ACCUMULATED)
        emit(g, system, OP_ACCUMULATE, index);
    else if (term->kind == LS_COMMANDS)
        emit(g, system, (program_op)commands[below(g, 2)], index);
    else if (term->access == LS_ACCESS_STRUCTURE && term->kind != LS_SPAWNED)
        emit(g, system, (program_op)structure[below(g, 4)], index);
    else if (term->access == LS_ACCESS_WRITE && !emit(g, system, OP_POINT, index))
        emit(g, system, OP_STORE, index);
    if (term->access == LS_ACCESS_WRITE && chance(g, 60))
        emit(g, system, OP_STORE, index);
}

/* Spawns an entity, gives it components, and stores its handle in a cell, event, command or
 * accumulated value. */
static void bear(struct generator *g, program_system *system, program_op op, uint8_t newborn)
{
    struct instruction spawn = draw(g, op, 0);
    spawn.entity = newborn;
    spawn.imm = below(g, 2);
    if (!append(g, system, spawn))
        return;
    for (uint32_t i = 0; i < system->term_count; i++) {
        const program_term *term = &system->terms[i];
        struct instruction given = draw(g, OP_ATTACH, i);
        given.op = term->kind == LS_COMMANDS ? OP_COMMAND_ATTACH : OP_ATTACH;
        given.entity = newborn;
        if (chance(g, 80))
            append(g, system, given);
        given = draw(g, OP_POINT, i);
        given.op = term->kind == LS_EVENTS        ? OP_SEND
                   : term->kind == LS_COMMANDS    ? OP_COMMAND_ATTACH
                   : term->kind == LS_ACCUMULATED ? OP_ACCUMULATE
                   : chance(g, 75)                ? OP_POINT
                                                  : OP_ATTACH;
        given.entity = chance(g, 70) ? E_MATCH : given.entity;
        given.to = newborn;
        given.field = 0, given.imm |= 1;
        if (chance(g, 80))
            append(g, system, given);
    }
}

static void make_bulk(struct generator *g, program_system *system)
{
    for (uint32_t i = 0; i < system->term_count && system->body_count < 3; i++) {
        struct instruction made = draw(g, chance(g, 60) ? OP_BULK_ATTACH : OP_BULK_DETACH, i);
        made.entity = E_MATCH;
        made.a = (uint8_t)below(g, 2);
        made.imm = chance(g, 50) ? 0 : below(g, 0xffffffff);
        if (chance(g, 30))
            append(g, system, made);
    }
}

static void make_body(struct generator *g, uint32_t index)
{
    program_system *system = &g->made->systems[index];
    if (system->is_concurrent)
        make_bulk(g, system);
    gather(g, system);
    if (chance(g, 30))
        guard(g, system, 6);
    for (uint32_t i = 0; i < system->term_count; i++)
        act_on_term(g, system, chance(g, 70) ? i : below(g, system->term_count));
    if (system->lane_count && chance(g, 85)) {
        guard(g, system, 4);
        bear(g, system, OP_SPAWN, (uint8_t)(E_NEWBORN + below(g, 2)));
    }
    if (system->command_lane_count) {
        guard(g, system, 4);
        bear(g, system, OP_COMMAND_SPAWN, E_COMMANDED);
    }
    if (chance(g, 25)) {
        guard(g, system, 1);
        struct instruction despawn = draw(g, OP_DESPAWN, 0);
        if (chance(g, 50)) /* another entity, which the roll may visit later */
            despawn.entity = (uint8_t)(chance(g, 50) ? E_LOADED + below(g, 2) : E_MATCH + 1);
        append(g, system, despawn);
    }
    if (chance(g, 30))
        gather(g, system);
    if (chance(g, 30) && system->term_count)
        act_on_term(g, system, below(g, system->term_count));
}

/* Picks a field of query `query`'s components that can be a key: one number, or one reference. */
static bool pick_key(struct generator *g, const program_system *system, uint32_t query,
                     bool is_reference, uint8_t *component, uint8_t *field)
{
    for (uint32_t tries = 0; tries < 20 && system->term_count; tries++) {
        const program_term *term = &system->terms[below(g, system->term_count)];
        const program_layout *layout = program_layout_of(g->made, term->component);
        if (term->kind != LS_INCLUDE || term->query != query || layout->field_count == 0)
            continue;
        *component = term->component;
        *field = (uint8_t)below(g, layout->field_count);
        const ls_field *found = &layout->fields[*field];
        if ((found->type == LS_TYPE_ENTITY) == is_reference &&
            found->bytes == ls_type_bytes(found->type))
            return true;
    }
    return false;
}

static void make_join(struct generator *g, uint32_t index)
{
    program_system *system = &g->made->systems[index];
    uint32_t queries = program_query_count(system);
    program_join made = {.has_from = chance(g, 60), .start = chance(g, 50)};
    bool is_reference = !made.has_from || chance(g, 50);
    if (queries < 2)
        return;
    made.query = (uint8_t)(1 + below(g, queries - 1));
    if (!pick_key(g, system, made.query, is_reference, &made.component, &made.field) ||
        (made.has_from && !pick_key(g, system, 0, is_reference, &made.from, &made.from_field)))
        return;
    system->joins[system->join_count++] = made;
}

static void make_system(struct generator *g, uint32_t index)
{
    program_system *system = &g->made->systems[index];
    system->is_concurrent = chance(g, 60);
    system->form = (uint8_t)below(g, FORM_COUNT);
    make_lanes(g, index);
    uint32_t dice = below(g, 100), vector = g->mood == MOOD_SMALL ? 50 : 6;
    uint32_t queries = dice < vector ? 2 + below(g, 2) : 1;
    if (!system->is_concurrent && dice >= 90)
        queries = 0;
    for (uint32_t i = 0; i < queries; i++) {
        uint32_t before = system->term_count;
        generate_query(g, index, i);
        if (system->term_count == before)
            break;
    }
    if (program_query_count(system) == 0)
        system->is_concurrent = false;
    if (chance(g, 60))
        make_join(g, index);
    generate_terms_beside(g, index);
}

static bool uses_event(const program_system *system, uint32_t event)
{
    for (uint32_t i = 0; i < system->term_count; i++) {
        if (system->terms[i].component == event)
            return true;
    }
    return false;
}

/* The index of the system with this rank in the order. */
static uint32_t system_at(const struct generator *g, uint32_t rank)
{
    return (rank + g->made->system_count - g->turn % g->made->system_count) % g->made->system_count;
}

/* Makes a system that does not use the event receive it, and up to two earlier ones send it,
 * because random choice rarely gives pairs. */
static void make_dialogue(struct generator *g, uint32_t event)
{
    struct program *p = g->made;
    uint32_t rank = below(g, p->system_count), reader = system_at(g, rank);
    if (p->components[event].role != ROLE_EVENT || uses_event(&p->systems[reader], event))
        return;
    generate_term(&p->systems[reader], (uint8_t)event, LS_EVENTS, LS_ACCESS_READ, 0);
    for (uint32_t i = 0; rank && i < 2; i++) {
        uint32_t sender = system_at(g, below(g, rank));
        if (!uses_event(&p->systems[sender], event))
            generate_term(&p->systems[sender], (uint8_t)event, LS_EVENTS, LS_ACCESS_WRITE, 0);
        p->before[sender][reader] = true;
    }
}

static void make_edges(struct generator *g)
{
    static const uint8_t percents[] = {0, 0, 20, 60, 100};
    struct program *p = g->made;
    uint32_t percent = percents[below(g, LS_COUNT_OF(percents))];
    g->turn = below(g, 8);
    for (uint32_t i = 0; g->mood != MOOD_PARALLEL && i < p->system_count; i++) {
        for (uint32_t j = 0; j < p->system_count; j++) {
            if ((i + g->turn) % p->system_count < (j + g->turn) % p->system_count &&
                chance(g, percent))
                p->before[i][j] = true;
        }
    }
}

struct program program_generate(uint64_t seed)
{
    struct program made;
    memset(&made, 0, sizeof made);
    struct generator g = {.random = program_hash(seed, 0), .made = &made};
    g.mood = (enum mood)below(&g, MOOD_COUNT);
    made.seed = seed;
    made.ticks = 5;
    made.lane_count = below(&g, PROGRAM_LANES_MAX + 1);
    made.system_count = 1 + below(&g, PROGRAM_SYSTEMS_MAX);
    generate_components(&g);
    g.has_sink = made.component_count > 2 && chance(&g, 40);
    for (uint32_t i = 0; i < PROGRAM_COMPONENTS_MAX; i++)
        g.owner[i] = chance(&g, 25) ? NO_ENTITY : (uint8_t)below(&g, made.system_count);
    generate_groups(&g);
    generate_names(&g);
    for (uint32_t i = 0; i < made.system_count; i++)
        make_system(&g, i);
    make_edges(&g);
    for (uint32_t i = 0; i < made.component_count; i++)
        make_dialogue(&g, i);
    for (uint32_t i = 0; i < made.system_count; i++)
        make_body(&g, i);
    generate_walks(&g);
    generate_partners(&g);
    generate_finds(&g);
    program_clean(&made);
    generate_facts(&g);
    generate_modules(&g);
    return made;
}
