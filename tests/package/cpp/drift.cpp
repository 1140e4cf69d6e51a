/* The simulation of README.md in C++20: the same names and tables, so the same roots. */
#include <lockstep/lockstep.h>

namespace
{

LS_COMPONENT(body, FIX(at), FIX(speed));
LS_COMPONENTS(components, body);
LS_TERMS(starting, OTHERS_STRUCTURE(body));
LS_TERMS(drifting, WRITES(body));

void start(ls_context *context, const ls_entity *)
{
    LS_USES(context, starting);
    for (int i = 0; i < 1000; i++)
        LS_ATTACH(context, body, ls_spawn(context, 0), .speed = ls_fix_from_int(i));
}

void drift(ls_context *context, const ls_span *span)
{
    LS_USES(context, drifting);
    body *self = LS_WRITE_SPAN(context, body, span);
    for (uint32_t i = 0; i < span->count; i++)
        self[i].at += self[i].speed;
}

const ls_system setup = {
    .name = "start", .mode = LS_SEQUENTIAL, .match = start, .terms = starting, .lanes = "world"};
const ls_system systems[] = {
    {.name = "drift", .mode = LS_CONCURRENT, .span = drift, .terms = drifting}};
const ls_sim sim = {.abi = LS_SIM_ABI,
                    .name = "drift",
                    .version = "1",
                    .source_hash = LS_SIM_SOURCE_HASH,
                    .tick_rate = 20,
                    .player_count = 2,
                    .components = components,
                    .component_count = 1,
                    .systems = systems,
                    .system_count = 1,
                    .setup = &setup};

} // namespace

LS_SIM_EXPORT const ls_sim *ls_sim_export(void)
{
    return &sim;
}
