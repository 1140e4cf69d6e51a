/* Bodies that only drift. The faulty build moves one field of one body once, after some ticks, and
 * logs the tick. Both builds have one fingerprint. */
#include <lockstep/by_index.h>
#include <lockstep/lockstep.h>

#include <stdio.h>
#include <time.h>

enum { BODIES = 700, FAULTY_SLOT = 305, FAULTY_CALL = 100 };

typedef struct body {
    int32_t x, y;
} body;

static const ls_field body_fields[] = {LS_FIELD(body, x, LS_TYPE_I32),
                                       LS_FIELD(body, y, LS_TYPE_I32)};
static const ls_component body_component = LS_COMPONENT_TABLE(body, "body", body_fields);
static const ls_component *const components[] = {&body_component};
static const char *const lanes[] = {"bodies"};

#ifdef _DRIFT_FAULTY
static void plant(body *bodies, const ls_span *span)
{
    static uint32_t calls;
    for (uint32_t i = 0; i < span->count; i++) {
        if (ls_entity_slot(ls_span_entity(span, i)) != FAULTY_SLOT || ++calls != FAULTY_CALL)
            continue;
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        fprintf(stderr, "planted at=%lld.%09ld y=%d\n", (long long)now.tv_sec, now.tv_nsec,
                bodies[i].y);
        bodies[i].y += 5;
    }
}
#endif

static void drift(ls_context *context, const ls_span *span)
{
    body *bodies = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        uint64_t draw = ls_random(context, ls_span_entity(span, i), 0);
        bodies[i].x += (int32_t)(draw & 15);
        bodies[i].y += (int32_t)(draw >> 8 & 15);
    }
#ifdef _DRIFT_FAULTY
    plant(bodies, span);
#endif
}

static const ls_system systems[] = {{.name = "drift",
                                     .mode = LS_CONCURRENT,
                                     .span = drift,
                                     .terms = LS_TERM_LIST(LS_WRITES(body_component))}};

static void start(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    for (uint32_t i = 0; i < BODIES; i++)
        ls_cell_attach(context, 0, ls_spawn(context, 0), &(body){(int32_t)i, 0});
}

static const ls_system setup = {.name = "start",
                                .mode = LS_SEQUENTIAL,
                                .match = start,
                                .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(body_component)),
                                .lanes = "bodies"};

static bool is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes, uint32_t count)
{
    (void)match, (void)player, (void)bytes;
    return count == 1;
}

static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    bytes[0] = (uint8_t)(ls_world_tick(world) + player);
    return 1;
}

static const ls_sim drift_sim = {.abi = LS_SIM_ABI,
                                 .name = "drift",
                                 .version = "1",
                                 .summary = "bodies drift",
                                 .source_hash = LS_SIM_SOURCE_HASH,
                                 .tick_rate = 60,
                                 .player_count = 4,
                                 .components = components,
                                 .component_count = LS_COUNT_OF(components),
                                 .lanes = lanes,
                                 .lane_count = LS_COUNT_OF(lanes),
                                 .systems = systems,
                                 .system_count = LS_COUNT_OF(systems),
                                 .setup = &setup,
                                 .input_is_valid = is_valid,
                                 .bot = bot};

LS_SIM_EXPORT const ls_sim *ls_sim_export(void)
{
    return &drift_sim;
}
