#include "steady_sim.h"
#include <lockstep/by_index.h>

typedef struct level {
    uint32_t value;
} level;

typedef struct bond {
    ls_entity child;
    uint64_t age;
} bond;

static const ls_field level_fields[] = {LS_FIELD(level, value, LS_TYPE_U32)};
static const ls_field bond_fields[] = {LS_FIELD(bond, child, LS_TYPE_ENTITY),
                                       LS_FIELD(bond, age, LS_TYPE_U64)};
static const ls_component levels = LS_COMPONENT_TABLE(level, "level", level_fields);
static const ls_component damages = LS_COMPONENT_TABLE(level, "damage", level_fields);
static const ls_component bonds = LS_COMPONENT_TABLE(bond, "bond", bond_fields);
static const ls_component sums = LS_SINGLETON_TABLE(level, "sum", level_fields);
static const ls_component lit = LS_TAG_TABLE("lit");
static const ls_component hits = LS_EVENT_TABLE(bond, "hit", bond_fields);
static const ls_component *const components[] = {&levels, &damages, &bonds, &sums, &lit, &hits};
static const char *const lanes[] = {"rock", "spark", "echo"};
enum { ROCKS = 1200, ROCK_LANE = 2 };

static void place(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < ROCKS; i++) {
        ls_entity rock = ls_spawn(context, 0);
        ls_cell_attach(context, 0, rock, &(level){i});
        ls_cell_attach(context, 1, rock, NULL);
    }
}

/* In every tick each rock spawns a spark, names it in its own cell and in an event, and spawns an
 * echo by a command. */
enum { BEAR_LEVEL, BEAR_BOND, BEAR_BORN, BEAR_HIT, BEAR_ECHO };

static void bear(ls_context *context, const ls_entity *entities)
{
    ls_entity born = ls_spawn(context, 0), echo = ls_command_spawn(context, 0);
    bond tie = {born, ls_tick(context)};
    ls_cell_attach(context, BEAR_BOND, entities[0], &tie);
    ls_cell_attach(context, BEAR_BORN, born, &(bond){entities[0], 0});
    ls_event_send(context, BEAR_HIT, &tie);
    ls_command_attach(context, BEAR_ECHO, echo, &tie);
}

/* Receives the events with the entities spawned in this tick, and despawns those; they go when the
 * tick ends. */
static void hear(ls_context *context, const ls_entity *entities)
{
    ls_event_walk walk;
    ls_event_begin(context, 0, &walk);
    for (const bond *heard; (heard = ls_event_next(&walk));)
        ls_despawn(context, heard->child);
}

/* Echoes live for one tick: a command spawned them in the last tick, and they have no level. */
static void fade(ls_context *context, const ls_entity *entities)
{
    ls_accumulate(context, 1, LS_ENTITY_NULL, &(level){1});
    ls_despawn(context, entities[0]);
}

static void mix(ls_context *context, const ls_span *span)
{
    level *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        uint32_t other = (span->first_slot + i + 300) % ROCKS;
        const level *old = ls_cell_find(context, 1, ls_entity_make(ROCK_LANE, other, 1));
        own[i].value = own[i].value * 3 + old->value;
        ls_accumulate(context, 2, ls_entity_make(ROCK_LANE, other, 1), &(level){own[i].value});
    }
}

static void blink(ls_context *context, const ls_block *block)
{
    ls_block_detach(context, block, 1, block->matches & block->present[1]);
    ls_block_attach(context, block, 1, block->matches & ~block->present[1]);
}

static const ls_system setup = {
    .name = "place",
    .mode = LS_SEQUENTIAL,
    .match = place,
    .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(levels), LS_OTHERS_STRUCTURE(damages)),
    .lanes = "rock"};
static const ls_system systems[] = {
    {.name = "bear",
     .match = bear,
     .terms = LS_TERM_LIST([BEAR_LEVEL] = LS_WITH(levels), [BEAR_BOND] = LS_ATTACHES(bonds),
                           [BEAR_BORN] = LS_SPAWNS_WITH(bonds), [BEAR_HIT] = LS_SENDS(hits),
                           [BEAR_ECHO] = LS_COMMANDED(bonds)),
     .lanes = "spark",
     .command_lanes = "echo"},
    {.name = "receive",
     .mode = LS_SEQUENTIAL,
     .match = hear,
     .terms = LS_TERM_LIST(LS_RECEIVES(hits)),
     .after = "bear"},
    {.name = "fade",
     .match = fade,
     .terms = LS_TERM_LIST(LS_WITH(bonds), LS_ACCUMULATES(sums, LS_ADD), LS_WITHOUT(levels)),
     .before = "bear"},
    {.name = "mix",
     .span = mix,
     .terms =
         LS_TERM_LIST(LS_WRITES(levels), LS_OTHERS_START(levels), LS_ACCUMULATES(damages, LS_ADD))},
    {.name = "blink", .block = blink, .terms = LS_TERM_LIST(LS_WITH(damages), LS_ATTACHES(lit))},
};

