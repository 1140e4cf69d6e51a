/* Filters by change, observers, events of several ticks, parents first and the whole world in the
 * classes of lockstep.hpp: a simulation of one herd, and what its systems have to see in each tick.
 */
#include <lockstep/lockstep.hpp>

#include <cstdio>
#include <cstdlib>

namespace
{

struct place {
    ls_fix x, y;
};
struct bleat {
    uint32_t tick;
};
constexpr ls_field place_fields[] = {LS_FIELD(place, x, LS_TYPE_FIX),
                                     LS_FIELD(place, y, LS_TYPE_FIX)};
constexpr ls_field bleat_fields[] = {LS_FIELD(bleat, tick, LS_TYPE_U32)};
constexpr lockstep::component<place> Place("place", place_fields);
constexpr lockstep::event<bleat> Bleat("bleat", bleat_fields, 2);
constexpr lockstep::tag Asleep("asleep");
struct total {
    uint32_t count;
};
constexpr ls_field total_fields[] = {LS_FIELD(total, count, LS_TYPE_U32)};
constexpr lockstep::singleton<total> Total("total", total_fields);
struct leash {
    ls_entity parent;
};
constexpr ls_field leash_fields[] = {LS_FIELD_ENTITY(leash, parent, LS_PARENT)};
constexpr lockstep::component<leash> Leash("leash", leash_fields);
constexpr const ls_component *components[] = {&Place, &Bleat, &Asleep, &Total, &Leash};

void expect(bool good, const char *what)
{
    if (!good) {
        std::fprintf(stderr, "wrong: %s\n", what);
        std::exit(1);
    }
}
#define EXPECT(condition) expect(condition, #condition)

/* The reactions of the systems in a tick. */
struct sight {
    uint32_t changed, added, removed;
    uint32_t kinds[4], dozed, woken, heard;
    ls_fix moved;
    uint32_t led; /* the slots, from 1, in the order of their visits */
} seen;

namespace herd
{
constexpr auto born = lockstep::spawns_with<0>(Place);
constexpr auto leashed = lockstep::spawns_with<1>(Leash);
void start(ls_context *context, const ls_entity *)
{
    ls_entity made[5] = {};
    ls_spawn_many(context, 0, 4, made);
    for (int i = 0; i < 4; i++) {
        born.attach(context, made[i], {ls_fix_from_int(i), 0});
        leashed.attach(context, made[i], {made[i + 1]});
    }
}
constexpr auto lead = lockstep::reads<0>(Leash);
void walk(ls_context *, const ls_entity *entities)
{
    seen.led = seen.led * 10 + ls_entity_slot(entities[0]) + 1;
}
} // namespace herd

/* Tick 1: all move by 1. Tick 2: slot 0 dies, slot 1 loses its place, slot 2 falls asleep. */
namespace act
{
constexpr auto at = lockstep::others_structure<0>(Place);
constexpr auto sleep = lockstep::others_structure<1>(Asleep);
constexpr auto noise = lockstep::sends<2>(Bleat);
void run(ls_context *context, const ls_entity *)
{
    uint64_t tick = ls_tick(context);
    for (uint32_t slot = 0; tick == 1 && slot < 4; slot++)
        at.write(context, ls_entity_make(0, slot, 1))->x += LS_FIX(1);
    if (tick == 2) {
        ls_despawn(context, ls_entity_make(0, 0, 1));
        at.detach(context, ls_entity_make(0, 1, 1));
        sleep.attach(context, ls_entity_make(0, 2, 1));
    }
    noise.send(context, {static_cast<uint32_t>(tick)});
}
} // namespace act

namespace watch
{
constexpr auto moved = lockstep::changed<0>(Place);
void see_changed(ls_context *, const ls_entity *)
{
    seen.changed++;
}
constexpr auto fresh = lockstep::added<0>(Place);
void see_added(ls_context *, const ls_entity *)
{
    seen.added++;
}
constexpr auto gone = lockstep::removed<0>(Place);
void see_removed(ls_context *, const ls_entity *)
{
    seen.removed++;
}

constexpr auto places = lockstep::observes<0>(Place);
constexpr auto naps = lockstep::observes<1>(Asleep);
constexpr auto noise = lockstep::receives<2>(Bleat);
void observe(ls_context *context, const ls_entity *)
{
    for (auto change : places.each(context)) {
        seen.kinds[change.kind]++;
        if (change.kind == LS_CELL_CHANGED)
            seen.moved += change.now->x - change.before->x;
        const place *now = places.find(context, change.entity);
        EXPECT(change.now == now);
    }
    for (auto change : naps.each(context)) {
        seen.dozed += change.kind == LS_CELL_ATTACHED;
        seen.woken += change.kind != LS_CELL_ATTACHED;
    }
    for (const bleat &heard : noise.each(context)) {
        EXPECT(heard.tick + 1 >= ls_tick(context));
        seen.heard++;
    }
}
} // namespace watch

namespace reset
{
constexpr auto all = lockstep::writes_world<0>();
void run(ls_context *context, const ls_entity *)
{
    ls_entity third = ls_entity_make(0, 2, 1), fourth = ls_entity_make(0, 3, 1);
    if (ls_tick(context) != 3)
        return;
    EXPECT(all.has(context, Asleep, third) && all.detach(context, Asleep, third));
    EXPECT(all.attach(context, Asleep, fourth) && all.attach(context, Place, third, {7, 8}));
    all.write(context, Place, fourth)->y = all.find(context, Place, third)->y + 1;
    all.write(context, Total).count++;
    EXPECT(all.read(context, Total).count == 1);
}
} // namespace reset

constexpr ls_system setup = lockstep::system("start")
                                .sequential(herd::start)
                                .terms<herd::born, herd::leashed>()
                                .lanes("world");
constexpr ls_system systems[] = {
    lockstep::system("act").sequential(act::run).terms<act::at, act::sleep, act::noise>(),
    lockstep::system("see_changed")
        .sequential(watch::see_changed)
        .terms<watch::moved>()
        .after("act"),
    lockstep::system("see_added").sequential(watch::see_added).terms<watch::fresh>().after("act"),
    lockstep::system("see_removed")
        .sequential(watch::see_removed)
        .terms<watch::gone>()
        .after("act"),
    lockstep::system("observe")
        .sequential(watch::observe)
        .terms<watch::places, watch::naps, watch::noise>()
        .after("act"),
    lockstep::system("walk")
        .sequential(herd::walk)
        .terms<herd::lead>()
        .parents_first({&Leash, offsetof(leash, parent)}),
    lockstep::system("reset")
        .sequential(reset::run)
        .terms<reset::all>()
        .after("observe, see_changed, see_added, see_removed, walk"),
};

constexpr ls_sim make_sim()
{
    ls_sim sim = {};
    sim.abi = LS_SIM_ABI;
    sim.name = "herd";
    sim.version = "1";
    sim.source_hash = "";
    sim.tick_rate = 20;
    sim.player_count = 1;
    sim.components = components;
    sim.component_count = 5;
    sim.systems = systems;
    sim.system_count = 7;
    sim.setup = &setup;
    return sim;
}
constexpr ls_sim sim = make_sim();

} // namespace

