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

struct place {
    uint32_t x;
};
constexpr ls_field place_fields[] = {LS_FIELD(place, x, LS_TYPE_U32)};
constexpr lockstep::component<place> Place("place", place_fields);

namespace physics
{
constexpr const ls_component *components[] = {&Place};
constexpr ls_option options[] = {{"speed", "distance in a tick", 0, 9, 3}};
constexpr const char *lanes[] = {"bodies"};
constexpr auto at = lockstep::writes<0>(Place);
static LS_EACH_FUNCTION(move, context, span)
{
    auto places = at.write(context, span);
    LS_EACH_IN_SPAN(span, i)
    {
        places[i].x += (uint32_t)ls_match_of(context)->options[0];
    }
}
constexpr auto made = lockstep::spawns_with<0>(Place);
void start(ls_context *context, const ls_entity *)
{
    EXPECT(made.attach(context, ls_spawn(context, 0), {100}));
}
constexpr ls_system systems[] = {lockstep::system("move").each(move).terms<at>()};
constexpr ls_system setup =
    lockstep::system("start").sequential(start).terms<made>().lanes("bodies");
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
constexpr auto at = lockstep::reads<0>(Place);
void look(ls_context *context, const ls_entity *entities)
{
    seen = at.find(context, entities[0])->x + (uint32_t)ls_match_of(context)->options[0];
}
constexpr ls_option options[] = {{"height", "added to what is seen", 0, 9000, 2000}};
constexpr ls_system systems[] = {
    lockstep::system("look").sequential(look).terms<at>().after("physics")};
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
