/* The simulation of README.md in C++17, which has no designated initialisers: functions set the
 * members by name. */
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
        LS_ATTACH(context, body, ls_spawn(context, 0), 0, ls_fix_from_int(i));
}

void drift(ls_context *context, const ls_span *span)
{
    LS_USES(context, drifting);
    body *self = LS_WRITE_SPAN(context, body, span);
    for (uint32_t i = 0; i < span->count; i++)
        self[i].at += self[i].speed;
}

constexpr ls_system make_setup()
{
    ls_system system = {};
    system.name = "start";
    system.mode = LS_SEQUENTIAL;
    system.match = start;
    system.terms = starting;
    system.lanes = "world";
    return system;
}

constexpr ls_system make_drift()
{
    ls_system system = {};
    system.name = "drift";
    system.mode = LS_CONCURRENT;
    system.span = drift;
    system.terms = drifting;
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
