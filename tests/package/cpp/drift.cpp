/* The simulation of README.md in C++20: the same names and tables, so the same roots. Where C has a
 * compound literal, C++ has a variable. */
#include <lockstep/lockstep.h>

namespace
{

struct body {
    ls_fix at, speed;
};
const ls_field fields[] = {LS_FIELD(body, at, LS_TYPE_FIX), LS_FIELD(body, speed, LS_TYPE_FIX)};
const ls_component Body = LS_COMPONENT(body, "body", fields), *const components[] = {&Body};

void start(ls_context *context, const ls_entity *)
{
    for (int i = 0; i < 1000; i++) {
        body cell = {.at = 0, .speed = ls_fix_from_int(i)};
        LS_CELL_ATTACH(context, 0, ls_spawn(context, 0), &cell);
    }
}

void drift(ls_context *context, const ls_span *span)
{
    body *self = LS_SPAN_WRITE(body, context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        self[i].at += self[i].speed;
}

const ls_term setup_terms[] = {LS_OTHERS_STRUCTURE(Body), {}};
const ls_term drift_terms[] = {LS_WRITES(Body), {}};

const ls_system setup = {
    .name = "start", .mode = LS_SEQUENTIAL, .match = start, .terms = setup_terms, .lanes = "world"};
const ls_system systems[] = {
    {.name = "drift", .mode = LS_CONCURRENT, .span = drift, .terms = drift_terms}};
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
