#include "cli/serve/service.h"

#include "cli/common/clock.h"
#include "cli/common/loop.h"
#include "cli/common/signals.h"
#include "cli/serve/service_open.h"
#include "cli/serve/status_line.h"
#include "core/base/platform.h"
#include "server/room_state.h"
#include <lockstep/link_enet.h>
#include <lockstep/server_address.h>

#include <inttypes.h>
#include <stdio.h>

/* The longest sleep while a match moves to another process: players wait for it. */
#define MOVING_NS (2 * LS_NS_PER_MS)

/* The state of the work that is done every tenth of a second. */
struct periodic_checks {
    uint64_t due_ns;
    uint32_t rooms; /* rooms that were open at the last check */
};

static ls_status close_output(ls_service *service, ls_status status, ls_error *error)
{
    bool is_left;
    if (ls_async_writer_close(service->out, &is_left) || status)
        return status;
    return ls_error_set(error, LS_ERROR_IO,
                        "the output is incomplete: stdout cannot be written (is the disk full?)");
}

/* Prints the address for players. A server that listens on all interfaces has several; prints the
 * one that works on this machine. */
static void print_address(ls_service *service)
{
    ls_server_address address = {.port = ls_link_enet_port(service->links.enet),
                                 .has_key = true,
                                 .key = service->identity.public_key};
    const char *host = ls_service_network_host(service->options);
    snprintf(address.host, sizeof address.host, "%s", host ? host : "127.0.0.1");
    char text[LS_SERVER_ADDRESS_TEXT_BYTES];
    ls_server_address_format(&address, text);
    ls_async_writer_print(service->out, "listening %s\n", text);
    ls_link_enet_buffers buffers = ls_link_enet_get_buffers(service->links.enet);
    ls_log_print(&service->log,
                 "listening address=%s sim=%s seed=%" PRIu64
                 " rooms=%u workers=%u receive_buffer=%u send_buffer=%u",
                 text, service->loaded.sim->name, service->options->match.seed,
                 ls_server_get_stats(service->server).rooms, service->workers,
                 buffers.receive_bytes, buffers.send_bytes);
}

/* Whether a room has no file for its recording at present. */
static bool lacks_recording(const ls_server *server)
{
    const ls_room *room;
    for (uint32_t i = 0; (room = ls_server_room(server, i)) != NULL; i++)
        if (room->recording.phase == LS_ROOM_RECORDING_FAILED)
            return true;
    return false;
}

static void run_periodic_checks(ls_service *service, struct periodic_checks *periodic_checks,
                                uint64_t now_ns)
{
    if (now_ns < periodic_checks->due_ns)
        return;
    periodic_checks->due_ns = now_ns + LS_SECOND_NS / 10;
    ls_job_pool_replace_slow(service->pool);
    if (lacks_recording(service->server))
        ls_retention_hurry(service->retention);
    uint32_t rooms = ls_server_get_stats(service->server).rooms;
    if (rooms < periodic_checks->rooms)
        ls_signals_restart_limit();
    periodic_checks->rooms = rooms;
}

static void obey_signals(ls_service *service)
{
    if (ls_signals_take_hangup())
        (void)ls_service_rights_reload(&service->rights);
    if (ls_signals_take_rotation())
        ls_log_reopen(&service->log);
}

/* True while a match is on its way to or from another process. */
static bool move_matches(ls_service *service, uint64_t now_ns)
{
    bool is_leaving = ls_handover_step(service->handover, now_ns);
    return ls_takeover_step(service->takeover) || is_leaving;
}

static void serve(ls_service *service)
{
    ls_status_line meter;
    struct periodic_checks periodic_checks = {0};
    bool is_draining = false;
    ls_status_line_start(&meter, ls_monotonic_ns(), service->server);
    while (!ls_server_is_done(service->server)) {
        uint64_t now_ns = ls_monotonic_ns();
        obey_signals(service);
        if (ls_signals_stop_is_requested() && !is_draining) {
            is_draining = true;
            ls_service_manager_say_stopping(&service->manager);
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
        uint64_t step_ns = ls_monotonic_ns() - now_ns;
        ls_status_line_add(&meter, step_ns);
        ls_histogram_add(&service->metrics.steps, step_ns);
        ls_service_http_publish(service->http, now_ns);
        ls_service_manager_step(&service->manager, service->server, now_ns);
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
    ls_service service = {.options = options};
    *failed = 0;
    ls_service_manager_find(&service.manager);
    ls_status status = ls_service_open(&service, error);
    if (!status) {
        print_address(&service);
        ls_takeover_print(service.takeover);
        serve(&service);
        ls_service_manager_say_stopping(&service.manager); /* also without a signal */
        ls_rooms_wait(service.rooms);
        ls_service_agones_shutdown(service.agones);
        *failed = ls_rooms_failed(service.rooms);
        status = ls_rooms_status(service.rooms, error);
    }
    ls_service_manager_close(&service.manager);
    status = close_output(&service, status, error);
    return ls_service_close(&service, status, error);
}
