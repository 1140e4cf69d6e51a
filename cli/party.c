#include "cli/party.h"

#include "cli/build.h"
#include "cli/clock.h"
#include "cli/log.h"
#include "cli/loop.h"
#include "cli/probe.h"
#include "cli/sim_load.h"
#include "cli/stop.h"
#include "client/client.h"
#include "proto/link_enet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* All members' ticks come from one server at one moment, so whoever waits for one member's packets
 * waits for all; those that come apart from the others wait so long. */
#define LISTEN_NS (4 * LS_NS_PER_MS)
/* The server judges the last roots after the last tick: leave no sooner. */
#define LEAVE_NS (LS_NS_PER_S / 2)

struct member {
    ls_link *link;
    ls_client *client;
    ls_log log;          /* the party's stream under its own number */
    uint64_t first_tick; /* of its world when it entered play */
    uint64_t leave_ns;   /* 0: not yet */
    bool has_entered, is_told;
};

struct party {
    const ls_party_options *options;
    ls_log log;
    ls_loaded_sim loaded;
    ls_executor *executor;
    ls_trust trust;
    struct member members[LS_PARTY_MAX];
    uint64_t line_ns; /* when the next live line is due */
    uint64_t bytes_received, bytes_sent;
};

static ls_status open_member(struct party *party, uint32_t index, ls_error *error)
{
    const ls_party_options *options = party->options;
    struct member *member = &party->members[index];
    member->log = (ls_log){.stream = party->log.stream, .client = index + 1};
    ls_status status =
        ls_link_enet_connect(options->address.host, options->address.port, &member->link, error);
    if (status)
        return status;
    ls_client_config config = ls_client_config_default();
    config.program = party->loaded.program;
    config.link = member->link;
    config.executor = party->executor;
    config.trust = ls_trust_check;
    config.trust_context = &party->trust;
    config.build = LS_BUILD_TEXT;
    config.is_spectator = options->is_spectator;
    config.is_bot = !options->is_spectator;
    config.unix_s = ls_clock_unix_s();
    if (index == 0)
        config.corrupt_at = options->corrupt_at;
    config.log = ls_log_line;
    config.log_context = &member->log;
    if (options->count > 1)
        snprintf(config.name, sizeof config.name, "%.*s-%u", LS_PARTY_NAME_BYTES_MAX, options->name,
                 index + 1);
    else
        snprintf(config.name, sizeof config.name, "%s", options->name);
    return ls_client_create(&config, &member->client, error);
}

static ls_status load_simulation(struct party *party, ls_error *error)
{
    const char *name = party->options->match.sim;
    ls_status status = LS_OK;
    if (!name)
        status = ls_probe_simulation(&party->options->address, &name, error);
    return status ? status : ls_sim_load(name, &party->loaded, error);
}

static ls_status open_party(struct party *party, ls_error *error)
{
    const ls_party_options *options = party->options;
    ls_trust_init(&party->trust, &options->address, options->known_servers);
    ls_status status = ls_log_open(options->log, &party->log, error);
    if (!status)
        status = load_simulation(party, error);
    if (!status && !options->is_spectator && !party->loaded.sim->bot)
        status =
            ls_error_set(error, LS_ERROR_USAGE, "the simulation %s has no bots; --spectate watches",
                         party->loaded.sim->name);
    if (!status)
        status = ls_match_options_executor(&options->match, &party->executor, error);
    for (uint32_t i = 0; !status && i < options->count; i++)
        status = open_member(party, i, error);
    return status;
}

static void close_party(struct party *party)
{
    for (uint32_t i = 0; i < party->options->count; i++) {
        ls_client_destroy(party->members[i].client);
        ls_link_destroy(party->members[i].link);
    }
    ls_executor_destroy(party->executor);
    ls_sim_unload(&party->loaded);
    ls_log_close(&party->log);
}

/* A player with its JOIN; a spectator once it has all ticks that the server has closed, so that
 * catching up is not counted. */
static bool is_in_play(const struct party *party, const struct member *member,
                       const ls_client_stats *stats)
{
    if (ls_client_get_state(member->client) != LS_CLIENT_PLAYING)
        return false;
    return party->options->is_spectator ? stats->delay_ticks <= 1 : stats->is_playing;
}

