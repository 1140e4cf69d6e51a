#include "cli/join/client_group.h"

#include "cli/common/build.h"
#include "cli/common/clock.h"
#include "cli/common/loop.h"
#include "cli/common/password_file.h"
#include "cli/common/signals.h"
#include "cli/join/client_group_report.h"
#include "cli/join/probe.h"
#include "proto/private_file.h"
#include <lockstep/link_enet.h>

#include <stdio.h>
#include <string.h>

/* All members get their ticks from one server at the same moment, so waiting for one member's
 * packets is waiting for all. Packets that arrive apart are waited for this long. */
#define LISTEN_NS (4 * LS_NS_PER_MS)
/* The relay's sockets are not waited for: it steps so often. */
#define RELAY_NS LS_NS_PER_MS
/* The server judges the last roots after the last tick: leave no sooner. */
#define LEAVE_NS (LS_NS_PER_S / 2)
/* Time without a live line before the first member is admitted; a refusal comes sooner. */
#define ENTER_NS (3 * LS_NS_PER_S)
/* At the end, besides two round trips, and in all at most. */
#define LINGER_NS     (20 * LS_NS_PER_MS)
#define LINGER_MAX_NS (LS_NS_PER_S / 2)

static uint64_t min_ns(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t max_ns(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Where the client's own bot does not do it. */
static void choose_inputs(ls_client_group *group, uint32_t index)
{
    const ls_client_group_options *options = group->options;
    ls_client_group_member *member = &group->members[index];
    bool is_own_bot = options->input == LS_INPUT_SOURCE_BOT && !options->predict_ticks;
    member->has_source = !options->is_spectator && !is_own_bot;
    member->source =
        (ls_input_source){.kind = options->input,
                          .random = ls_random_child(ls_random_root(options->seed), index),
                          .script = &group->script,
                          .script_path = options->script};
}

static void configure_entry(const ls_client_group *group, const ls_client_group_member *member,
                            ls_client_config *config)
{
    const ls_client_group_options *options = group->options;
    config->is_spectator = options->is_spectator;
    config->is_bot = !options->is_spectator && !member->has_source;
    config->is_machine = member->has_source;
    config->unix_s = ls_clock_unix_s();
    if (group->has_seat)
        config->resume_secret = group->seat.secret;
    if (options->password)
        config->password = group->password;
    if (group->has_pass)
        config->pass = &group->pass;
    if (options->room)
        snprintf(config->room, sizeof config->room, "%s", options->room);
}

static ls_status create_client(const ls_client_group *group, const ls_client_config *config,
                               ls_client_group_member *member, ls_error *error)
{
    uint32_t predict_ticks = group->options->predict_ticks;
    if (!predict_ticks)
        return ls_client_create(config, &member->client, error);
    ls_status status = ls_session_create(config, predict_ticks, &member->session, error);
    if (!status)
        member->client = ls_session_client(member->session);
    return status;
}

static ls_status open_member(ls_client_group *group, uint32_t index, ls_error *error)
{
    const ls_client_group_options *options = group->options;
    ls_client_group_member *member = &group->members[index];
    member->log =
        (ls_log){.stream = group->log.stream, .writer = group->log.writer, .client = index + 1};
    const char *host = group->relay ? "127.0.0.1" : group->address.host;
    uint16_t port = group->relay ? ls_relay_port(group->relay) : group->address.port;
    ls_status status = ls_link_enet_open(host, port, &member->link, error);
    if (status)
        return status;
    choose_inputs(group, index);
    ls_client_config config = ls_client_config_default();
    configure_entry(group, member, &config);
    config.program = group->loaded.program;
    config.link = member->link;
    config.executor = group->executor;
    config.trust = ls_trust_check;
    config.trust_context = &group->trust;
    config.build = LS_BUILD_TEXT;
    config.evidence_ms = options->evidence_ms;
    if (index == 0)
        config.corrupt_at = options->corrupt_at;
    config.log = ls_log_line;
    config.log_context = &member->log;
    if (options->count > 1)
        snprintf(config.name, sizeof config.name, "%.*s-%u", LS_CLIENT_GROUP_NAME_BYTES_MAX,
                 options->name, index + 1);
    else
        snprintf(config.name, sizeof config.name, "%s", options->name);
    return create_client(group, &config, member, error);
}

static ls_status load_simulation(ls_client_group *group, ls_error *error)
{
    const char *name = group->options->match.sim;
    ls_status status = LS_OK;
    if (!name)
        status = ls_probe_simulation(&group->address, &name, error);
    return status ? status : ls_sim_load(name, &group->loaded, error);
}

static ls_status open_relay(ls_client_group *group, ls_error *error)
{
    const ls_client_group_options *options = group->options;
    if (!options->relay.is_any)
        return LS_OK;
    ls_relay_config config = ls_relay_config_default();
    config.to_host = group->address.host;
    config.to_port = group->address.port;
    config.clock = ls_clock_now_ns;
    ls_relay_options_apply(&options->relay, &config);
    return ls_relay_create(&config, &group->relay, error);
}

/* A seat is shown to the server that gave it alone. */
static ls_status load_seat(ls_client_group *group, ls_error *error)
{
    const ls_client_group_options *options = group->options;
    if (!options->state)
        return LS_OK;
    ls_status status = ls_seat_file_read(options->state, &group->seat, error);
    if (status == LS_ERROR_NOT_FOUND)
        return LS_OK;
    if (status)
        return status;
    group->has_seat =
        !group->address.has_key || ls_public_key_equal(&group->address.key, &group->seat.server);
    if (!group->has_seat)
        return LS_OK;
    group->address.has_key = true;
    group->address.key = group->seat.server;
    return LS_OK;
}

/* Address and key of the token file fill in what the command line leaves out. */
static ls_status load_pass(ls_client_group *group, ls_error *error)
{
    const ls_client_group_options *options = group->options;
    if (!options->token)
        return LS_OK;
    ls_status status = ls_pass_load(options->token, &group->pass, error);
    if (status)
        return status;
    group->has_pass = true;
    if (group->pass.has_server_key && !group->address.has_key) {
        group->address.has_key = true;
        group->address.key = group->pass.server_key;
    }
    if (group->address.host[0])
        return LS_OK;
    if (!group->pass.address_count)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s does not say where the server is; give HOST:PORT too",
                            options->token);
    const ls_address *at = &group->pass.addresses[0];
    char host[LS_ADDRESS_TEXT_BYTES];
    ls_address_format_host(at, host);
    snprintf(group->address.host, sizeof group->address.host, "%s", host);
    group->address.port = ls_address_port(at);
    return LS_OK;
}

static ls_status load_secrets(ls_client_group *group, ls_error *error)
{
    const ls_client_group_options *options = group->options;
    ls_status status = load_pass(group, error);
    if (!status && options->password)
        status = ls_password_file_read(options->password, group->password, error);
    return status ? status : load_seat(group, error);
}

/* Errors of this machine are reported before a server hears of the clients. */
static ls_status load_files(ls_client_group *group, ls_error *error)
{
    const ls_client_group_options *options = group->options;
    ls_status status = load_secrets(group, error);
    if (!status && options->state)
        status = ls_private_file_check(options->state, error);
    if (!status && options->input == LS_INPUT_SOURCE_SCRIPT)
        status = ls_script_read(options->script, &group->script, error);
    return status;
}

static ls_status check_inputs(ls_client_group *group, ls_error *error)
{
    const ls_client_group_options *options = group->options;
    const ls_sim *sim = group->loaded.sim;
    if (options->is_spectator)
        return LS_OK;
    if (options->input == LS_INPUT_SOURCE_BOT && !sim->bot && !sim->bot_state)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "the simulation %s has no bots; --spectate watches, --input random "
                            "plays without",
                            sim->name);
    if (options->input != LS_INPUT_SOURCE_SCRIPT)
        return LS_OK;
    return ls_script_check(&group->script, options->script, sim->state_bytes, error);
}

