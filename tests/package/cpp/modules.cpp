/* A module in the classes of lockstep.hpp: its parts run under full names, with its own options. */
#include <lockstep/lockstep.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define EXPECT(condition)                                                                          \
    if (!(condition)) {                                                                            \
        std::printf("line %d: %s\n", __LINE__, #condition);                                        \
        std::exit(1);                                                                              \
    }

namespace
{

LS_COMPONENT(place, U32(x));

namespace physics
{
LS_COMPONENTS(components, place);
constexpr ls_option options[] = {{"speed", "distance in a tick", 0, 9, 3}};
constexpr const char *lanes[] = {"bodies"};
LS_TERMS(moving, WRITES(place));
static LS_EACH_FUNCTION(move, context, span)
{
    LS_USES(context, moving);
    place *places = LS_WRITE_SPAN(context, place, span);
    LS_EACH_IN_SPAN(span, i)
    {
        places[i].x += (uint32_t)ls_match_of(context)->options[0];
    }
}
LS_TERMS(starting, SPAWNS_WITH(place));
void start(ls_context *context, const ls_entity *)
{
    LS_USES(context, starting);
    EXPECT(LS_ATTACH(context, place, ls_spawn(context, 0), 100));
}
constexpr ls_system systems[] = {lockstep::system("move").each(move).terms(moving)};
constexpr ls_system setup =
    lockstep::system("start").sequential(start).terms(starting).lanes("bodies");
constexpr ls_module parts = lockstep::module("physics")
                                .components(components)
                                .options(options)
                                .lanes(lanes)
                                .systems(systems)
                                .setup(setup);
} // namespace physics

uint32_t seen; /* a test may keep a value outside of the state */
namespace game
{
LS_TERMS(looking, READS(place));
void look(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, looking);
    seen = LS_READ(context, place, entities[0])->x + (uint32_t)ls_match_of(context)->options[0];
}
constexpr ls_option options[] = {{"height", "added to what is seen", 0, 9000, 2000}};
constexpr ls_system systems[] = {
    lockstep::system("look").sequential(look).terms(looking).after("physics")};
constexpr const ls_module *modules[] = {&physics::parts};
constexpr ls_sim sim = lockstep::simulation("game", "1", "")
                           .defaults(20, 1)
                           .options(options)
                           .systems(systems)
                           .modules(modules);
} // namespace game

} // namespace

int main()
{
    lockstep::program program;
    lockstep::world world;
    ls_error error;
    EXPECT(program.create(game::sim, &error) == LS_OK);
    EXPECT(world.create(program, ls_program_match(program, 1), &error) == LS_OK);
    EXPECT(std::strcmp(ls_program_system(program, 0)->name, "physics.move") == 0);
    for (uint64_t i = 0; i < 4; i++) {
        const ls_frame frame = {i, 0, nullptr};
        EXPECT(ls_world_advance(world, &frame, nullptr, &error) == LS_OK);
    }
    EXPECT(seen == 2000 + 100 + 4 * 3);
    std::puts("good");
    return 0;
}
