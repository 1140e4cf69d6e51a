#include "cli/serve/service_open.h"

#include "cli/common/build.h"
#include "cli/common/clock.h"
#include "cli/common/cpus.h"
#include "cli/serve/quarantine.h"
#include "cli/serve/recordings.h"
#include "cli/serve/service_identity.h"
#include "cli/serve/service_keys.h"
#include "core/base/bounds.h"
#include <lockstep/limits.h>
#include <lockstep/link_enet.h>

#include <inttypes.h>
#include <unistd.h>

#define PEERS_MIN 256

/* The most replacement threads: this number of rooms may hang without stopping the others. */
#define SPARES       16
#define DISK_THREADS 4

static ls_status count_seats(const ls_service *service, uint64_t *seats, ls_error *error)
{
    const ls_service_options *options = service->options;
    ls_match match;
    ls_status status =
        ls_match_options_apply(&options->match, service->loaded.program, &match, error);
    *seats = status ? 0 : (uint64_t)match.player_count * ls_rooms_wanted(options);
    return status;
}

/* Chooses the limit of connections without --peers: all seats, plus a quarter for spectators and
 * for clients that return while their old connection still exists. */
static ls_status choose_peers(ls_service *service, ls_error *error)
{
    uint64_t seats;
    ls_status status = count_seats(service, &seats, error);
    if (status)
        return status;
    service->peers_max = service->options->peers_max;
    if (!service->peers_max)
        service->peers_max = (uint32_t)ls_clamp(seats + seats / 4, PEERS_MIN, LS_LINK_PEERS_MAX);
    if (seats <= service->peers_max)
        return LS_OK;
    ls_log_print(&service->log, "connections_few seats=%" PRIu64 " peers=%u remedy=\"%s\"", seats,
                 service->peers_max,
                 seats <= LS_LINK_PEERS_MAX ? "raise --peers"
                                            : "open fewer rooms or run more processes");
    return LS_OK;
}

static void wake(void *context)
{
    ls_link_wake(context);
}

static bool can_have_rooms(const ls_service_options *options)
{
    return options->rooms != 1 || options->rooms_max || options->resume;
}

/* Chooses the number of threads, so that one slow room does not delay another. */
static uint32_t choose_workers(const ls_service_options *options)
{
    if (options->workers)
        return options->workers;
    return ls_cpus_within(can_have_rooms(options) ? 2 : 1, LS_JOB_POOL_THREADS_MAX);
}

static ls_status start_jobs(ls_service *service, ls_error *error)
{
    service->workers = choose_workers(service->options);
    /* With several rooms no job runs inline: on the network thread, a hanging tick of one room
     * would stop all others. */
    ls_job_pool_config config = {.threads = service->workers,
                                 .spares = SPARES,
                                 .runs_cheap_inline = !can_have_rooms(service->options),
                                 .done = wake,
                                 .context = service->links.all};
    ls_status status = ls_job_pool_create(&config, &service->pool, error);
    /* Disk jobs have a separate pool, so that a slow disk does not stop the simulation. It has
     * several threads, so that the recordings of many matches that end at once wait for the disk
     * beside each other. */
    config.threads = DISK_THREADS;
    config.spares = 0;
    config.runs_cheap_inline = false;
    if (!status)
        status = ls_job_pool_create(&config, &service->disk_pool, error);
    /* Only a single room gets a parallel executor: several rooms are already spread over the
     * threads. */
    if (!status && service->options->rooms == 1 && !service->options->rooms_max)
        status = ls_match_options_executor(&service->options->match, &service->executor, error);
    return status;
}