static ls_status open_group(ls_client_group *group, ls_error *error)
{
    const ls_client_group_options *options = group->options;
    group->address = options->address;
    ls_status status = ls_log_open(options->log, &group->log, error);
    if (!status)
        status = load_files(group, error);
    ls_trust_init(&group->trust, &group->address, options->known_servers);
    group->trust.told = options->is_json ? stderr : stdout;
    if (!status)
        status = load_simulation(group, error);
    if (!status)
        status = check_inputs(group, error);
    if (!status)
        status = ls_match_options_executor(&options->match, &group->executor, error);
    if (!status)
        status = open_relay(group, error);
    if (!status)
        status = ls_log_detach(&group->log, error);
    for (uint32_t i = 0; !status && i < options->count; i++)
        status = open_member(group, i, error);
    return status;
}

/* Farewells are still under way in it. */
static void empty_relay(ls_relay *relay)
{
    uint64_t now_ns = ls_clock_now_ns(), until_ns = now_ns + LS_NS_PER_S;
    uint64_t wake_ns = ls_relay_step(relay, now_ns);
    while (now_ns < until_ns && ls_relay_get_stats(relay).up.waiting > 0) {
        if (wake_ns > now_ns)
            ls_relay_wait(relay, (wake_ns < until_ns ? wake_ns : until_ns) - now_ns);
        now_ns = ls_clock_now_ns();
        wake_ns = ls_relay_step(relay, now_ns);
    }
}

