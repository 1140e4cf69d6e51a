#include "toyphys.h"

#include <lockstep/uses.h>
#include <lockstep/world.h>

#include <stdio.h>

LS_COMPONENT_NAMED(pos, "Pos", I32(at));
LS_COMPONENT_NAMED(vel, "Vel", I32(per_tick));
LS_COMPONENTS(components, pos, vel);
static const char *const lanes[] = {"bodies"};

LS_TERMS(inertia_terms, WRITES(pos), READS(vel));

static void inertia(ls_context *context, const ls_span *span)
{
    LS_USES(context, inertia_terms);
    pos *p = LS_WRITE_SPAN(context, pos, span);
    const vel *v = LS_READ_SPAN(context, vel, span);
    /* Unsigned, because signed overflow is undefined and a match of many days overflows. */
    for (uint32_t i = 0; i < span->count; i++)
        p[i].at = (int32_t)((uint32_t)p[i].at + (uint32_t)v[i].per_tick);
}

/* Query 0 moves, query 1 is at rest. `new_pos` and `new_vel` are of the body that the collision
 * spawns; the body at rest gets a velocity through `new_vel`, too. */
LS_TERMS(collide_terms, DETACHES(pos), DETACHES(vel),
         QUERY(1, READS(pos, rest_pos), WITHOUT(vel, no_vel)), OTHERS_STRUCTURE(pos, new_pos),
         OTHERS_STRUCTURE(vel, new_vel));

static void collide(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, collide_terms);
    ls_entity moving = entities[0], resting = entities[1];
    pos at = *LS_READ(context, pos, moving);
    vel speed = *LS_READ(context, vel, moving);
    if (at.at != LS_READ(context, rest_pos, resting)->at)
        return;
    LS_DETACH(context, pos, moving);
    LS_DETACH(context, vel, moving);
    LS_ATTACH(context, new_vel, resting, .per_tick = speed.per_tick / 2);
    ls_entity body = ls_spawn(context, 0);
    LS_ATTACH_COPY(context, new_pos, body, &at);
    LS_ATTACH(context, new_vel, body, .per_tick = speed.per_tick / -2);
}

static const ls_system systems[] = {
    {.name = "inertia", .mode = LS_CONCURRENT, .span = inertia, .terms = inertia_terms},
    {.name = "collide",
     .mode = LS_SEQUENTIAL,
     .match = collide,
     .terms = collide_terms,
     .lanes = "bodies",
     .after = "inertia"},
};

LS_TERMS(start_terms, OTHERS_STRUCTURE(pos), OTHERS_STRUCTURE(vel));

static void start(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, start_terms);
    ls_entity thrown = ls_spawn(context, 0);
    LS_ATTACH(context, pos, thrown, .at = 1);
    LS_ATTACH(context, vel, thrown, .per_tick = 6);
    ls_entity resting = ls_spawn(context, 0);
    LS_ATTACH(context, pos, resting, .at = 7);
    ls_entity passing = ls_spawn(context, 0);
    LS_ATTACH(context, pos, passing, .at = 9);
    LS_ATTACH(context, vel, passing, .per_tick = -2);
}

static const ls_system setup = {.name = "start",
                                .mode = LS_SEQUENTIAL,
                                .match = start,
                                .terms = start_terms,
                                .lanes = "bodies"};

LS_TERMS(moving_terms, READS(pos), WITH(vel));

static void describe(const ls_world *world, char *text, size_t bytes)
{
    unsigned count = 0;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, moving_terms, &walk); ls_world_walk_next(&walk);)
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
