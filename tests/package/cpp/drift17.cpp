/* The simulation of README.md in C++17, which has no designated initialisers: functions set the
 * members by name. */
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
        body cell = {0, ls_fix_from_int(i)};
        LS_CELL_ATTACH(context, 0, ls_spawn(context, 0), &cell);
    }
}

void drift(ls_context *context, const ls_span *span)
{
    body *self = LS_SPAN_WRITE(body, context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        self[i].at += self[i].speed;
}

constexpr ls_term setup_terms[] = {LS_OTHERS_STRUCTURE(Body), {}};
constexpr ls_term drift_terms[] = {LS_WRITES(Body), {}};

constexpr ls_system make_setup()
{
    ls_system system = {};
    system.name = "start";
    system.mode = LS_SEQUENTIAL;
    system.match = start;
    system.terms = setup_terms;
    system.lanes = "world";
    return system;
}

constexpr ls_system make_drift()
{
    ls_system system = {};
    system.name = "drift";
    system.mode = LS_CONCURRENT;
    system.span = drift;
    system.terms = drift_terms;
    return system;
}

constexpr ls_system setup = make_setup(), systems[] = {make_drift()};

constexpr ls_sim make_sim()
{
    ls_sim sim = {};
    sim.abi = LS_SIM_ABI;
    sim.name = "drift";
    sim.version = "1";
    sim.source_hash = LS_SIM_SOURCE_HASH;
    sim.tick_rate = 20;
    sim.player_count = 2;
    sim.components = components;
    sim.component_count = 1;
    sim.systems = systems;
    sim.system_count = 1;
    sim.setup = &setup;
    return sim;
}

constexpr ls_sim sim = make_sim();

} // namespace

LS_SIM_EXPORT const ls_sim *ls_sim_export(void)
{
    return &sim;
}