/* The limits of one address, and the options that a message names to raise them. */
static void set_limits(const ls_service_options *options, ls_server_config *config)
{
    config->connections_per_host = options->connections_per_host;
    config->connections_per_host_remedy = "serve --peers-per-address";
    config->auths_per_host = options->auths_per_host;
    config->auths_per_host_remedy = "serve --auths-per-address";
    config->snapshots_per_host = options->snapshots_per_host;
    config->snapshots_per_host_remedy = "serve --snapshots-per-address";
    config->snapshot_bytes_per_host = options->snapshot_kb_per_host * 1000;
    config->rooms_per_host = options->rooms_per_host;
    config->rooms_per_host_remedy = "serve --rooms-per-address";
}

static ls_server_config make_config(ls_service *service)
{
    const ls_service_options *options = service->options;
    ls_server_config config = ls_server_config_default();
    set_limits(options, &config);
    config.program = service->loaded.program;
    config.link = service->links.all;
    config.jobs = ls_job_pool_jobs(service->pool);
    config.disk_jobs = ls_job_pool_jobs(service->disk_pool);
    config.identity = &service->identity;
    config.psk = options->password ? service->psk : NULL;
    config.token_keys = service->token_keys;
    config.token_key_count = options->token_key_count;
    config.require_token = options->require_token;
    config.addresses = service->addresses.list;
    config.address_count = service->addresses.count;
    config.login = options->login;
    config.log = ls_log_line;
    config.log_context = &service->log;
    config.build = LS_BUILD_TEXT;
    config.unix_s = ls_clock_unix_s();
    config.peers_max = service->peers_max;
    config.peers_remedy = "serve --peers";
    config.allows_light = options->allows_light;
    config.light_remedy = "serve --allow-light";
    config.egress_bytes_per_s = (uint64_t)options->egress_kb * 1000;
    config.rooms_max = options->resume ? LS_SERVER_ROOMS_MAX : ls_rooms_wanted(options);
    config.make_room = options->rooms_max ? ls_rooms_make : NULL;
    config.room_ended = ls_rooms_ended;
    return config;
}

static void create_rooms(ls_service *service)
{
    ls_jobs *disk_jobs = ls_job_pool_jobs(service->disk_pool);
    ls_rooms_config rooms = {.options = service->options,
                             .program = service->loaded.program,
                             .executor = service->executor,
                             .jobs = disk_jobs,
                             .log = &service->log,
                             .hook = service->hook,
                             .broadcast = service->broadcast,
                             .out = service->out,
                             .closed = &service->metrics.closed};
    service->rooms = ls_rooms_create(&rooms);
    service->retention =
        ls_retention_create(&(ls_retention_config){.folder = service->options->record,
                                                   .limits = service->options->retention,
                                                   .jobs = disk_jobs,
                                                   .log = &service->log});
    service->rights.retention = service->retention;
    ls_retention_look(service->retention);
}

static void connect_metrics(ls_service *service)
{
    service->metrics.hook = service->hook;
    service->metrics.retention = service->retention;
    service->metrics.broadcast = service->broadcast;
    service->metrics.log = &service->log;
    service->metrics.server = service->server;
    service->metrics.link = service->links.all;
    service->metrics.web = service->links.web;
    service->metrics.pool = service->pool;
    service->metrics.disk_pool = service->disk_pool;
    service->metrics.peers_max = service->peers_max;
}

static ls_status create_server(ls_service *service, ls_error *error)
{
    create_rooms(service);
    ls_server_config config = make_config(service);
    config.room_context = service->rooms;
    ls_status status = ls_server_create(&config, &service->server, error);
    connect_metrics(service);
    if (!status)
        ls_service_rights_begin(&service->rights, service->server, service->links.web,
                                config.disk_jobs, &service->log);
    return status ? status : ls_rooms_open(service->rooms, service->server, error);
}

/* Refuses a simulation without a hash of its sources: clients with other sources would be admitted,
 * and diverge. */
static ls_status check_sources(const ls_service *service, ls_error *error)
{
    if (service->options->allows_unhashed || ls_sim_has_source_hash(service->loaded.sim))
        return LS_OK;
    return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                        "%.512s has no hash of its sources, so a client with other sources would "
                        "not be refused; build it with lockstep_add_simulation() or as `lockstep "
                        "source-hash --help` shows, or serve it with --allow-unhashed",
                        service->options->match.sim);
}

