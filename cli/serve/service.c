#include "cli/serve/service.h"

#include "cli/common/build.h"
#include "cli/common/clock.h"
#include "cli/common/cpus.h"
#include "cli/common/log.h"
#include "cli/common/loop.h"
#include "cli/common/signals.h"
#include "cli/module/sim_load.h"
#include "cli/serve/broadcast.h"
#include "cli/serve/finished_hook.h"
#include "cli/serve/handover.h"
#include "cli/serve/quarantine.h"
#include "cli/serve/recordings.h"
#include "cli/serve/rooms.h"
#include "cli/serve/service_admin.h"
#include "cli/serve/service_agones.h"
#include "cli/serve/service_http.h"
#include "cli/serve/service_identity.h"
#include "cli/serve/service_keys.h"
#include "cli/serve/service_network.h"
#include "cli/serve/service_rights.h"
#include "cli/serve/status_line.h"
#include "cli/serve/takeover.h"
#include "core/base/bounds.h"
#include <lockstep/job_pool.h>
#include <lockstep/limits.h>
#include <lockstep/link_enet.h>
#include <lockstep/server_address.h>

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define PEERS_MIN 256

struct service {
    const ls_service_options *options;
    ls_log log;
    ls_async_writer *out;
    uint32_t workers;
    ls_loaded_sim loaded;
    ls_identity identity;
    ls_token_key token_keys[LS_TOKEN_KEYS_MAX];
    ls_service_addresses addresses;
    uint8_t psk[32];
    ls_service_links links;
    ls_job_pool *pool, *disk_pool;
    ls_executor *executor;
    ls_rooms *rooms;
    ls_finished_hook *hook;  /* NULL: none */
    ls_broadcast *broadcast; /* NULL: none */
    ls_retention *retention; /* NULL: recordings stay */
    uint32_t peers_max;
    ls_server *server;
    ls_metrics_source metrics;
    ls_service_http *http; /* NULL: none */
    ls_service_rights rights;
    ls_service_admin *admin;   /* NULL: none */
    ls_service_agones *agones; /* NULL: none */
    ls_handover *handover;
    ls_takeover *takeover; /* NULL: none */
};

/* The most replacement threads: this number of rooms may hang without stopping the others. */
#define SPARES 16

/* The longest sleep while a match moves to another process: players wait for it. */
#define MOVING_NS (2 * LS_NS_PER_MS)

/* The state of the work done once a second. */
struct periodic_checks {
    uint64_t due_ns;
    uint32_t rooms; /* rooms that were open */
};

/* Returns the number of configured rooms. Resumed matches may be more. */
static uint32_t rooms_wanted(const ls_service_options *options)
{
    return options->rooms_max > options->rooms ? options->rooms_max : options->rooms;
}

static ls_status count_seats(const struct service *service, uint64_t *seats, ls_error *error)
{
    const ls_service_options *options = service->options;
    ls_match match;
    ls_status status =
        ls_match_options_apply(&options->match, service->loaded.program, &match, error);
    *seats = status ? 0 : (uint64_t)match.player_count * rooms_wanted(options);
    return status;
}

/* Chooses the limit of connections without --peers: all seats, plus a quarter for spectators and
 * for clients that return while their old connection still exists. */
static ls_status choose_peers(struct service *service, ls_error *error)
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
    char line[160];
    snprintf(line, sizeof line, "connections_few seats=%" PRIu64 " peers=%u remedy=\"%s\"", seats,
             service->peers_max,
             seats <= LS_LINK_PEERS_MAX ? "raise --peers"
                                        : "open fewer rooms or run more processes");
    ls_log_line(&service->log, line);
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

static ls_status start_jobs(struct service *service, ls_error *error)
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
    /* Disk jobs have a separate pool, so that a slow disk does not stop the simulation. */
    config.threads = 1;
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