/* A farewell that is lost on the way is sent again within this time. */
static void linger(ls_client_group *group)
{
    uint64_t rtt_ns = 0;
    for (uint32_t i = 0; i < group->options->count; i++)
        if (group->members[i].client)
            rtt_ns = max_ns(rtt_ns, ls_client_get_stats(group->members[i].client).rtt_ns);
    uint64_t until_ns = ls_clock_now_ns() + min_ns(2 * rtt_ns + LINGER_NS, LINGER_MAX_NS);
    for (uint64_t now_ns; (now_ns = ls_clock_now_ns()) < until_ns;) {
        uint64_t wake_ns = until_ns;
        for (uint32_t i = 0; i < group->options->count; i++)
            (void)ls_client_step(group->members[i].client, now_ns);
        if (group->relay)
            wake_ns =
                min_ns(wake_ns, min_ns(ls_relay_step(group->relay, now_ns), now_ns + RELAY_NS));
        ls_loop_wait(group->members[0].link, min_ns(wake_ns, now_ns + LISTEN_NS));
    }
}

static ls_status close_group(ls_client_group *group, ls_status status, ls_error *error)
{
    for (uint32_t i = 0; i < group->options->count; i++) {
        if (group->members[i].session)
            ls_session_destroy(group->members[i].session);
        else
            ls_client_destroy(group->members[i].client);
        ls_link_destroy(group->members[i].link);
    }
    if (group->relay)
        empty_relay(group->relay);
    ls_relay_destroy(group->relay);
    ls_executor_destroy(group->executor);
    ls_sim_unload(&group->loaded);
    ls_script_reset(&group->script);
    ls_pass_reset(&group->pass);
    ls_wipe(group->password, sizeof group->password);
    ls_wipe(&group->seat, sizeof group->seat);
    return ls_log_close(&group->log, status, error);
}

/* Whether the member counts as in play: a player from its JOIN on; a spectator once it has all
 * closed ticks, so that the time of catching up does not count. */
static bool is_in_play(const ls_client_group *group, const ls_client_group_member *member,
                       const ls_client_stats *stats)
{
    if (ls_client_get_state(member->client) != LS_CLIENT_PLAYING)
        return false;
    return group->options->is_spectator ? stats->delay_ticks <= 1 : stats->is_playing;
}

/* Leaves when the ticks are done and the server had the time to judge them. */
static void leave_in_time(const ls_client_group *group, ls_client_group_member *member,
                          uint64_t now_ns)
{
    ls_client_stats stats = ls_client_get_stats(member->client);
    if (!member->has_entered && is_in_play(group, member, &stats)) {
        member->has_entered = true;
        member->first_tick = stats.tick;
    }
    uint64_t ticks = group->options->ticks;
    if (!member->leave_ns && member->has_entered && ticks &&
        stats.tick - member->first_tick >= ticks)
        member->leave_ns = now_ns + LEAVE_NS;
    if (member->leave_ns && now_ns >= member->leave_ns)
        ls_client_leave(member->client, "its ticks are done", now_ns);
}

/* Another client has taken the seat over with this file, which is now its own. */
static bool is_seat_foreign(const ls_client_group *group)
{
    ls_seat now;
    ls_error error;
    bool is_foreign = group->has_seat &&
                      ls_seat_file_read(group->options->state, &now, &error) == LS_OK &&
                      memcmp(now.secret, group->seat.secret, LS_RESUME_BYTES) != 0;
    ls_wipe(&now, sizeof now);
    return is_foreign;
}

/* Writes the seat's file, so that the seat can be resumed after a crash of this process. If the
 * file cannot be written, only that is lost. */
static void keep_seat(ls_client_group *group, const ls_client_group_member *member)
{
    const uint8_t *secret = ls_client_resume_secret(member->client);
    const ls_public_key *server = ls_client_server_key(member->client);
    if (!group->options->state || !secret || !server ||
        (group->has_seat && memcmp(group->seat.secret, secret, LS_RESUME_BYTES) == 0))
        return;
    ls_error error;
    bool is_foreign = is_seat_foreign(group);
    group->has_seat = true;
    group->seat.server = *server;
    memcpy(group->seat.secret, secret, LS_RESUME_BYTES);
    if (is_foreign)
        fprintf(stderr,
                "lockstep join: warning: %s is another client's by now; the seat is not "
                "kept: give each client a file of its own\n",
                group->options->state);
    else if (ls_seat_file_write(group->options->state, &group->seat, &error))
        fprintf(stderr, "lockstep join: warning: %s; the seat is not kept\n", error.text);
}

