#include "toyphys.h"

#include <lockstep/context.h>
#include <lockstep/world.h>

#include <stdio.h>

typedef struct toyphys_pos {
    int32_t at;
} toyphys_pos;

typedef struct toyphys_vel {
    int32_t per_tick;
} toyphys_vel;

static const ls_field pos_fields[] = {LS_FIELD(toyphys_pos, at, LS_TYPE_I32)};
static const ls_field vel_fields[] = {LS_FIELD(toyphys_vel, per_tick, LS_TYPE_I32)};
static const ls_component pos = LS_COMPONENT(toyphys_pos, "Pos", pos_fields);
static const ls_component vel = LS_COMPONENT(toyphys_vel, "Vel", vel_fields);
static const ls_component *const components[] = {&pos, &vel};
static const char *const lanes[] = {"bodies"};

enum { INERTIA_POS, INERTIA_VEL };

static void inertia(ls_context *context, const ls_span *span)
{
    toyphys_pos *p = ls_span_write(context, span, INERTIA_POS);
    const toyphys_vel *v = ls_span_read(context, span, INERTIA_VEL);
    /* Unsigned, because signed overflow is undefined and a match of many days overflows. */
    for (uint32_t i = 0; i < span->count; i++)
        p[i].at = (int32_t)((uint32_t)p[i].at + (uint32_t)v[i].per_tick);
}

/* j moves, h is at rest. NEW: the body that the collision spawns, and h's new velocity. */
enum {
    COLLIDE_POS_J,
    COLLIDE_VEL_J,
    COLLIDE_POS_H,
    COLLIDE_NO_VEL_H,
    COLLIDE_POS_NEW,
    COLLIDE_VEL_NEW
};

static void collide(ls_context *context, const ls_entity *entities)
{
    ls_entity j = entities[0], h = entities[1];
    toyphys_pos at = *(const toyphys_pos *)ls_cell_find(context, COLLIDE_POS_J, j);
    toyphys_vel speed = *(const toyphys_vel *)ls_cell_find(context, COLLIDE_VEL_J, j);
    const toyphys_pos *other = ls_cell_find(context, COLLIDE_POS_H, h);
    if (at.at != other->at)
        return;
    toyphys_vel onward = {speed.per_tick / 2}, back = {speed.per_tick / -2};
    ls_cell_detach(context, COLLIDE_POS_J, j);
    ls_cell_detach(context, COLLIDE_VEL_J, j);
    ls_cell_attach(context, COLLIDE_VEL_NEW, h, &onward);
    ls_entity body = ls_spawn(context, 0);
    ls_cell_attach(context, COLLIDE_POS_NEW, body, &at);
    ls_cell_attach(context, COLLIDE_VEL_NEW, body, &back);
}

static const ls_system systems[] = {
    {.name = "inertia",
     .mode = LS_CONCURRENT,
     .span = inertia,
     .terms = LS_TERM_LIST([INERTIA_POS] = LS_WRITES(pos), [INERTIA_VEL] = LS_READS(vel))},
    {.name = "collide",
     .mode = LS_SEQUENTIAL,
     .match = collide,
     .terms = LS_TERM_LIST([COLLIDE_POS_J] = LS_TERM(0, LS_INCLUDE, LS_STRUCTURE, pos),
                           [COLLIDE_VEL_J] = LS_TERM(0, LS_INCLUDE, LS_STRUCTURE, vel),
                           [COLLIDE_POS_H] = LS_TERM(1, LS_INCLUDE, LS_READ, pos),
                           [COLLIDE_NO_VEL_H] = LS_TERM(1, LS_EXCLUDE, LS_PRESENCE, vel),
                           [COLLIDE_POS_NEW] = LS_OTHERS_STRUCTURE(pos),
                           [COLLIDE_VEL_NEW] = LS_OTHERS_STRUCTURE(vel)),
     .lanes = "bodies",
     .after = "inertia"},
};

enum { START_POS, START_VEL };

static void start(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    ls_entity thrown = ls_spawn(context, 0);
    ls_cell_attach(context, START_POS, thrown, &(toyphys_pos){1});
    ls_cell_attach(context, START_VEL, thrown, &(toyphys_vel){6});
    ls_entity resting = ls_spawn(context, 0);
    ls_cell_attach(context, START_POS, resting, &(toyphys_pos){7});
    ls_entity passing = ls_spawn(context, 0);
    ls_cell_attach(context, START_POS, passing, &(toyphys_pos){9});
    ls_cell_attach(context, START_VEL, passing, &(toyphys_vel){-2});
}

static const ls_system setup = {
    .name = "start",
    .mode = LS_SEQUENTIAL,
    .match = start,
    .terms = LS_TERM_LIST([START_POS] = LS_OTHERS_STRUCTURE(pos), [START_VEL] =
                                                                      LS_OTHERS_STRUCTURE(vel)),
    .lanes = "bodies",
};

static void describe(const ls_world *world, char *text, size_t bytes)
{
    static const ls_term moving[] = {LS_READS(pos), LS_WITH(vel), {NULL, 0, 0, 0}};
    unsigned count = 0;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, moving, &walk); ls_world_walk_next(&walk);)
        count += walk.span.count;
    snprintf(text, bytes, "%u bodies move", count);
}

const ls_sim ls_toyphys_sim = {
    .abi = LS_SIM_ABI,
    .name = "toyphys",
    .version = "1",
    .summary = "Bodies on a line that collide: the running example of the Core ECS paper",
    .source_hash = LS_SIM_SOURCE_HASH,
    .tick_rate = 1,
    .player_count = 1,
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .lanes = lanes,
    .lane_count = LS_COUNT_OF(lanes),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
    .setup = &setup,
    .describe = describe,
};
