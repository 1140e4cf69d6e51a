#include "cli/join/client_group_open.h"

#include "cli/common/descriptor_limit.h"

#include "cli/common/build.h"
#include "cli/common/clock.h"
#include "cli/common/password_file.h"
#include "cli/join/client_group_report.h"
#include "cli/join/probe.h"
#include "core/base/platform.h"
#include "proto/private_file.h"
#include <lockstep/handshake.h>
#include <lockstep/link_enet.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Numbers of file descriptors. A link has a socket and a descriptor that wakes it; beside the links
 * there are log, module, relay and those that libraries open. */
#define DESCRIPTORS_A_LINK 2
#define DESCRIPTORS_BESIDE 32

/* Prepares the member's input source. It is not used for a spectator, for a light client without a
 * chosen input, and where the client's own bot plays. */
static void choose_inputs(ls_client_group *group, uint32_t index)
{
    const ls_client_group_options *options = group->options;
    ls_client_group_member *member = &group->members[index];
    bool is_own_bot = options->input == LS_INPUT_SOURCE_BOT && !options->predict_ticks;
    member->has_source =
        !options->is_spectator && !is_own_bot && (!options->is_light || options->has_input);
    member->source =
        (ls_input_source){.kind = options->input,
                          .sim = group->loaded.sim,
                          .random = ls_random_child(ls_random_root(options->seed), index),
                          .script = &group->script,
                          .script_path = options->script};
}

