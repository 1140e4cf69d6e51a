/* A simulation in a shared object, for tests that find the file and line of its functions. */
#include <lockstep/by_index.h>
#include <lockstep/lockstep.h>

LS_COMPONENT(spot, I32(x), I32(y));
LS_COMPONENTS(components, spot);
static const char *const lanes[] = {"spots"};

static inline __attribute__((always_inline)) void shift(spot *cell)
{
    cell->y += cell->x; /* line 11 */
}

static void drift(ls_context *context, const ls_span *span)
{
    spot *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        shift(&cells[i]);
}

static const ls_system systems[] = {{.name = "drift",
                                     .mode = LS_CONCURRENT,
                                     .span = drift,
                                     .terms = LS_TERM_LIST(LS_WRITES(spot_component))}};

static const ls_sim planted = {
    .abi = LS_SIM_ABI,
    .name = "planted",
    .version = "1",
    .source_hash = LS_SIM_SOURCE_HASH,
    .tick_rate = 20,
    .player_count = 1,
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .lanes = lanes,
    .lane_count = LS_COUNT_OF(lanes),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
};

LS_SIM_EXPORT const ls_sim *ls_sim_export(void)
{
    return &planted;
}