int main()
{
    ls_error error;
    lockstep::program program;
    lockstep::world world;
    if (program.create(sim, &error) || world.create(program, ls_program_match(program, 1), &error))
        expect(false, error.text);
    static const sight wanted[] = {
        {4, 4, 0, {4, 0, 0, 0}, 0, 0, 1, 0, 4321},
        {4, 0, 0, {0, 4, 0, 0}, 0, 0, 2, 4 * LS_FIX(1), 4321},
        /* the despawn takes effect at the end of the tick */
        {0, 0, 1, {0, 0, 1, 0}, 1, 0, 2, 0, 4321},
        {0, 0, 0, {0, 0, 0, 1}, 0, 0, 2, 0, 432},
    };
    for (const sight &of_tick : wanted) {
        const ls_frame frame = {ls_world_tick(world), 0, nullptr};
        seen = {};
        if (ls_world_advance(world, &frame, nullptr, &error))
            expect(false, error.text);
        EXPECT(seen.changed == of_tick.changed && seen.added == of_tick.added);
        EXPECT(seen.removed == of_tick.removed && seen.heard == of_tick.heard);
        for (int kind = 0; kind < 4; kind++)
            EXPECT(seen.kinds[kind] == of_tick.kinds[kind]);
        EXPECT(seen.dozed == of_tick.dozed && seen.woken == of_tick.woken);
        EXPECT(seen.moved == of_tick.moved && seen.led == of_tick.led);
    }
    const auto *last =
        static_cast<const place *>(ls_world_cell(world, &Place, ls_entity_make(0, 3, 1)));
    EXPECT(last->y == 9);
    std::puts("good");
}