static void configure_entry(const ls_client_group *group, const ls_client_group_member *member,
                            ls_client_config *config)
{
    const ls_client_group_options *options = group->options;
    config->is_spectator = options->is_spectator;
    config->is_light = options->is_light;
    config->is_bot = !options->is_spectator && !options->is_light && !member->has_source;
    config->is_machine = !options->is_spectator;
    config->unix_s = ls_clock_unix_s();
    if (group->has_seat)
        config->resume_secret = group->ticket.secret;
    if (group->has_psk)
        config->psk = group->psk;
    else if (options->password)
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

/* Logs a line. One about another address is also printed: players see where their match went. */
static void log_line(void *context, const char *line)
{
    static const char follow[] = "follow address=";
    ls_client_group_member *member = context;
    char address[LS_ADDRESS_TEXT_BYTES];
    ls_log_line(&member->log, line);
    if (strncmp(line, follow, strlen(follow)) != 0)
        return;
    const char *from = line + strlen(follow);
    snprintf(address, sizeof address, "%.*s", (int)strcspn(from, " "), from);
    ls_client_group_report_follow(member->group, (uint32_t)(member - member->group->members),
                                  address);
}

static ls_status open_member(ls_client_group *group, uint32_t index, ls_error *error)
{
    const ls_client_group_options *options = group->options;
    ls_client_group_member *member = &group->members[index];
    member->group = group;
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
    config.memory_max = options->memory_max;
    config.tick_rate_max = options->tick_rate_max;
    config.players_max = options->players_max;
    if (index == 0)
        config.corrupt_at = options->corrupt_at;
    config.log = log_line;
    config.log_context = member;
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
    config.clock = ls_monotonic_ns;
    ls_relay_options_apply(&options->relay, &config);
    return ls_relay_create(&config, &group->relay, error);
}

/* Reads the seat's file. Its secret is shown only to the server that issued it, so that server's
 * key is pinned. A seat of another server than the address names is not used. */
static ls_status load_seat(ls_client_group *group, ls_error *error)
{
    const ls_client_group_options *options = group->options;
    if (!options->state)
        return LS_OK;
    ls_status status = ls_seat_file_read(options->state, &group->ticket, error);
    if (status == LS_ERROR_NOT_FOUND)
        return LS_OK;
    if (status)
        return status;
    group->has_seat =
        !group->address.has_key || ls_public_key_equal(&group->address.key, &group->ticket.server);
    if (!group->has_seat)
        return LS_OK;
    group->address.has_key = true;
    group->address.key = group->ticket.server;
    return LS_OK;
}

/* Reads the token file. Its address and key are used if the command line has none. */
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

/* Hashes the password once for all members: each hash takes a tenth of a second and 64 MiB. */
static ls_status hash_password(ls_client_group *group, ls_error *error)
{
    if (!group->options->password || !group->address.has_key)
        return LS_OK;
    group->has_psk = true;
    ls_status status = ls_handshake_password(group->password, &group->address.key, group->psk);
    return status ? ls_error_set(error, status, "no memory to derive a key from the password")
                  : LS_OK;
}

/* Reads all files. Local errors are reported before any client contacts a server. */
static ls_status load_files(ls_client_group *group, ls_error *error)
{
    const ls_client_group_options *options = group->options;
    ls_status status = load_secrets(group, error);
    if (!status && options->state)
        status = ls_private_file_check(options->state, error);
    if (!status && options->input == LS_INPUT_SOURCE_SCRIPT)
        status = ls_script_read(options->script, &group->script, error);
    return status ? status : hash_password(group, error);
}

static ls_status check_inputs(ls_client_group *group, ls_error *error)
{
    const ls_client_group_options *options = group->options;
    const ls_sim *sim = group->loaded.sim;
    if (options->is_spectator || (options->is_light && !options->has_input))
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

/* Makes sure that the process may open the sockets of all clients. */
static ls_status allow_descriptors(const ls_client_group_options *options, ls_error *error)
{
    uint32_t each = DESCRIPTORS_A_LINK + (options->relay.is_any ? 1 : 0);
    uint64_t wanted = (uint64_t)options->count * each + DESCRIPTORS_BESIDE;
    uint64_t max = ls_descriptor_limit(wanted);
    if (max >= wanted)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_IO,
                        "%u clients need %" PRIu64 " file descriptors and this process may open "
                        "%" PRIu64 ": raise the limit (ulimit -n %" PRIu64
                        "), or join with fewer --bots",
                        options->count, wanted, max, wanted);
}

static ls_status open_members(ls_client_group *group, ls_error *error)
{
    uint32_t count = group->options->count;
    ls_status status = ls_socket_set_create(count, &group->links, error);
    for (uint32_t i = 0; !status && i < count; i++) {
        status = open_member(group, i, error);
        if (!status)
            status = ls_socket_set_add(group->links,
                                       ls_link_enet_descriptor(group->members[i].link), i, error);
    }
    return status;
}

ls_status ls_client_group_open(ls_client_group *group, ls_error *error)
{
    const ls_client_group_options *options = group->options;
    group->address = options->address;
    group->members = ls_alloc(options->count * sizeof *group->members);
    group->has_packets = ls_alloc(options->count);
    ls_status status = ls_log_open(options->log, &group->log, error);
    if (!status)
        status = allow_descriptors(options, error);
    if (!status)
        status = load_files(group, error);
    ls_trust_init(&group->trust, &group->address, options->known_servers);
    group->trust.out = options->is_json ? stderr : stdout;
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
    return status ? status : open_members(group, error);
}

/* Steps the relay until the BYEs that wait in it are sent, for a second at most. */
static void empty_relay(ls_relay *relay)
{
    uint64_t now_ns = ls_monotonic_ns(), until_ns = now_ns + LS_SECOND_NS;
    uint64_t wake_ns = ls_relay_step(relay, now_ns);
    while (now_ns < until_ns && ls_relay_get_stats(relay).up.waiting > 0) {
        if (wake_ns > now_ns)
            ls_relay_wait(relay, (wake_ns < until_ns ? wake_ns : until_ns) - now_ns);
        now_ns = ls_monotonic_ns();
        wake_ns = ls_relay_step(relay, now_ns);
    }
}

ls_status ls_client_group_close(ls_client_group *group, ls_status status, ls_error *error)
{
    for (uint32_t i = 0; i < group->options->count; i++) {
        if (group->members[i].session)
            ls_session_destroy(group->members[i].session);
        else
            ls_client_destroy(group->members[i].client);
        ls_link_destroy(group->members[i].link);
    }
    ls_socket_set_destroy(group->links);
    ls_free(group->has_packets);
    ls_free(group->members);
    if (group->relay)
        empty_relay(group->relay);
    ls_relay_destroy(group->relay);
    ls_executor_destroy(group->executor);
    ls_sim_unload(&group->loaded);
    ls_script_reset(&group->script);
    ls_pass_reset(&group->pass);
    ls_wipe(group->password, sizeof group->password);
    ls_wipe(group->psk, sizeof group->psk);
    ls_wipe(&group->ticket, sizeof group->ticket);
    return ls_log_close(&group->log, status, error);
}
