/* A client of walkers without a picture: joins a match, lets the simulation's bot play from the
 * predicted world, and prints a line at the end.
 *
 *   play_walkers_cpp HOST:PORT[#KEY] [SECONDS]
 *
 * Every object has an owner, which destroys it on each way out, in the right order. */
#include "walkers.hpp"

#include <lockstep/server_address.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

namespace
{

constexpr uint64_t second_ns = 1000000000;
constexpr uint32_t predict_ticks = 8;

uint64_t now_ns()
{
    using namespace std::chrono;
    return static_cast<uint64_t>(
        duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

/* Members are destroyed from the last to the first, so the session goes before the link and the
 * program. */
struct game {
    lockstep::program program;
    lockstep::link link;
    lockstep::session session;
    uint64_t bot_tick = 0, events = 0;
};

ls_status join(game &self, const char *server, ls_error *error)
{
    ls_server_address address;
    if (ls_status status = ls_server_address_parse(server, &address, error))
        return status;
    if (ls_status status = self.program.create(*ls_sim_export(), error))
        return status;
    if (ls_status status = self.link.open(address.host, address.port, error))
        return status;
    ls_client_config config = ls_client_config_default();
    config.program = self.program;
    config.link = self.link;
    config.pin = address.has_key ? &address.key : nullptr;
    config.unix_s = static_cast<uint64_t>(std::time(nullptr));
    config.is_machine = true;
    std::snprintf(config.name, sizeof config.name, "walker in C++");
    return self.session.create(config, predict_ticks, error);
}

void play(game &self)
{
    const ls_sim &sim = *ls_sim_export();
    ls_client_stats stats = ls_client_get_stats(self.session.client());
    const ls_world *world = ls_session_view_of(self.session).predicted;
    if (!stats.is_playing || !world || ls_world_tick(world) <= self.bot_tick)
        return;
    self.bot_tick = ls_world_tick(world);
    uint8_t bytes[LS_INPUT_BYTES_MAX];
    sim.bot_state(world, stats.player, bytes);
    (void)!ls_session_submit_state(self.session, bytes);
    if (uint32_t count = sim.bot(world, stats.player, bytes))
        (void)!ls_session_submit(self.session, bytes, count);
}

void run(game &self, uint64_t until_ns)
{
    for (uint64_t now = now_ns(); now < until_ns && !ls_client_is_final(self.session.client());
         now = now_ns()) {
        ls_session_update(self.session, now);
        play(self);
        for (ls_event_update update; ls_session_poll(self.session, &update);)
            self.events += update.kind == LS_EVENT_HAPPENED;
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
    }
}

} // namespace

int main(int count, char **words)
{
    game self;
    ls_error error;
    if (count < 2 || count > 3) {
        std::fprintf(stderr, "usage: play_walkers_cpp HOST:PORT[#KEY] [SECONDS]\n");
        return 2;
    }
    if (join(self, words[1], &error)) {
        std::fprintf(stderr, "%s\n", error.text);
        return 5;
    }
    uint64_t seconds = count > 2 ? std::strtoull(words[2], nullptr, 10) : 60;
    run(self, now_ns() + seconds * second_ns);
    ls_client *client = self.session.client();
    ls_client_stats stats = ls_client_get_stats(client);
    ls_client_state state = ls_client_get_state(client);
    std::printf("%s tick=%" PRIu64 " states=%d events=%d diverged=%d\n",
                ls_client_state_name(state), stats.tick, stats.states_submitted > 0,
                self.events > 0, stats.has_diverged);
    if (state != LS_CLIENT_ENDED && state != LS_CLIENT_PLAYING)
        std::fprintf(stderr, "%s\n", ls_client_reason(client));
    ls_client_leave(client, "closed", now_ns());
    return state == LS_CLIENT_ENDED || state == LS_CLIENT_PLAYING ? 0 : 5;
}