/* Leaves when the ticks are done and the server had the time to judge them. */
static void leave_in_time(const struct party *party, struct member *member, uint64_t now_ns)
{
    ls_client_stats stats = ls_client_get_stats(member->client);
    if (!member->has_entered && is_in_play(party, member, &stats)) {
        member->has_entered = true;
        member->first_tick = stats.tick;
    }
    uint64_t ticks = party->options->ticks;
    if (!member->leave_ns && member->has_entered && ticks &&
        stats.tick - member->first_tick >= ticks)
        member->leave_ns = now_ns + LEAVE_NS;
    if (member->leave_ns && now_ns >= member->leave_ns)
        ls_client_leave(member->client, "its ticks are done", now_ns);
}

static void tell_end(const struct party *party, uint32_t index)
{
    const struct member *member = &party->members[index];
    ls_client_stats stats = ls_client_get_stats(member->client);
    const char *state = ls_client_state_name(ls_client_get_state(member->client));
    if (party->options->count > 1)
        printf("client %u ", index + 1);
    printf("%s at tick %" PRIu64 ": %s\n", state, stats.tick, ls_client_reason(member->client));
    if (stats.has_diverged)
        printf("client %u diverged at tick %" PRIu64 ": root %016" PRIx64
               ", the server has %016" PRIx64 "\n",
               index + 1, stats.desync_tick, stats.root_own, stats.root_server);
}

/* What the error of the whole party will say is not said before. */
static bool is_told_at_once(const struct member *member)
{
    return ls_client_get_state(member->client) == LS_CLIENT_ENDED ||
           ls_client_get_stats(member->client).has_diverged;
}

static uint64_t step_member(struct party *party, uint32_t index, uint64_t now_ns)
{
    struct member *member = &party->members[index];
    if (ls_stop_is_asked() && !ls_client_is_final(member->client))
        ls_client_leave(member->client, "asked to stop", now_ns);
    uint64_t wake_ns = ls_client_step(member->client, now_ns);
    leave_in_time(party, member, now_ns);
    if (member->leave_ns && member->leave_ns < wake_ns)
        wake_ns = member->leave_ns;
    if (ls_client_is_final(member->client)) {
        if (!member->is_told && is_told_at_once(member))
            tell_end(party, index);
        member->is_told = true;
        return UINT64_MAX;
    }
    ls_error error;
    if (ls_client_get_state(member->client) >= LS_CLIENT_LOADING &&
        ls_trust_remember(&party->trust, &error))
        fprintf(stderr, "lockstep join: warning: %s; the server is not remembered\n", error.text);
    return wake_ns;
}

static void print_line(struct party *party)
{
    const ls_party_options *options = party->options;
    uint32_t playing = 0, diverged = 0;
    uint64_t received = 0, sent = 0, rtt_ns = 0, delay = 0, tick = 0;
    char text[256] = "";
    for (uint32_t i = 0; i < options->count; i++) {
        ls_client *client = party->members[i].client;
        ls_client_stats stats = ls_client_get_stats(client);
        playing += ls_client_get_state(client) == LS_CLIENT_PLAYING;
        diverged += stats.has_diverged;
        received += stats.bytes_received;
        sent += stats.bytes_sent;
        rtt_ns = stats.rtt_ns > rtt_ns ? stats.rtt_ns : rtt_ns;
        delay = stats.delay_ticks > delay ? stats.delay_ticks : delay;
        tick = stats.tick > tick ? stats.tick : tick;
        if (!text[0] && party->loaded.sim->describe && ls_client_world(client))
            party->loaded.sim->describe(ls_client_world(client), text, sizeof text);
    }
    printf("tick %" PRIu64 "  playing %u of %u  rtt %.1f ms  behind %" PRIu64
           "  in %.1f kB/s  out %.1f kB/s  diverged %u%s%s\n",
           tick, playing, options->count, (double)rtt_ns / (double)LS_NS_PER_MS, delay,
           (double)(received - party->bytes_received) / 1000,
           (double)(sent - party->bytes_sent) / 1000, diverged, text[0] ? "  " : "", text);
    party->bytes_received = received;
    party->bytes_sent = sent;
}

static uint64_t live_line(struct party *party, uint64_t now_ns)
{
    if (party->options->is_quiet)
        return UINT64_MAX;
    if (now_ns >= party->line_ns) {
        print_line(party);
        party->line_ns = now_ns + LS_NS_PER_S;
    }
    return party->line_ns;
}