static ls_status open_http(ls_service *service, ls_error *error)
{
    ls_service_http_config config = {.options = service->options,
                                     .web = service->links.web,
                                     .sim = service->loaded.sim->name,
                                     .source = &service->metrics,
                                     .admin = service->options->http_token ? service->admin : NULL,
                                     .lobby = service->lobby,
                                     .log = &service->log};
    return ls_service_http_open(&config, &service->http, error);
}

static ls_status open_admin(ls_service *service, ls_error *error)
{
    ls_service_admin_config config = {.path = service->options->admin,
                                      .has_lobby = service->options->lobby != NULL,
                                      .has_http = service->options->http_token != NULL,
                                      .bans_file = service->options->bans,
                                      .sim = service->loaded.sim->name,
                                      .server = service->server,
                                      .link = service->links.all,
                                      .web = service->links.web,
                                      .metrics = &service->metrics,
                                      .rights = &service->rights,
                                      .handover = service->handover,
                                      .rooms = service->rooms,
                                      .options = service->options,
                                      .predecessor = {.folder = service->options->record,
                                                      .program = service->loaded.program,
                                                      .key = &service->identity.public_key},
                                      .log = &service->log};
    return ls_service_admin_open(&config, &service->admin, error);
}

static ls_status open_lobby(ls_service *service, ls_error *error)
{
    const ls_service_lobby_config config = {
        .options = service->options,
        .port = ls_link_enet_port(service->links.enet),
        .key = &service->identity.public_key,
        .token = service->options->token_key_count ? &service->token_keys[0] : NULL,
        .sim = service->loaded.sim->name,
        .admin = service->admin,
        .log = &service->log};
    return ls_service_lobby_open(&config, &service->lobby, error);
}

/* Opens what hands matches over, and with --take-over what receives them. */
static ls_status open_handover(ls_service *service, ls_error *error)
{
    const ls_takeover_config config = {.folder = service->options->resume,
                                       .server = service->server,
                                       .rooms = service->rooms,
                                       .program = service->loaded.program,
                                       .key = &service->identity.public_key,
                                       .log = &service->log};
    service->handover = ls_handover_create(service->server, service->rooms, &service->log);
    return service->options->takes_over ? ls_takeover_create(&config, &service->takeover, error)
                                        : LS_OK;
}

static ls_status open_agones(ls_service *service, ls_error *error)
{
    ls_service_agones_config config = {.options = service->options,
                                       .server = service->server,
                                       .rooms = service->rooms,
                                       .key = &service->identity.public_key,
                                       .peers_max = service->peers_max,
                                       .rooms_max = ls_rooms_wanted(service->options),
                                       .log = &service->log};
    ls_status status = count_seats(service, &config.seats, error);
    return status ? status : ls_service_agones_open(&config, &service->agones, error);
}

/* Refuses keyframes that are too far apart for a broadcast: a spectator who comes late begins at
 * one. */
static ls_status check_keyframes(const ls_service *service, ls_error *error)
{
    uint32_t given = service->options->keyframe_ticks;
    ls_match match;
    if (!service->options->broadcast || given == LS_ROOM_TICKS_AUTO)
        return LS_OK;
    ls_status status =
        ls_match_options_apply(&service->options->match, service->loaded.program, &match, error);
    uint32_t most = status ? 0 : match.tick_rate * LS_BROADCAST_KEYFRAME_S;
    if (status || (given && given <= most))
        return status;
    return ls_error_set(error, LS_ERROR_USAGE,
                        "--keyframe-ticks %" PRIu32
                        ": spectators of --broadcast-dir need a keyframe every %d seconds: give "
                        "auto, or 1 to %" PRIu32 " ticks",
                        given, LS_BROADCAST_KEYFRAME_S, most);
}

