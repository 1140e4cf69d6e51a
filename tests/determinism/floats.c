/* A swarm of bodies with floats and doubles in their components: its digest must be the same on
 * every machine, as that of a simulation in fixed point. */
#include "tests/determinism/floats.h"
#include "tests/determinism/floats_tick.h"
#include <lockstep/lockstep.h>

/* The engine hashes a float by its bits. */
LS_COMPONENT_OF(floats_body, body, "body", U64(x), U64(y), U32(speed_x), U32(speed_y), U32(fading),
                U32(spin));
LS_SINGLETON_OF(floats_centre, centre, "centre", U64(x), U64(y), U64(energy), U64(count));
LS_COMPONENTS(components, body, centre);
static const char *const lanes[] = {"bodies"};

LS_TERMS(pulling, WRITES(body), READS_SINGLETON(centre));

static void pull(ls_context *context, const ls_span *span)
{
    LS_USES(context, pulling);
    floats_body *bodies = LS_WRITE_SPAN(context, body, span);
    const floats_centre *own = LS_READ_SINGLETON(context, centre);
    for (uint32_t i = 0; i < span->count; i++)
        floats_pull(&bodies[i], own);
}

LS_TERMS(adding, READS(body), WRITES_SINGLETON(centre));

/* Called for each body in canonical order. */
static void add(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, adding);
    floats_add(LS_READ(context, body, entities[0]), LS_WRITE_SINGLETON(context, centre));
}

static const ls_system systems[] = {
    {.name = "pull", .mode = LS_CONCURRENT, .span = pull, .terms = pulling},
    {.name = "add", .mode = LS_SEQUENTIAL, .match = add, .terms = adding, .after = "pull"},
};

/* A place in -8..8, exact in any float. */
static double place(ls_random_stream seed, uint32_t number)
{
    return (double)(int32_t)(ls_random_draw(seed, number) & 0xffff) / 4096.0 - 8.0;
}

LS_TERMS(starting, OTHERS_STRUCTURE(body));

static void start(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, starting);
    ls_random_stream seed = ls_random_root(ls_match_of(context)->seed);
    for (uint32_t i = 0; i < FLOATS_BODIES; i++) {
        floats_body first = {.x = place(seed, 3 * i), .y = place(seed, 3 * i + 1)};
        first.spin = (float)place(seed, 3 * i + 2);
        LS_ATTACH_COPY(context, body, ls_spawn(context, 0), &first);
    }
}

static const ls_system setup = {
    .name = "start", .mode = LS_SEQUENTIAL, .match = start, .terms = starting, .lanes = "bodies"};

const ls_sim floats_sim = {.abi = LS_SIM_ABI,
                           .name = "floats",
                           .version = "1",
                           .summary = "Floats in components",
                           .source_hash = "floats",
                           .tick_rate = 20,
                           .player_count = 1,
                           .components = components,
                           .component_count = LS_COUNT_OF(components),
                           .lanes = lanes,
                           .lane_count = LS_COUNT_OF(lanes),
                           .systems = systems,
                           .system_count = LS_COUNT_OF(systems),
                           .setup = &setup};
