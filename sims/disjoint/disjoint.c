#include "disjoint.h"

#include <lockstep/uses.h>
#include <lockstep/world.h>

#include <stdio.h>

LS_COMPONENT_NAMED(number, "Int", I32(n));
LS_COMPONENTS(components, number);
static const char *const lanes[] = {"numbers"};
enum { BOUND = 4 };

LS_TERMS(adjusting, WRITES(number));

static void increment(ls_context *context, const ls_span *span)
{
    LS_USES(context, adjusting);
    number *first = LS_WRITE_SPAN(context, number, span);
    for (uint32_t i = 0; i < span->count; i++)
        first[i].n += first[i].n < BOUND;
}

static void decrement(ls_context *context, const ls_span *span)
{
    LS_USES(context, adjusting);
    number *first = LS_WRITE_SPAN(context, number, span);
    for (uint32_t i = 0; i < span->count; i++)
        first[i].n -= first[i].n >= BOUND;
}

/* In sequence the second system would undo the first: a 3 becomes 4 and 3 again, or a 4 becomes 3
 * and 4 again. */
static const ls_algebra schedule = LS_PAR(LS_CONC("increment"), LS_CONC("decrement"));
static const ls_system systems[] = {
    {.name = "increment", .mode = LS_CONCURRENT, .span = increment, .terms = adjusting},
    {.name = "decrement", .mode = LS_CONCURRENT, .span = decrement, .terms = adjusting},
};

LS_TERMS(starting, SPAWNS_WITH(number));

static void start(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, starting);
    LS_ATTACH(context, number, ls_spawn(context, 0), .n = 3);
    LS_ATTACH(context, number, ls_spawn(context, 0), .n = 8);
}

static const ls_system setup = {
    .name = "start", .mode = LS_SEQUENTIAL, .match = start, .terms = starting, .lanes = "numbers"};

LS_TERMS(numbers, READS(number));

static void describe(const ls_world *world, char *text, size_t bytes)
{
    size_t used = 0;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, numbers, &walk); ls_world_walk_next(&walk);) {
        const number *first = LS_WALK_READ(numbers, number, &walk);
        for (uint32_t i = 0; i < walk.span.count && used < bytes; i++)
            used +=
                (size_t)snprintf(text + used, bytes - used, "%s%d", used ? " " : "", first[i].n);
    }
}

const ls_sim ls_disjoint_sim = {
    .abi = LS_SIM_ABI,
    .name = "disjoint",
    .version = "1",
    .summary = "Numbers that two sides of a par change: the second example of the Core ECS paper",
    .source_hash = LS_SIM_SOURCE_HASH,
    .tick_rate = 1,
    .player_count = 1,
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .lanes = lanes,
    .lane_count = LS_COUNT_OF(lanes),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
    .schedule = &schedule,
    .setup = &setup,
    .describe = describe,
};