static void play(struct party *party)
{
    uint32_t count = party->options->count, turn = 0;
    party->line_ns = ls_clock_now_ns() + LS_NS_PER_S;
    for (;;) {
        uint64_t now_ns = ls_clock_now_ns(), wake_ns = UINT64_MAX;
        uint32_t alive = 0, listened = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint64_t member_ns = step_member(party, i, now_ns);
            wake_ns = member_ns < wake_ns ? member_ns : wake_ns;
            if (ls_client_is_final(party->members[i].client))
                continue;
            if (alive == 0 || i <= turn)
                listened = i;
            alive++;
        }
        if (!alive)
            return;
        uint64_t line_ns = live_line(party, now_ns);
        wake_ns = line_ns < wake_ns ? line_ns : wake_ns;
        if (alive > 1 && wake_ns > now_ns + LISTEN_NS)
            wake_ns = now_ns + LISTEN_NS;
        ls_loop_wait(party->members[listened].link, wake_ns);
        turn = (turn + 1) % count;
    }
}

/* Without an answer of the server to our HELLO but its refusal, it is the HELLO that it refused:
 * version or simulation. All other refusals come after it has shown its key. */
static ls_status judge(const struct party *party, const struct member *member)
{
    if (ls_client_get_stats(member->client).has_diverged)
        return LS_ERROR_DIVERGED;
    switch (ls_client_get_state(member->client)) {
    case LS_CLIENT_REFUSED:
        if (party->trust.refusal)
            return party->trust.refusal;
        return ls_client_server_key(member->client) ? LS_ERROR_REFUSED : LS_ERROR_INCOMPATIBLE;
    case LS_CLIENT_LOST:
        return LS_ERROR_IO;
    default:
        return LS_OK;
    }
}

/* The rest of the members' troubles: those that the error does not tell. */
static void tell_others(const struct party *party, const char *told)
{
    for (uint32_t i = 0; i < party->options->count; i++) {
        const struct member *member = &party->members[i];
        if (judge(party, member) && !is_told_at_once(member) &&
            strcmp(ls_client_reason(member->client), told) != 0)
            tell_end(party, i);
    }
}

static ls_status set_trouble(const struct party *party, uint32_t index, ls_status status,
                             ls_error *error)
{
    const ls_client *client = party->members[index].client;
    ls_client_stats stats = ls_client_get_stats(client);
    if (status == LS_ERROR_DIVERGED)
        return ls_error_set(error, status, "client %u diverged from the server at tick %" PRIu64,
                            index + 1, stats.desync_tick);
    const char *reason = ls_client_reason(client);
    uint32_t count = 0;
    for (uint32_t i = 0; i < party->options->count; i++)
        count += strcmp(ls_client_reason(party->members[i].client), reason) == 0;
    char who[64] = "";
    if (party->options->count > 1)
        snprintf(who, sizeof who, "%u of %u clients: ", count, party->options->count);
    return ls_error_set(error, status, "%s%s%s", who, reason,
                        strstr(reason, "all seats are taken")
                            ? "; a seat of a client that vanished frees after 10 s"
                            : "");
}

static ls_status judge_all(const struct party *party, ls_error *error)
{
    static const ls_status order[] = {LS_ERROR_DIVERGED, LS_ERROR_INCOMPATIBLE, LS_ERROR_REFUSED,
                                      LS_ERROR_CORRUPT, LS_ERROR_IO};
    for (uint32_t k = 0; k < LS_COUNT_OF(order); k++) {
        for (uint32_t i = 0; i < party->options->count; i++) {
            if (judge(party, &party->members[i]) != order[k])
                continue;
            tell_others(party, order[k] == LS_ERROR_DIVERGED
                                   ? ""
                                   : ls_client_reason(party->members[i].client));
            return set_trouble(party, i, order[k], error);
        }
    }
    return LS_OK;
}

/* A test of the detection that tested nothing must not look like one that passed. */
static void tell_corruption(const struct party *party)
{
    ls_client_stats stats = ls_client_get_stats(party->members[0].client);
    if (party->options->corrupt_at != LS_TICK_NEVER && !stats.was_corrupted)
        fprintf(stderr,
                "lockstep join: warning: no bit was flipped: client 1 ended at tick %" PRIu64
                ", --corrupt-at is %" PRIu64 "\n",
                stats.tick, party->options->corrupt_at);
}

ls_status ls_party_play(const ls_party_options *options, ls_error *error)
{
    struct party *party = ls_alloc(sizeof *party);
    party->options = options;
    ls_status status = open_party(party, error);
    if (!status) {
        play(party);
        tell_corruption(party);
        status = judge_all(party, error);
    }
    close_party(party);
    ls_free(party);
    return status;
}