/* A session says nothing of when it is due: it is asked as often as a picture would be drawn. */
static uint64_t advance_member(ls_client_group_member *member, uint64_t now_ns)
{
    uint64_t wake_ns = now_ns + LISTEN_NS;
    if (!member->session)
        wake_ns = ls_client_step(member->client, now_ns);
    else
        ls_session_update(member->session, now_ns);
    ls_news news;
    while (member->session && ls_session_poll(member->session, &news))
        continue;
    if (member->has_source)
        ls_input_source_play(&member->source, member->client, member->session);
    return wake_ns;
}

static void tell_state(ls_client_group *group, uint32_t index)
{
    ls_client_group_member *member = &group->members[index];
    ls_client_state state = ls_client_get_state(member->client);
    if (member->has_told && member->told == state)
        return;
    member->has_told = true;
    member->told = state;
    ls_client_group_report_state(group, index);
}

static uint64_t step_member(ls_client_group *group, uint32_t index, uint64_t now_ns)
{
    ls_client_group_member *member = &group->members[index];
    if (ls_signals_is_asked() && !ls_client_is_final(member->client))
        ls_client_leave(member->client, "asked to stop", now_ns);
    uint64_t wake_ns = advance_member(member, now_ns);
    tell_state(group, index);
    keep_seat(group, member);
    leave_in_time(group, member, now_ns);
    if (member->leave_ns && member->leave_ns < wake_ns)
        wake_ns = member->leave_ns;
    if (ls_client_is_final(member->client)) {
        if (!member->is_told)
            ls_client_group_report_end(group, index);
        member->is_told = true;
        return UINT64_MAX;
    }
    ls_error error;
    if (ls_client_get_state(member->client) >= LS_CLIENT_LOADING &&
        ls_trust_remember(&group->trust, &error))
        fprintf(stderr, "lockstep join: warning: %s; the server is not remembered\n", error.text);
    return wake_ns;
}

static bool has_news(const ls_client_group *group, uint64_t now_ns)
{
    for (uint32_t i = 0; i < group->options->count; i++)
        if (ls_client_get_state(group->members[i].client) >= LS_CLIENT_LOADING)
            return true;
    return now_ns - group->start_ns >= ENTER_NS;
}

static uint64_t live_line(ls_client_group *group, uint64_t now_ns)
{
    if (group->options->is_quiet)
        return UINT64_MAX;
    if (now_ns >= group->line_ns) {
        if (has_news(group, now_ns))
            ls_client_group_report_line(group);
        group->line_ns = now_ns + LS_NS_PER_S;
    }
    return group->line_ns;
}

static void play(ls_client_group *group)
{
    uint32_t count = group->options->count, turn = 0;
    group->start_ns = ls_clock_now_ns();
    group->line_ns = group->start_ns + LS_NS_PER_S;
    for (;;) {
        uint64_t now_ns = ls_clock_now_ns(), wake_ns = UINT64_MAX;
        uint32_t alive = 0, listened = 0;
        ls_signals_goes_on();
        for (uint32_t i = 0; i < count; i++) {
            uint64_t member_ns = step_member(group, i, now_ns);
            wake_ns = member_ns < wake_ns ? member_ns : wake_ns;
            if (ls_client_is_final(group->members[i].client))
                continue;
            if (alive == 0 || i <= turn)
                listened = i;
            alive++;
        }
        if (!alive)
            return;
        if (group->relay)
            wake_ns =
                min_ns(wake_ns, min_ns(ls_relay_step(group->relay, now_ns), now_ns + RELAY_NS));
        uint64_t line_ns = live_line(group, now_ns);
        wake_ns = line_ns < wake_ns ? line_ns : wake_ns;
        if (alive > 1 && wake_ns > now_ns + LISTEN_NS)
            wake_ns = now_ns + LISTEN_NS;
        ls_loop_wait(group->members[listened].link, wake_ns);
        turn = (turn + 1) % count;
    }
}

ls_status ls_client_group_play(const ls_client_group_options *options, ls_error *error)
{
    ls_client_group *group = ls_alloc(sizeof *group);
    group->options = options;
    ls_status status = open_group(group, error);
    if (!status) {
        play(group);
        linger(group);
        status = ls_client_group_report_judge(group, error);
    }
    status = close_group(group, status, error);
    ls_free(group);
    return status;
}