static ls_status create_server(struct service *service, ls_error *error)
{
    const ls_service_options *options = service->options;
    ls_server_config config = ls_server_config_default();
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
    config.peers_per_address = options->peers_per_address;
    config.auths_per_address = options->auths_per_address;
    config.peers_remedy = "serve --peers";
    config.peers_per_address_remedy = "serve --peers-per-address";
    config.auths_per_address_remedy = "serve --auths-per-address";
    config.snapshots_per_address = options->snapshots_per_address;
    config.snapshots_per_address_remedy = "serve --snapshots-per-address";
    config.snapshot_bytes_per_address = options->snapshot_kb_per_address * 1000;
    config.rooms_per_address = options->rooms_per_address;
    config.rooms_per_address_remedy = "serve --rooms-per-address";
    config.allows_light = options->allows_light;
    config.light_remedy = "serve --allow-light";
    config.egress_bytes_per_s = (uint64_t)options->egress_kb * 1000;
    config.rooms_max = options->resume ? LS_SERVER_ROOMS_MAX : rooms_wanted(options);
    config.make_room = options->rooms_max ? ls_rooms_make : NULL;
    config.room_ended = ls_rooms_ended;
    ls_rooms_config rooms = {.options = options,
                             .program = service->loaded.program,
                             .executor = service->executor,
                             .jobs = config.disk_jobs,
                             .log = &service->log,
                             .hook = service->hook,
                             .broadcast = service->broadcast,
                             .out = service->out,
                             .closed = &service->metrics.closed};
    service->rooms = ls_rooms_create(&rooms);
    service->retention = ls_retention_create(&(ls_retention_config){.folder = options->record,
                                                                    .limits = options->retention,
                                                                    .jobs = config.disk_jobs,
                                                                    .log = &service->log});
    config.room_context = service->rooms;
    ls_status status = ls_server_create(&config, &service->server, error);
    service->metrics.server = service->server;
    service->metrics.link = service->links.all;
    service->metrics.web = service->links.web;
    service->metrics.peers_max = service->peers_max;
    if (!status)
        ls_service_rights_begin(&service->rights, service->server, service->links.web,
                                config.disk_jobs, &service->log);
    return status ? status : ls_rooms_open(service->rooms, service->server, error);
}

/* Refuses a simulation without a hash of its sources: clients with other sources would be admitted,
 * and diverge. */
static ls_status check_sources(const struct service *service, ls_error *error)
{
    if (service->options->allows_unhashed || ls_sim_has_source_hash(service->loaded.sim))
        return LS_OK;
    return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                        "%.512s has no hash of its sources, so a client with other sources would "
                        "not be refused; build it with lockstep_add_simulation() or as `lockstep "
                        "source-hash --help` shows, or serve it with --allow-unhashed",
                        service->options->match.sim);
}

static ls_status open_http(struct service *service, ls_error *error)
{
    ls_service_http_config config = {.options = service->options,
                                     .web = service->links.web,
                                     .sim = service->loaded.sim->name,
                                     .source = &service->metrics,
                                     .admin = service->options->http_token ? service->admin : NULL,
                                     .log = &service->log};
    return ls_service_http_open(&config, &service->http, error);
}

static ls_status open_admin(struct service *service, ls_error *error)
{
    ls_service_admin_config config = {.path = service->options->admin,
                                      .has_http = service->options->http_token != NULL,
                                      .bans_file = service->options->bans,
                                      .sim = service->loaded.sim->name,
                                      .server = service->server,
                                      .link = service->links.all,
                                      .web = service->links.web,
                                      .metrics = &service->metrics,
                                      .rights = &service->rights,
                                      .handover = service->handover,
                                      .predecessor = {.folder = service->options->record,
                                                      .program = service->loaded.program,
                                                      .key = &service->identity.public_key},
                                      .log = &service->log};
    return ls_service_admin_open(&config, &service->admin, error);
}

/* Opens what hands matches over, and with --take-over what receives them. */
static ls_status open_handover(struct service *service, ls_error *error)
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

static ls_status open_agones(struct service *service, ls_error *error)
{
    ls_service_agones_config config = {.options = service->options,
                                       .server = service->server,
                                       .rooms = service->rooms,
                                       .key = &service->identity.public_key,
                                       .peers_max = service->peers_max,
                                       .rooms_max = rooms_wanted(service->options),
                                       .log = &service->log};
    ls_status status = count_seats(service, &config.seats, error);
    return status ? status : ls_service_agones_open(&config, &service->agones, error);
}

static ls_status open_broadcast(struct service *service, ls_error *error)
{
    const ls_broadcast_config config = {.folder = service->options->broadcast,
                                        .delay_s = service->options->broadcast_delay_s,
                                        .log = &service->log};
    ls_status status = ls_broadcast_create(&config, &service->broadcast, error);
    return status ? status : ls_broadcast_start(service->broadcast, error);
}

static ls_status open_service(struct service *service, ls_error *error)
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
        status = open_http(service, error);
    if (!status)
        status = open_agones(service, error);
    return status;
}

static ls_status close_output(struct service *service, ls_status status, ls_error *error)
{
    bool is_left;
    if (ls_async_writer_close(service->out, &is_left) || status)
        return status;
    return ls_error_set(error, LS_ERROR_IO,
                        "the output is incomplete: stdout cannot be written (is the disk full?)");
}

