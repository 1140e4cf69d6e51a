/* The owners and typed reads of lockstep.hpp, with the simulation of examples/cpp. Writes a
 * recording to the path that it gets, reads it again, and prints the root at its end. */
#include "walkers.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace
{

using namespace walkers;

template <class Owner> constexpr bool is_owner()
{
    return sizeof(Owner) == sizeof(void *) && std::is_nothrow_move_constructible_v<Owner> &&
           std::is_nothrow_move_assignable_v<Owner> && !std::is_copy_constructible_v<Owner> &&
           !std::is_copy_assignable_v<Owner>;
}
static_assert(is_owner<lockstep::program>() && is_owner<lockstep::executor>() &&
                  is_owner<lockstep::world>() && is_owner<lockstep::snapshot>() &&
                  is_owner<lockstep::link>() && is_owner<lockstep::client>() &&
                  is_owner<lockstep::session>() && is_owner<lockstep::recorder>() &&
                  is_owner<lockstep::recording>() && is_owner<lockstep::replay_player>(),
              "an owner is a pointer that can be moved and not copied");

constexpr uint64_t ticks = 90;

void expect(bool good, const char *what)
{
    if (!good) {
        std::fprintf(stderr, "wrong: %s\n", what);
        std::exit(1);
    }
}
#define EXPECT(condition) expect(condition, #condition)

/* Every player joins in tick 0; later, each holds what its bot decides and fires now and then. */
struct frames {
    uint8_t bytes[2 * LS_PLAYERS_MAX][LS_INPUT_BYTES_MAX];
    ls_input inputs[2 * LS_PLAYERS_MAX];
    ls_frame frame;

    const ls_frame &of(const ls_world *world)
    {
        const ls_sim &sim = *ls_sim_export();
        uint64_t tick = ls_world_tick(world);
        frame = {tick, 0, inputs};
        for (uint8_t player = 0; player < ls_world_match(world)->player_count; player++) {
            if (tick == 0) {
                inputs[frame.count++] = {player, LS_JOIN, 0, nullptr};
                continue;
            }
            uint8_t *state = bytes[2 * player], *order = bytes[2 * player + 1];
            sim.bot_state(world, player, state);
            inputs[frame.count++] = {player, LS_STATE, state_bytes, state};
            if (uint32_t count = sim.bot(world, player, order))
                inputs[frame.count++] = {player, LS_INPUT, static_cast<uint16_t>(count), order};
        }
        return frame;
    }
};

void try_worlds(const lockstep::program &program)
{
    ls_error error = {};
    ls_match match = ls_program_match(program, 7), wrong = match;
    wrong.player_count = 0;
    lockstep::world world;
    EXPECT(!world.get());
    EXPECT(world.create(program, match, &error) == LS_OK);
    const ls_world *kept = world;
    EXPECT(world.create(program, wrong, &error) == LS_ERROR_USAGE && world.get() == kept);

    lockstep::world moved(static_cast<lockstep::world &&>(world));
    EXPECT(!world.get() && moved.get() == kept);
    world = static_cast<lockstep::world &&>(moved);
    EXPECT(!moved.get() && world.get() == kept);

    lockstep::world beside(ls_world_create_sibling(world));
    lockstep::executor executor;
    ls_executor_config config = {};
    EXPECT(executor.create(config, &error) == LS_ERROR_USAGE && !executor.get());
    config.threads = 2;
    EXPECT(executor.create(config, &error) == LS_OK);
    frames source;
    lockstep::snapshot before(world);
    uint64_t root = ls_world_root(world);
    uint32_t bangs = 0;
    for (uint64_t i = 0; i < ticks; i++) {
        const ls_frame &frame = source.of(world);
        EXPECT(world.advance(frame, executor, &error) == LS_OK);
        EXPECT(beside.advance(frame, nullptr, &error) == LS_OK);
        EXPECT(ls_world_root(world) == ls_world_root(beside));
        for (const bang &noise : lockstep::events_of(world, Bang)) {
            EXPECT(noise.player < match.player_count);
            bangs++;
        }
    }
    EXPECT(bangs > 0 && ls_world_root(world) != root);

    uint32_t found = 0, seen = 0;
    for (auto [span, at, who] : lockstep::rows(world, Place, Walker)) {
        for (uint32_t i = 0; i < span.count; i++) {
            ls_entity entity = ls_span_entity(&span, i);
            EXPECT(lockstep::cell_of(world, Walker, entity) == &who[i]);
            EXPECT(lockstep::cell_of(world, Place, entity) == &at[i]);
            EXPECT(!lockstep::cell_of(world, Shot, entity));
            seen |= 1u << who[i].player;
            found++;
        }
    }
    EXPECT(found == match.player_count && seen == (1u << found) - 1);
    for (auto [span, which, who] : lockstep::rows(world, Shot, Walker))
        EXPECT(span.count == 0 && which && who); /* no entity has both */
    ls_world_restore(world, before);
    EXPECT(ls_world_root(world) == root && ls_world_tick(world) == 0);
}

/* One system and the main stage by name: both change the state, and the tick does not end. */
void try_runs(const lockstep::program &program)
{
    ls_error error = {};
    lockstep::world world;
    EXPECT(world.create(program, ls_program_match(program, 7), &error) == LS_OK);
    frames source;
    for (uint64_t i = 0; i < ticks; i++)
        EXPECT(world.advance(source.of(world), nullptr, &error) == LS_OK);
    uint64_t root = ls_world_root(world);
    EXPECT(world.run_system("flee", nullptr, nullptr, &error) == LS_ERROR_USAGE);
    EXPECT(std::strstr(error.text, "flee") && ls_world_root(world) == root);
    EXPECT(world.run_system("walk") == LS_OK && ls_world_tick(world) == ticks);
    uint64_t walked = ls_world_root(world);
    EXPECT(walked != root);
    EXPECT(world.run_stage("walk", nullptr, nullptr, &error) == LS_ERROR_USAGE);
    EXPECT(std::strstr(error.text, "walk") && ls_world_root(world) == walked);
    lockstep::executor executor;
    ls_executor_config config = {};
    config.threads = 2;
    EXPECT(executor.create(config, &error) == LS_OK);
    const ls_frame &frame = source.of(world);
    EXPECT(world.run_stage("main", &frame, executor, &error) == LS_OK);
    EXPECT(ls_world_tick(world) == ticks && ls_world_root(world) != walked);
}

uint64_t record(const lockstep::program &program, const char *path)
{
    ls_error error = {};
    ls_recording_header header = {};
    header.salt = 5;
    header.simulation = ls_recording_simulation_of(program);
    header.match = ls_program_match(program, 7);
    lockstep::recorder recorder;
    EXPECT(recorder.create("/nonexistent/folder/a.lsr", header, &error) == LS_ERROR_IO);
    EXPECT(!recorder.get() && std::strstr(error.text, "/nonexistent/folder"));
    EXPECT(recorder.create(path, header, &error) == LS_OK);
    lockstep::world world;
    EXPECT(world.create(program, header.match, &error) == LS_OK);
    frames source;
    EXPECT(ls_recorder_add_root(recorder, ls_world_root(world), &error) == LS_OK);
    for (uint64_t i = 0; i < ticks; i++) {
        const ls_frame &frame = source.of(world);
        EXPECT(ls_recorder_append(recorder, &frame, &error) == LS_OK);
        EXPECT(world.advance(frame, nullptr, &error) == LS_OK);
        EXPECT(ls_recorder_add_root(recorder, ls_world_root(world), &error) == LS_OK);
    }
    EXPECT(ls_recorder_finish(recorder, LS_CLOSING_FINISHED, &error) == LS_OK);
    return ls_world_root(world);
}

void replay(const lockstep::program &program, const char *path, uint64_t root)
{
    ls_error error = {};
    lockstep::recording recording;
    EXPECT(recording.open("/nonexistent/a.lsr", &error) == LS_ERROR_NOT_FOUND && !recording.get());
    EXPECT(recording.open("memory", "no recording", 12, &error) == LS_ERROR_CORRUPT);
    EXPECT(recording.open(path, &error) == LS_OK);
    ls_replay_player_config config = {};
    config.program = program;
    lockstep::replay_player player;
    EXPECT(player.create(static_cast<lockstep::recording &&>(recording), config, &error) == LS_OK);
    EXPECT(!recording.get());
    EXPECT(ls_replay_player_seek(player, ticks, &error) == LS_OK);
    EXPECT(ls_world_root(ls_replay_player_world(player)) == root);
    EXPECT(ls_replay_player_seek(player, ticks + 1, &error) == LS_ERROR_USAGE);
}

/* A recording of another simulation: the player refuses it, and the caller keeps it. */
void refuse(const char *path)
{
    ls_error error = {};
    ls_sim other = *ls_sim_export();
    other.version = "another";
    lockstep::program program;
    EXPECT(program.create(other, &error) == LS_OK);
    lockstep::recording recording;
    EXPECT(recording.open(path, &error) == LS_OK);
    ls_replay_player_config config = {};
    config.program = program;
    lockstep::replay_player player;
    EXPECT(player.create(static_cast<lockstep::recording &&>(recording), config, &error) ==
           LS_ERROR_INCOMPATIBLE);
    EXPECT(recording.get() && !player.get());
}

void try_sessions(const lockstep::program &program)
{
    ls_error error = {};
    lockstep::link link;
    EXPECT(link.open("127.0.0.1", 9, &error) == LS_OK);
    ls_client_config config = ls_client_config_default();
    config.program = program;
    config.link = link;
    lockstep::session session;
    EXPECT(session.create(config, LS_CLIENT_PREDICT_TICKS + 1, &error) == LS_ERROR_USAGE);
    EXPECT(!session.get());
    EXPECT(session.create(config, 4, &error) == LS_OK);
    EXPECT(ls_client_get_state(session.client()) == LS_CLIENT_HANDSHAKE);
    session.reset();
    lockstep::client client;
    EXPECT(client.create(config, &error) == LS_OK && client.get());
}

} // namespace

int main(int count, char **words)
{
    ls_error error = {};
    lockstep::program program;
    EXPECT(count == 2);
    EXPECT(program.create(*ls_sim_export(), &error) == LS_OK);
    try_worlds(program);
    try_runs(program);
    uint64_t root = record(program, words[1]);
    replay(program, words[1], root);
    refuse(words[1]);
    try_sessions(program);
    std::printf("root=%016llx ticks=%u\n", static_cast<unsigned long long>(root),
                static_cast<unsigned>(ticks));
    return 0;
}
