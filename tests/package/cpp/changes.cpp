/* Filters by change, observers, events of several ticks, parents first and the whole world in C++:
 * a simulation of one herd, and what its systems have to see in each tick.
 */
#include <lockstep/lockstep.hpp>

#include <cstdio>
#include <cstdlib>

namespace
{

LS_COMPONENT(place, FIX(x), FIX(y));
LS_EVENT_KEPT(bleat, 2, U32(tick));
LS_TAG(asleep);
LS_SINGLETON(total, U32(count));
LS_COMPONENT(leash, ENTITY(parent, LS_PARENT));
LS_COMPONENTS(components, place, bleat, asleep, total, leash);

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
LS_TERMS(starting, SPAWNS_WITH(place), SPAWNS_WITH(leash));
void start(ls_context *context, const ls_entity *)
{
    LS_USES(context, starting);
    ls_entity made[5] = {};
    ls_spawn_many(context, 0, 4, made);
    for (int i = 0; i < 4; i++) {
        LS_ATTACH(context, place, made[i], ls_fix_from_int(i), 0);
        LS_ATTACH(context, leash, made[i], made[i + 1]);
    }
}
LS_TERMS(walking, READS(leash));
void walk(ls_context *, const ls_entity *entities)
{
    seen.led = seen.led * 10 + ls_entity_slot(entities[0]) + 1;
}
} // namespace herd

/* Tick 1: all move by 1. Tick 2: slot 0 dies, slot 1 loses its place, slot 2 falls asleep. */
namespace act
{
LS_TERMS(acting, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(asleep), SENDS(bleat));
void run(ls_context *context, const ls_entity *)
{
    LS_USES(context, acting);
    uint64_t tick = ls_tick(context);
    for (uint32_t slot = 0; tick == 1 && slot < 4; slot++)
        LS_WRITE(context, place, ls_entity_make(0, slot, 1))->x += LS_FIX(1);
    if (tick == 2) {
        ls_despawn(context, ls_entity_make(0, 0, 1));
        LS_DETACH(context, place, ls_entity_make(0, 1, 1));
        LS_ATTACH_TAG(context, asleep, ls_entity_make(0, 2, 1));
    }
    LS_SEND(context, bleat, static_cast<uint32_t>(tick));
}
} // namespace act

namespace watch
{
LS_TERMS(moved, CHANGED(place));
void see_changed(ls_context *, const ls_entity *)
{
    seen.changed++;
}
LS_TERMS(fresh, ADDED(place));
void see_added(ls_context *, const ls_entity *)
{
    seen.added++;
}
LS_TERMS(gone, REMOVED(place));
void see_removed(ls_context *, const ls_entity *)
{
    seen.removed++;
}

LS_TERMS(observing, OBSERVES(place), OBSERVES(asleep), RECEIVES(bleat));
void observe(ls_context *context, const ls_entity *)
{
    LS_USES(context, observing);
    LS_EACH_CHANGE(context, place, change)
    {
        seen.kinds[change.kind]++;
        if (change.kind == LS_CELL_CHANGED)
            seen.moved += change.now->x - change.before->x;
        const place *now = LS_READ(context, place, change.entity);
        EXPECT(change.now == now);
    }
    LS_EACH_CHANGE(context, asleep, change)
    {
        seen.dozed += change.kind == LS_CELL_ATTACHED;
        seen.woken += change.kind != LS_CELL_ATTACHED;
    }
    LS_EACH_EVENT(context, bleat, heard)
    {
        EXPECT(heard->tick + 1 >= ls_tick(context));
        seen.heard++;
    }
}
} // namespace watch

namespace reset
{
LS_TERMS(resetting, WRITES_WORLD);
void run(ls_context *context, const ls_entity *)
{
    LS_USES(context, resetting);
    ls_entity third = ls_entity_make(0, 2, 1), fourth = ls_entity_make(0, 3, 1);
    if (ls_tick(context) != 3)
        return;
    EXPECT(LS_HAS_ANY(context, asleep, third) && LS_DETACH_ANY(context, asleep, third));
    EXPECT(LS_ATTACH_ANY_TAG(context, asleep, fourth) &&
           LS_ATTACH_ANY(context, place, third, 7, 8));
    LS_WRITE_ANY(context, place, fourth)->y = LS_READ_ANY(context, place, third)->y + 1;
    LS_WRITE_ANY_SINGLETON(context, total)->count++;
    EXPECT(LS_READ_ANY_SINGLETON(context, total)->count == 1);
}
} // namespace reset

constexpr ls_system setup =
    lockstep::system("start").sequential(herd::start).terms(herd::starting).lanes("world");
constexpr ls_system systems[] = {
    lockstep::system("act").sequential(act::run).terms(act::acting),
    lockstep::system("see_changed").sequential(watch::see_changed).terms(watch::moved).after("act"),
    lockstep::system("see_added").sequential(watch::see_added).terms(watch::fresh).after("act"),
    lockstep::system("see_removed").sequential(watch::see_removed).terms(watch::gone).after("act"),
    lockstep::system("observe").sequential(watch::observe).terms(watch::observing).after("act"),
    lockstep::system("walk")
        .sequential(herd::walk)
        .terms(herd::walking)
        .parents_first({&leash_component, offsetof(leash, parent)}),
    lockstep::system("reset")
        .sequential(reset::run)
        .terms(reset::resetting)
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
    const auto *last = LS_WORLD_READ(world, place, ls_entity_make(0, 3, 1));
    EXPECT(last->y == 9);
    std::puts("good");
}