static ls_status close_service(struct service *service, ls_status status, ls_error *error)
{
    ls_service_admin_stop(service->admin);
    ls_service_http_close(service->http);
    ls_service_agones_close(service->agones);
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

/* Prints the address for players. A server that listens on all interfaces has several; prints the
 * one that works on this machine. */
static void print_address(struct service *service)
{
    ls_server_address address = {.port = ls_link_enet_port(service->links.enet),
                                 .has_key = true,
                                 .key = service->identity.public_key};
    const char *host = ls_service_network_host(service->options);
    snprintf(address.host, sizeof address.host, "%s", host ? host : "127.0.0.1");
    char text[LS_SERVER_ADDRESS_TEXT_BYTES];
    ls_server_address_format(&address, text);
    ls_async_writer_print(service->out, "listening %s\n", text);
    char line[LS_SERVER_ADDRESS_TEXT_BYTES + 256];
    ls_link_enet_buffers buffers = ls_link_enet_get_buffers(service->links.enet);
    snprintf(line, sizeof line,
             "listening address=%s sim=%s seed=%" PRIu64
             " rooms=%u workers=%u receive_buffer=%u send_buffer=%u",
             text, service->loaded.sim->name, service->options->match.seed,
             ls_server_get_stats(service->server).rooms, service->workers, buffers.receive_bytes,
             buffers.send_bytes);
    ls_log_line(&service->log, line);
}

static void run_periodic_checks(struct service *service, struct periodic_checks *periodic_checks,
                                uint64_t now_ns)
{
    if (now_ns < periodic_checks->due_ns)
        return;
    periodic_checks->due_ns = now_ns + LS_NS_PER_S / 10;
    ls_job_pool_replace_slow(service->pool);
    uint32_t rooms = ls_server_get_stats(service->server).rooms;
    if (rooms < periodic_checks->rooms)
        ls_signals_restart_limit();
    periodic_checks->rooms = rooms;
}

static void obey_signals(struct service *service)
{
    bool is_hung_up = ls_signals_take_hangup();
    if (is_hung_up)
        ls_service_rights_reload(&service->rights);
    if (ls_signals_take_rotation() || is_hung_up)
        ls_log_reopen(&service->log);
}

/* True while a match is on its way to or from another process. */
static bool move_matches(struct service *service, uint64_t now_ns)
{
    bool is_leaving = ls_handover_step(service->handover, now_ns);
    return ls_takeover_step(service->takeover) || is_leaving;
}

static void serve(struct service *service)
{
    ls_status_line meter;
    struct periodic_checks periodic_checks = {0};
    bool is_draining = false;
    ls_status_line_start(&meter, ls_clock_now_ns(), service->server);
    while (!ls_server_is_done(service->server)) {
        uint64_t now_ns = ls_clock_now_ns();
        obey_signals(service);
        if (ls_signals_stop_is_requested() && !is_draining) {
            is_draining = true;
            ls_server_drain(service->server, now_ns);
        }
        ls_service_admin_step(service->admin, now_ns);
        ls_service_agones_step(service->agones, now_ns);
        ls_server_set_clock(service->server, now_ns, ls_clock_unix_s());
        bool is_moving = move_matches(service, now_ns);
        uint64_t wake_ns = ls_server_step(service->server, now_ns);
        if (is_moving && wake_ns > now_ns + MOVING_NS)
            wake_ns = now_ns + MOVING_NS;
        ls_rooms_maintain(service->rooms);
        ls_retention_maintain(service->retention, now_ns);
        ls_service_rights_maintain(&service->rights);
        run_periodic_checks(service, &periodic_checks, now_ns);
        uint64_t step_ns = ls_clock_now_ns() - now_ns;
        ls_status_line_add(&meter, step_ns);
        ls_histogram_add(&service->metrics.steps, step_ns);
        ls_service_http_publish(service->http, now_ns);
        if (!service->options->is_quiet) {
            if (now_ns >= ls_status_line_due_ns(&meter) && !ls_server_is_done(service->server))
                ls_status_line_print(&meter, now_ns, service->server, service->out);
            if (wake_ns > ls_status_line_due_ns(&meter))
                wake_ns = ls_status_line_due_ns(&meter);
        }
        if (!ls_server_is_done(service->server))
            ls_loop_sleep(service->links.all, ls_server_step_interval_ns(service->server),
                          ls_server_is_busy(service->server), wake_ns);
    }
}

ls_status ls_service_run(const ls_service_options *options, uint32_t *failed, ls_error *error)
{
    struct service service = {.options = options};
    *failed = 0;
    ls_status status = open_service(&service, error);
    if (!status) {
        print_address(&service);
        ls_takeover_print(service.takeover);
        serve(&service);
        ls_rooms_wait(service.rooms);
        ls_service_agones_shutdown(service.agones);
        *failed = ls_rooms_failed(service.rooms);
        status = ls_rooms_status(service.rooms, error);
    }
    status = close_output(&service, status, error);
    return close_service(&service, status, error);
}
