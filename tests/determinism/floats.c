/* A swarm of bodies with floats and doubles in their components: its digest must be the same on
 * every machine, as that of a simulation in fixed point. */
#include "tests/determinism/floats.h"
#include "tests/determinism/floats_tick.h"
#include <lockstep/lockstep.h>

/* The engine hashes a float by its bits. */
static const ls_field body_fields[] = {
    LS_FIELD(floats_body, x, LS_TYPE_U64),       LS_FIELD(floats_body, y, LS_TYPE_U64),
    LS_FIELD(floats_body, speed_x, LS_TYPE_U32), LS_FIELD(floats_body, speed_y, LS_TYPE_U32),
    LS_FIELD(floats_body, fading, LS_TYPE_U32),  LS_FIELD(floats_body, spin, LS_TYPE_U32)};
static const ls_field centre_fields[] = {
    LS_FIELD(floats_centre, x, LS_TYPE_U64), LS_FIELD(floats_centre, y, LS_TYPE_U64),
    LS_FIELD(floats_centre, energy, LS_TYPE_U64), LS_FIELD(floats_centre, count, LS_TYPE_U64)};
static const ls_component Body = LS_COMPONENT(floats_body, "body", body_fields);
static const ls_component Centre = LS_SINGLETON(floats_centre, "centre", centre_fields);
static const ls_component *const components[] = {&Body, &Centre};
static const char *const lanes[] = {"bodies"};

enum { BODY, CENTRE };

static void pull(ls_context *context, const ls_span *span)
{
    floats_body *bodies = LS_SPAN_WRITE(floats_body, context, span, BODY);
    const floats_centre *own = LS_SINGLETON_READ(floats_centre, context, CENTRE);
    for (uint32_t i = 0; i < span->count; i++)
        floats_pull(&bodies[i], own);
}

/* Called for each body in canonical order. */
static void add(ls_context *context, const ls_entity *entities)
{
    floats_add(LS_CELL_FIND(floats_body, context, BODY, entities[0]),
               LS_SINGLETON_WRITE(floats_centre, context, CENTRE));
}

static const ls_system systems[] = {
    {.name = "pull",
     .mode = LS_CONCURRENT,
     .span = pull,
     .terms = LS_TERM_LIST([BODY] = LS_WRITES(Body), [CENTRE] = LS_OTHERS_READ(Centre))},
    {.name = "add",
     .mode = LS_SEQUENTIAL,
     .match = add,
     .terms = LS_TERM_LIST([BODY] = LS_READS(Body), [CENTRE] = LS_OTHERS_WRITE(Centre)),
     .after = "pull"},
};

/* A place in -8..8, exact in any float. */
static double place(ls_random_stream seed, uint32_t number)
{
    return (double)(int32_t)(ls_random_draw(seed, number) & 0xffff) / 4096.0 - 8.0;
}

static void start(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    ls_random_stream seed = ls_random_root(ls_match_of(context)->seed);
    for (uint32_t i = 0; i < FLOATS_BODIES; i++) {
        floats_body first = {.x = place(seed, 3 * i), .y = place(seed, 3 * i + 1)};
        first.spin = (float)place(seed, 3 * i + 2);
        LS_CELL_ATTACH(context, BODY, ls_spawn(context, 0), &first);
    }
}

static const ls_system setup = {.name = "start",
                                .mode = LS_SEQUENTIAL,
                                .match = start,
                                .terms = LS_TERM_LIST([BODY] = LS_OTHERS_STRUCTURE(Body)),
                                .lanes = "bodies"};

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