static ls_status open_broadcast(ls_service *service, ls_error *error)
{
    const ls_broadcast_config config = {.folder = service->options->broadcast,
                                        .delay_s = service->options->broadcast_delay_s,
                                        .log = &service->log};
    ls_status status = check_keyframes(service, error);
    if (!status)
        status = ls_broadcast_create(&config, &service->broadcast, error);
    return status ? status : ls_broadcast_start(service->broadcast, error);
}

ls_status ls_service_open(ls_service *service, ls_error *error)
{
    const ls_service_options *options = service->options;
    ls_status status = options->resume ? ls_recordings_find_folder(options->resume, error) : LS_OK;
    if (!status)
        status = ls_log_open(options->log, &service->log, error);
    service->log.is_json = options->log_format != 0;
    service->log.bytes_max = options->log_max;
    ls_log_set_level(&service->log, options->log_level);
    if (!status)
        status = ls_sim_load(options->match.sim, &service->loaded, error);
    if (!status)
        status = check_sources(service, error);
    /* This forks, so no thread may have been started. */
    if (!status && options->resume)
        status = ls_quarantine_check(options->resume, &options->match, &service->log, error);
    if (!status)
        status = ls_service_identity_load(options, &service->log, &service->identity, error);
    if (!status)
        status = ls_service_keys_password(service->options, &service->identity.public_key,
                                          service->psk, error);
    if (!status)
        status = ls_service_keys_load(options, service->token_keys, error);
    if (!status)
        status = ls_service_rights_read(&service->rights, options, error);
    if (!status)
        status = choose_peers(service, error);
    if (!status)
        status = ls_service_network_listen(options, service->peers_max, &service->links, error);
    if (!status)
        status = ls_service_network_find(options, ls_link_enet_port(service->links.enet),
                                         &service->addresses, error);
    if (!status)
        status = ls_log_detach(&service->log, error);
    if (!status)
        status = ls_async_writer_open(STDOUT_FILENO, &service->out, error);
    const ls_finished_hook_config hook = {.command = options->on_finished, .log = &service->log};
    if (!status)
        status = ls_finished_hook_open(&hook, &service->hook, error);
    if (!status)
        status = start_jobs(service, error);
    if (!status)
        status = open_broadcast(service, error);
    if (!status)
        status = create_server(service, error);
    if (!status)
        status = open_handover(service, error);
    if (!status)
        status = open_admin(service, error);
    if (!status)
        status = open_lobby(service, error);
    if (!status)
        status = open_http(service, error);
    if (!status)
        status = open_agones(service, error);
    return status;
}

ls_status ls_service_close(ls_service *service, ls_status status, ls_error *error)
{
    ls_service_admin_stop(service->admin);
    if (!status)
        ls_service_http_linger(service->http);
    ls_service_http_close(service->http);
    ls_service_agones_close(service->agones);
    ls_service_lobby_close(service->lobby);
    ls_service_admin_close(service->admin);
    ls_handover_destroy(service->handover);
    ls_takeover_destroy(service->takeover);
    ls_service_rights_close(&service->rights);
    ls_server_destroy(service->server);
    ls_rooms_destroy(service->rooms);
    ls_finished_hook_close(service->hook);
    ls_broadcast_destroy(service->broadcast);
    ls_retention_destroy(service->retention);
    /* An abandoned thread may still use the executor, which is then leaked, as the world is. */
    bool is_in_use = service->pool && ls_job_pool_has_lost(service->pool);
    if (!is_in_use)
        ls_executor_destroy(service->executor);
    ls_job_pool_destroy(service->pool);
    ls_job_pool_destroy(service->disk_pool);
    ls_link_destroy(service->links.all);
    ls_identity_reset(&service->identity);
    ls_service_keys_reset(service->token_keys);
    ls_wipe(service->psk, sizeof service->psk);
    if (!is_in_use)
        ls_sim_unload(&service->loaded);
    return ls_log_close(&service->log, status, error);
}
