/* Loops over integers, fixed point and floats, whose functions LS_WIDE compiles twice. A second
 * build has one version of each. Both builds have one fingerprint: a reserved name does not enter
 * it. */
#ifdef _WIDE_NOT
#define LS_WIDE
#endif
#include <lockstep/lockstep.h>

enum { BODIES = 3000 };

LS_COMPONENT(place, I32(x), I32(y));
LS_COMPONENT(push, I32(x), I32(y));
LS_COMPONENT(heat, FIX(now));
LS_COMPONENT(sum, U64(total));
LS_COMPONENTS(components, place, push, heat, sum);
static const char *const lanes[] = {"bodies"};

LS_TERMS(moving, WRITES(place), READS(push));

static LS_EACH_FUNCTION(move, context, span)
{
    LS_USES(context, moving);
    place *at = LS_WRITE_SPAN(context, place, span);
    const push *by = LS_READ_SPAN(context, push, span);
    LS_EACH_IN_SPAN(span, i)
    {
        at[i].x = (at[i].x + by[i].x) & 0xffff;
        at[i].y = (at[i].y - by[i].y) & 0xffff;
    }
}

LS_TERMS(warming, WRITES(heat), READS(place));

/* Products and sums that one instruction with a single rounding would give otherwise. */
static LS_WIDE void warm(ls_context *context, const ls_span *span)
{
    LS_USES(context, warming);
    heat *body = LS_WRITE_SPAN(context, heat, span);
    const place *at = LS_READ_SPAN(context, place, span);
    for (uint32_t i = 0; i < span->count; i++) {
        float part = (float)at[i].x * 0.37f + (float)at[i].y / 3.1f;
        double whole = (double)part * 1000.1 + (double)body[i].now * 0.7;
        body[i].now = (int32_t)(whole - (double)at[i].x * 1e-3);
    }
}

LS_TERMS(adding, WRITES(sum), READS(heat));

static LS_WIDE void add(ls_context *context, const ls_block *block)
{
    LS_USES(context, adding);
    sum *all = LS_WRITE_BLOCK(context, sum, block);
    const heat *body = LS_READ_BLOCK(context, heat, block);
    uint64_t matches = block->matches;
    for (uint32_t i; ls_mask_take(&matches, &i);)
        all[i].total = all[i].total * 5 + (uint64_t)ls_fix_mul(body[i].now, LS_FIX(0.9));
}

LS_TERMS(changing, READS(place), OTHERS_STRUCTURE(push));

/* Makes and closes gaps, so that move() runs in both of its forms. */
static void change(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, changing);
    uint64_t draw = ls_random(context, entities[0], 0);
    if (draw % 512 == 0)
        LS_DETACH(context, push, entities[0]);
    else if (draw % 512 == 1)
        LS_ATTACH(context, push, entities[0], (int32_t)(draw >> 20 & 255),
                  (int32_t)(draw >> 30 & 63));
}

static const ls_system systems[] = {
    {.name = "change", .mode = LS_SEQUENTIAL, .match = change, .terms = changing},
    {.name = "move", .mode = LS_CONCURRENT, .each = move, .terms = moving, .after = "change"},
    {.name = "warm", .mode = LS_CONCURRENT, .span = warm, .terms = warming, .after = "move"},
    {.name = "add", .mode = LS_CONCURRENT, .block = add, .terms = adding, .after = "warm"},
};

LS_TERMS(starting, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(push), OTHERS_STRUCTURE(heat),
         OTHERS_STRUCTURE(sum));

static void start(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, starting);
    for (uint32_t i = 0; i < BODIES; i++) {
        ls_entity one = ls_spawn(context, 0);
        LS_ATTACH(context, place, one, (int32_t)i, (int32_t)(i * i & 0xffff));
        LS_ATTACH(context, heat, one, (int32_t)i);
        LS_ATTACH(context, sum, one, 0);
        LS_ATTACH(context, push, one, (int32_t)i & 63, (int32_t)i & 15);
    }
}

static const ls_system setup = {
    .name = "start", .mode = LS_SEQUENTIAL, .match = start, .terms = starting, .lanes = "bodies"};

static const ls_sim wide = {
    .abi = LS_SIM_ABI,
    .name = "wide",
    .version = "1",
    .summary = "loops that vectorise",
    .source_hash = LS_SIM_SOURCE_HASH,
    .tick_rate = 20,
    .player_count = 1,
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .lanes = lanes,
    .lane_count = LS_COUNT_OF(lanes),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
    .setup = &setup,
};

LS_SIM_EXPORT const ls_sim *ls_sim_export(void)
{
    return &wide;
}
