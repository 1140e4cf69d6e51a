#include "fountain.h"

#include "sims/modules/physics.h"
#include <lockstep/world.h>

#include <stdio.h>

enum { DROPS, BOUNCES };
static const ls_option options[] = {
    [DROPS] = {"drops", "drops that rise in a tick", 1, 1000, 20},
    [BOUNCES] = {"bounces", "landings after which a drop dries", 1, 9, 2},
};
LS_COMPONENT(drop, U32(landings));
LS_COMPONENTS(components, drop);
static const char *const lanes[] = {"water"};

LS_TERMS(spraying, SPAWNS_WITH(body), SPAWNS_WITH(drop));

static void spray(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, spraying);
    int64_t count = ls_match_of(context)->options[DROPS];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t aside = ls_random(context, LS_ENTITY_NULL, 2 * i);
        uint64_t up = ls_random(context, LS_ENTITY_NULL, 2 * i + 1);
        ls_entity risen = ls_spawn(context, 0);
        LS_ATTACH(context, body, risen,
                  .speed = ls_fix2_make(ls_random_fix_range(aside, LS_FIX(-0.2), LS_FIX(0.2)),
                                        ls_random_fix_range(up, LS_FIX(0.5), LS_FIX(1))));
        LS_ATTACH(context, drop, risen, .landings = 0);
    }
}

LS_TERMS(drying, RECEIVES(landing), OTHERS_WRITE(drop));

static void dry(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, drying);
    uint32_t most = (uint32_t)ls_match_of(context)->options[BOUNCES];
    LS_EACH_EVENT(context, landing, news)
    {
        drop *landed = LS_WRITE(context, drop, news->body);
        if (++landed->landings >= most)
            ls_despawn(context, news->body);
    }
}

/* Removes a drop that comes to rest before its last landing. */
LS_TERMS(draining, READS(body), WITH(drop));

static LS_EACH_FUNCTION(drain, context, span)
{
    LS_USES(context, draining);
    const body *first = LS_READ_SPAN(context, body, span);
    LS_EACH_IN_SPAN(span, i)
    {
        if (first[i].at.y == 0 && first[i].speed.y == 0)
            ls_despawn(context, ls_span_entity(span, i));
    }
}

static const ls_system systems[] = {
    {.name = "dry", .mode = LS_SEQUENTIAL, .match = dry, .terms = drying, .after = "physics"},
    {.name = "drain",
     .mode = LS_CONCURRENT,
     .each = drain,
     .terms = draining,
     .after = "physics, dry"},
    {.name = "spray",
     .mode = LS_SEQUENTIAL,
     .match = spray,
     .terms = spraying,
     .lanes = "water",
     .after = "drain"},
};

LS_TERMS(drops, READS(body), WITH(drop));

static void describe(const ls_world *world, char *text, size_t bytes)
{
    unsigned count = 0;
    ls_fix highest = 0;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, drops, &walk); ls_world_walk_next(&walk);) {
        const body *first = LS_WALK_READ(drops, body, &walk);
        for (uint32_t i = 0; i < walk.span.count; i++)
            highest = ls_fix_max(highest, first[i].at.y);
        count += walk.span.count;
    }
    snprintf(text, bytes, "%u drops, the highest at %d", count, ls_fix_to_int(highest));
}

static const ls_module *const modules[] = {&ls_physics};

const ls_sim ls_fountain_sim = {
    .abi = LS_SIM_ABI,
    .name = "fountain",
    .version = "1",
    .summary = "Drops that rise and fall: an example of a module, with cannon",
    .source_hash = LS_SIM_SOURCE_HASH,
    .tick_rate = 20,
    .player_count = 1,
    .options = options,
    .option_count = LS_COUNT_OF(options),
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .lanes = lanes,
    .lane_count = LS_COUNT_OF(lanes),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
    .modules = modules,
    .module_count = LS_COUNT_OF(modules),
    .describe = describe,
};