const ls_sim steady_sim = {.abi = LS_SIM_ABI,
                           .name = "steady",
                           .version = "1",
                           .tick_rate = 10,
                           .player_count = 2,
                           .components = components,
                           .component_count = LS_COUNT_OF(components),
                           .lanes = lanes,
                           .lane_count = LS_COUNT_OF(lanes),
                           .systems = systems,
                           .system_count = LS_COUNT_OF(systems),
                           .setup = &setup};

/* Two sides of a par change levels, spawn and despawn; a stage inside runs them repeatedly. */
static void raise(ls_context *context, const ls_span *span)
{
    level *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].value += (span->first_slot + i) % 2;
}

static void lower(ls_context *context, const ls_entity *entities)
{
    if (ls_entity_slot(entities[0]) % 2)
        return;
    ls_join_walk walk;
    ls_join_begin(context, 0, ls_entity_slot(entities[0]), &walk);
    uint32_t found = 0;
    for (ls_entity other; ls_join_next(&walk, &other);)
        found++;
    ((level *)ls_cell_write(context, 0, entities[0]))->value -= 1 + found;
    ls_entity born = ls_spawn(context, 0);
    ls_cell_attach(context, 1, born, &(bond){entities[0], 0});
}

static void end_bonds(ls_context *context, const ls_entity *entities)
{
    ls_despawn(context, entities[0]);
}

static void say_twice(ls_context *context, const ls_entity *unused)
{
    ls_decide(context, ls_iteration(context) == 0 ? LS_YES_AND_AGAIN : LS_YES);
}

static const ls_system twice = {.name = "twice", .mode = LS_SEQUENTIAL, .match = say_twice};
static const ls_stage stages[] = {
    {.name = "main"}, {.name = "loop", .when = {.criterion = &twice, .iterations_max = 2}}};
static const ls_set sets[] = {{.name = "again", .when = {.criterion = &twice, .iterations_max = 2}},
                              {.name = "third", .when = {.every = 3}}};
#define RAISER(label, ...)                                                                         \
    {                                                                                              \
        .name = label, .span = raise, .terms = LS_TERM_LIST(LS_WRITES(levels)), .stage = "loop",   \
        __VA_ARGS__                                                                                \
    }
static const ls_system looping[] = {
    RAISER("raise", .labels = "again"),
    {.name = "lower",
     .match = lower,
     .terms = LS_TERM_LIST(LS_WRITES(levels), LS_SPAWNS_WITH(bonds)),
     .joins = LS_JOINS({.component = &levels, .offset = offsetof(level, value), .start = true}),
     .lanes = "spark",
     .labels = "again",
     .stage = "loop"},
    RAISER("later", .labels = "third", .after = "both"),
    {.name = "end",
     .mode = LS_SEQUENTIAL,
     .match = end_bonds,
     .terms = LS_TERM_LIST(LS_WITH(bonds)),
     .stage = "loop",
     .slot = LS_BEFORE_COMMANDS},
};
static const ls_par pars[] = {{.name = "both", .sides = "raise, lower"}};

const ls_sim steady_par_sim = {.abi = LS_SIM_ABI,
                               .name = "steady par",
                               .version = "1",
                               .tick_rate = 10,
                               .player_count = 2,
                               .components = components,
                               .component_count = LS_COUNT_OF(components),
                               .lanes = lanes,
                               .lane_count = LS_COUNT_OF(lanes),
                               .systems = looping,
                               .system_count = LS_COUNT_OF(looping),
                               .stages = stages,
                               .stage_count = LS_COUNT_OF(stages),
                               .sets = sets,
                               .set_count = LS_COUNT_OF(sets),
                               .pars = pars,
                               .par_count = LS_COUNT_OF(pars),
                               .setup = &setup};
