#include <lockstep/server.h>

#include "core/base/bounds.h"
#include "core/base/fault_injection.h"
#include "server/admission.h"
#include "server/evidence_budget.h"
#include "server/ranges.h"
#include "server/resume_match.h"
#include "server/room_end.h"
#include "server/room_internal.h"
#include "server/room_table.h"
#include "server/server_successor.h"
#include "server/session_messages.h"
#include "server/session_move.h"
#include "server/sessions.h"
#include "server/tick_loop.h"

#include <stdio.h>
#include <string.h>

#define SUSPENDED_NS LS_SECOND_NS /* a longer time between two steps: the machine was suspended */

ls_server_config ls_server_config_default(void)
{
    return (ls_server_config){.peers_max = 64,
                              .auths_per_host = LS_SERVER_AUTHS_PER_HOST_S,
                              .snapshots_per_host = LS_SERVER_LOADS_PER_HOST_MIN,
                              .snapshot_bytes_per_host = LS_SERVER_SNAPSHOT_BYTES_PER_HOST_S,
                              .rooms_per_host = LS_SERVER_ROOMS_PER_HOST_MIN,
                              .rooms_max = 1};
}

static ls_status check_range(uint32_t value, const char *what, uint32_t min, uint32_t max,
                             ls_error *error)
{
    if (value >= min && value <= max)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_USAGE, "%u %s: must be %u to %u", value, what, min, max);
}

static ls_status check_config(const ls_server_config *config, ls_error *error)
{
    LS_ASSERT(config->program && config->link && config->identity);
    const struct {
        uint32_t value;
        const char *what;
        uint32_t min, max;
    } numbers[] = {
        {config->peers_max, "connections", 1, LS_LINK_PEERS_MAX},
        {config->auths_per_host, "AUTHs a second of a host", 1, LS_SERVER_AUTHS_PER_S},
        {config->snapshots_per_host, "snapshots a minute of a host", 1, LS_LINK_PEERS_MAX},
        {config->snapshot_bytes_per_host, "bytes of snapshots a second of a host",
         LS_SERVER_EGRESS_MIN, LS_SERVER_SNAPSHOT_BYTES_ALL},
        {config->rooms_per_host, "rooms a minute of a host", 1, LS_SERVER_ROOMS_MAX},
        {config->rooms_max, "rooms", 1, LS_SERVER_ROOMS_MAX},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(numbers); i++) {
        ls_status status =
            check_range(numbers[i].value, numbers[i].what, numbers[i].min, numbers[i].max, error);
        if (status)
            return status;
    }
    uint64_t egress = config->egress_bytes_per_s;
    if (egress && (egress < LS_SERVER_EGRESS_MIN || egress > UINT32_MAX))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "a limit of %llu bytes a second: must be %u to %u, or 0 for none",
                            (unsigned long long)egress, LS_SERVER_EGRESS_MIN, UINT32_MAX);
    if (config->token_key_count > LS_TOKEN_KEYS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "%u token keys: at most %u",
                            config->token_key_count, LS_TOKEN_KEYS_MAX);
    if (config->address_count > LS_TOKEN_ADDRESSES_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "%u addresses: at most %u",
                            config->address_count, LS_TOKEN_ADDRESSES_MAX);
    return LS_OK;
}

static void init_handshake(ls_server *server, const ls_server_config *config)
{
    const ls_sim *sim = ls_program_sim(config->program);
    ls_handshake_server_config handshake = {
        .local.engine_version = LS_ENGINE_RULES,
        .local.capabilities = LS_SESSION_CAPABILITIES,
        .identity = config->identity,
        .entropy = config->entropy,
        .psk = config->psk,
        .unix_s = config->unix_s,
        .token_keys = config->token_keys,
        .token_key_count = config->token_key_count,
        .require_token = config->require_token,
        .addresses = config->addresses,
        .address_count = config->address_count,
    };
    memcpy(handshake.local.fingerprint, ls_program_fingerprint(config->program),
           LS_FINGERPRINT_BYTES);
    snprintf(handshake.local.simulation, sizeof handshake.local.simulation, "%s %s", sim->name,
             sim->version);
    snprintf(handshake.local.build, sizeof handshake.local.build, "%s", server->host.build);
    ls_handshake_server_init(&server->handshake, &handshake);
    server->host.identity = &server->handshake.identity;
}

static void copy_config(ls_server *server, const ls_server_config *config)
{
    server->host.program = config->program;
    server->link = config->link;
    server->host.jobs = config->jobs;
    server->host.disk_jobs = config->disk_jobs ? config->disk_jobs : config->jobs;
    server->unix_s = server->host.now_unix_s = config->unix_s;
    server->login = config->login;
    server->peers_max = config->peers_max;
    server->connections_per_host = config->connections_per_host;
    server->auths_per_host = config->auths_per_host;
    server->snapshots_per_host = config->snapshots_per_host;
    server->snapshot_bytes_per_host = config->snapshot_bytes_per_host;
    server->rooms_per_host = config->rooms_per_host;
    server->peers_remedy = config->peers_remedy;
    server->connections_per_host_remedy = config->connections_per_host_remedy;
    server->auths_per_host_remedy = config->auths_per_host_remedy;
    server->snapshots_per_host_remedy = config->snapshots_per_host_remedy;
    server->rooms_per_host_remedy = config->rooms_per_host_remedy;
    server->light_remedy = config->light_remedy;
    server->allows_light = config->allows_light;
    server->rooms_max = config->rooms_max;
    server->make_room = config->make_room;
    server->room_ended = config->room_ended;
    server->room_context = config->room_context;
    if (config->entropy)
        server->host.entropy = *config->entropy;
    snprintf(server->host.build, sizeof server->host.build, "%s",
             config->build ? config->build : "");
}

ls_status ls_server_create(const ls_server_config *config, ls_server **result, ls_error *error)
{
    *result = NULL;
    ls_status status = check_config(config, error);
    if (status != LS_OK)
        return status;
    ls_server *server = ls_alloc(sizeof *server);
    copy_config(server, config);
    init_handshake(server, config);
    ls_event_log_init(&server->log, config->log, config->log_context, NULL);
    ls_egress_init(&server->egress, config->egress_bytes_per_s);
    ls_ranges_init(server);
    ls_token_bucket_init(&server->gap_bytes, LS_SERVER_GAP_BYTES_ALL, LS_SERVER_GAP_BYTES_ALL / 2);
    ls_admission_init(server);
    server->sessions = ls_alloc(server->peers_max * sizeof *server->sessions);
    server->rooms = ls_alloc(server->rooms_max * sizeof(ls_room *));
    server->room_wakes = ls_alloc(server->rooms_max * sizeof *server->room_wakes);
    server->room_flags = ls_alloc(server->rooms_max * sizeof *server->room_flags);
    server->due = ls_alloc(server->rooms_max * sizeof *server->due);
    *result = server;
    return LS_OK;
}

static void do_nothing(ls_job *job)
{
    (void)job;
}

void ls_server_destroy(ls_server *server)
{
    if (!server)
        return;
    for (uint32_t i = 0; i < server->slot_count; i++)
        if (server->rooms[i])
            ls_room_destroy(server->rooms[i]);
    /* A thread that has finished a job may still have to raise its flag. A last job waits for that.
     */
    ls_jobs *const pools[] = {server->host.jobs, server->host.disk_jobs};
    for (uint32_t i = 0; i < LS_COUNT_OF(pools); i++) {
        ls_job last = {.run = do_nothing};
        ls_job_submit(pools[i], &last);
        ls_job_wait(pools[i], &last);
    }
    ls_admission_reset(server);
    ls_handshake_server_reset(&server->handshake);
    ls_wipe(server->sessions, server->peers_max * sizeof *server->sessions);
    ls_free(server->sessions);
    ls_free(server->rooms);
    ls_free(server->room_wakes);
    ls_free(server->room_flags);
    ls_free(server->due);
    ls_free(server);
}

static void receive_packet(ls_server_session *session, const ls_link_event *event, uint64_t now_ns)
{
    ls_server_stats *stats = &session->room->server->stats;
    stats->packets_received++;
    stats->bytes_received += event->packet.bytes;
    session->arrived_ns = event->arrived_ns;
    ls_session_messages_receive(session, &event->packet, now_ns);
}

static void receive_link(ls_server *server, uint64_t now_ns)
{
    ls_link_event event;
    uint64_t exhausted = server->rounds_exhausted;
    uint64_t auths_max = server->auths_judged + LS_SERVER_AUTHS_PER_STEP;
    server->is_busy = false;
    while (server->auths_judged < auths_max && ls_link_poll(server->link, now_ns, &event)) {
        ls_server_session *session = ls_sessions_find(server, event.peer);
        server->is_busy = true;
        if (event.kind == LS_LINK_DATAGRAM) {
            server->asked_ns = now_ns;
            ls_admission_receive(server, &event.remote, &event.packet, now_ns);
        } else if (event.kind == LS_LINK_CONNECTED)
            ls_admission_connected(server, event.peer, event.connect_id, now_ns);
        else if (session && event.kind == LS_LINK_DISCONNECTED)
            ls_sessions_remove(session, "the connection is gone", now_ns);
        else if (session && event.kind == LS_LINK_MOVED)
            ls_session_move(session, &event.remote, now_ns);
        else if (session && event.kind == LS_LINK_MESSAGE)
            receive_packet(session, &event, now_ns);
    }
    server->rounds_exhausted = ls_link_get_stats(server->link).rounds_exhausted;
    server->is_flooded = server->auths_judged == auths_max || server->rounds_exhausted != exhausted;
}

/* Sets the intervals of steps to fractions of the shortest tick. They are the minimum if a room has
 * the policy LS_ROOM_WAIT, because its ticks wait for packets. */
static void update_step_interval(ls_server *server)
{
    uint64_t tick_ns = LS_SECOND_NS;
    for (uint32_t slot = 0; slot < server->slot_count; slot++) {
        const ls_room *room = server->rooms[slot];
        if (!room)
            continue;
        uint64_t own_ns = LS_SECOND_NS / room->match.config.tick_rate;
        if (room->policy == LS_ROOM_WAIT)
            own_ns = 0;
        tick_ns = own_ns < tick_ns ? own_ns : tick_ns;
    }
    server->step_interval_ns =
        ls_clamp(tick_ns / LS_SERVER_STEPS_PER_TICK, LS_SERVER_STEP_INTERVAL_MIN_NS,
                 LS_SERVER_STEP_INTERVAL_MAX_NS);
    server->half_tick_ns =
        ls_clamp(tick_ns / 2, 2 * LS_SERVER_STEP_INTERVAL_MIN_NS, LS_SERVER_HALF_TICK_MAX_NS);
}

/* After a suspension or a clock jump, moves the clients' timeouts by the time in which the server
 * could not receive. */
static void extend_timeouts(ls_server *server, uint64_t now_ns)
{
    uint64_t skipped_ns = server->has_stepped ? now_ns - server->stepped_ns : 0;
    server->stepped_ns = now_ns;
    if (skipped_ns <= SUSPENDED_NS)
        return;
    ls_sessions_extend(server, skipped_ns);
    for (uint32_t slot = 0; slot < server->slot_count; slot++)
        if (server->rooms[slot])
            ls_room_extend(server->rooms[slot], skipped_ns);
}

static void run_periodic(ls_server *server, uint64_t now_ns)
{
    if (!server->has_stepped) {
        server->has_stepped = true;
        server->unix_ns = server->renewed_ns = now_ns;
    }
    server->host.now_unix_s = server->unix_s + (now_ns - server->unix_ns) / LS_SECOND_NS;
    if (now_ns - server->expired_ns >= LS_SERVER_EXPIRY_INTERVAL_NS) {
        server->expired_ns = now_ns;
        ls_admission_expire(server, NULL, now_ns);
        ls_sessions_expire(server, now_ns);
        ls_session_move_expire(server, now_ns);
        update_step_interval(server);
    }
    if (now_ns - server->renewed_ns >= 60 * LS_SECOND_NS) {
        server->renewed_ns = now_ns;
        ls_handshake_server_renew(&server->handshake, server->host.now_unix_s, now_ns);
    }
}

void ls_server_set_clock(ls_server *server, uint64_t now_ns, uint64_t unix_s)
{
    if (LS_FAULT(CLOCK_OF_THE_START))
        return;
    server->unix_ns = now_ns;
    server->unix_s = server->host.now_unix_s = unix_s;
    if (!server->has_stepped)
        server->renewed_ns = now_ns;
    server->has_stepped = true;
    /* Renews the certificate before it expires: the next HELLO must find a valid one. */
    ls_handshake_server_renew(&server->handshake, unix_s, now_ns);
}

/* Closes a room that has ended: releases its grants and ends its unconfirmed sessions. */
static void close_room(ls_server *server, ls_room *room, uint64_t now_ns)
{
    ls_admission_expire(server, room, now_ns);
    for (uint32_t i = 0; i < server->peers_max; i++)
        if (server->sessions[i].phase != LS_SERVER_SESSION_FREE && server->sessions[i].room == room)
            ls_sessions_end(&server->sessions[i], "the match is over", now_ns);
    if (server->room_ended)
        server->room_ended(server->room_context, room);
    ls_room_table_close(server, room);
}

/* The first pass of a step: closes and sends the room's due ticks. Jobs are submitted in the second
 * pass, after every room has sent its ticks. */
static void step_room(ls_room *room, uint64_t now_ns)
{
    if (room->state == LS_ROOM_RESTORING && room->recording.phase == LS_ROOM_RECORDING_OPENING)
        ls_room_open(room, now_ns);
    else if (room->state == LS_ROOM_RESTORING)
        ls_resume_collect(room, now_ns);
    if (room->state == LS_ROOM_RESTORING || room->state == LS_ROOM_ENDED)
        return;
    ls_tick_loop_collect(room, now_ns);
    ls_tick_loop_run(room, now_ns);
    ls_tick_loop_resend(room, now_ns);
}

static void finish_room_step(ls_room *room, uint64_t now_ns)
{
    ls_server *server = room->server;
    server->room_wakes[room->slot] = now_ns + LS_SERVER_IDLE_STEP_NS;
    if (room->state == LS_ROOM_RESTORING)
        return;
    if (room->state != LS_ROOM_ENDED) {
        ls_tick_loop_submit(room, now_ns);
        ls_room_end_dismiss(room, now_ns);
        server->room_wakes[room->slot] = ls_tick_loop_next_ns(room, now_ns);
    }
    if (room->state == LS_ROOM_ENDED)
        close_room(server, room, now_ns);
}

/* Lists the rooms that are due or flagged. The list is made before the first pass, so that both
 * passes handle the same rooms. */
static uint32_t find_due(ls_server *server, uint64_t now_ns)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < server->slot_count; slot++) {
        bool is_flagged = ls_flag_lower(&server->room_flags[slot]);
        if (server->rooms[slot] && (is_flagged || server->room_wakes[slot] <= now_ns))
            server->due[count++] = slot;
    }
    return count;
}

static uint64_t next_wake(const ls_server *server, uint64_t now_ns)
{
    uint64_t next = now_ns + LS_SERVER_IDLE_STEP_NS;
    for (uint32_t slot = 0; slot < server->slot_count; slot++)
        if (server->rooms[slot] && server->room_wakes[slot] < next)
            next = server->room_wakes[slot];
    return next > now_ns ? next : now_ns;
}

/* Sets is_done when no room is or will be open and the clients have acknowledged the server's last
 * messages, or after a timeout. A server that forwards newcomers stays for LS_SERVER_FORWARD_NS. */
static void update_done(ls_server *server, uint64_t now_ns)
{
    bool may_come = (server->make_room && !server->is_draining) || server->is_awaiting;
    if (server->room_count || may_come || !(server->is_draining || server->has_opened_room)) {
        server->empty_ns = 0;
        return;
    }
    if (!server->empty_ns)
        server->empty_ns = now_ns;
    uint64_t empty_ns = now_ns - server->empty_ns;
    server->is_done = !ls_remote_is_none(&server->forward)
                          ? empty_ns >= LS_SERVER_FORWARD_NS
                          : ls_link_is_quiet(server->link) || empty_ns >= LS_SERVER_CLOSING_NS;
}

uint64_t ls_server_step(ls_server *server, uint64_t now_ns)
{
    extend_timeouts(server, now_ns);
    run_periodic(server, now_ns);
    receive_link(server, now_ns);
    uint32_t due_count = find_due(server, now_ns);
    for (uint32_t i = 0; i < due_count; i++)
        step_room(server->rooms[server->due[i]], now_ns);
    /* Flushes before the second pass, which takes time. */
    ls_link_flush(server->link, now_ns);
    for (uint32_t i = 0; i < due_count; i++)
        finish_room_step(server->rooms[server->due[i]], now_ns);
    if (due_count)
        ls_link_flush(server->link, now_ns);
    update_done(server, now_ns);
    server->next_ns = next_wake(server, now_ns);
    return server->is_done ? UINT64_MAX : server->next_ns;
}

uint64_t ls_server_step_interval_ns(const ls_server *server)
{
    uint64_t min_ns = server->step_interval_ns, left_ns = server->next_ns - server->stepped_ns;
    uint64_t half_ns = left_ns / 2, half_tick_ns = server->half_tick_ns;
    if (server->is_flooded)
        return 0;
    /* A remainder of up to an eighth of the interval is not worth another wake-up, here and at the
     * end. */
    if (!server->asked_ns || server->stepped_ns - server->asked_ns >= LS_SERVER_ASKED_NS)
        return left_ns < half_tick_ns + half_tick_ns / 8 ? left_ns : half_tick_ns;
    if (half_ns > 2 * min_ns)
        return 2 * min_ns;
    if (half_ns > min_ns)
        return half_ns;
    return left_ns < min_ns + min_ns / 8 ? left_ns : min_ns;
}

bool ls_server_is_busy(const ls_server *server)
{
    return server->is_busy;
}

void ls_server_drain(ls_server *server, uint64_t now_ns)
{
    ls_server_close_doors(server);
    for (uint32_t i = 0; i < server->slot_count; i++)
        if (server->rooms[i])
            ls_room_drain(server->rooms[i], now_ns);
}

bool ls_server_is_done(const ls_server *server)
{
    return server->is_done;
}

void ls_server_kick(ls_server *server, ls_peer peer, const char *reason, uint64_t now_ns)
{
    ls_server_session *session = ls_sessions_find(server, peer);
    if (session)
        ls_sessions_kick(session, reason, now_ns);
}

uint64_t ls_server_seats_version(const ls_server *server)
{
    return server->seats_version;
}

ls_server_stats ls_server_get_stats(const ls_server *server)
{
    ls_server_stats stats = server->stats;
    stats.rooms = server->room_count;
    stats.lag_ns = ls_room_table_lag_ns(server);
    stats.log_lines_dropped = server->log.dropped;
    for (uint32_t i = 0; i < server->slot_count; i++)
        if (server->rooms[i])
            stats.log_lines_dropped += server->rooms[i]->log.dropped;
    return stats;
}

ls_status ls_server_open_room(ls_server *server, const ls_room_config *config, ls_room **room,
                              ls_error *error)
{
    return ls_room_table_open(server, config, room, error);
}

ls_room *ls_server_room(const ls_server *server, uint32_t index)
{
    return ls_room_table_at(server, index);
}

ls_room *ls_server_find_room(const ls_server *server, const char *name)
{
    return ls_room_table_find(server, name);
}

uint64_t ls_server_reserve_evidence_bytes(ls_server *server, ls_error *error)
{
    return ls_evidence_budget_reserve(&server->stats, error);
}

void ls_server_release_evidence_bytes(ls_server *server, uint64_t bytes)
{
    ls_evidence_budget_release(&server->stats, bytes);
}

bool ls_server_peer(const ls_server *server, uint32_t slot, ls_server_peer_info *info)
{
    if (slot >= server->peers_max || server->sessions[slot].phase != LS_SERVER_SESSION_ACTIVE)
        return false;
    const ls_server_session *session = &server->sessions[slot];
    const ls_referee_case *verdict = &session->referee;
    bool has_seat = session->seat != LS_SEAT_NONE;
    *info = (ls_server_peer_info){
        .peer = session->peer,
        .room = session->room,
        .player = has_seat ? (uint8_t)session->seat : LS_HANDSHAKE_PLAYER_NONE,
        .is_playing = has_seat && session->has_asked_join &&
                      session->room->match.seats.items[session->seat].is_in_stream,
        .is_bot = session->entrant.is_bot,
        .has_diverged = verdict->has_diverged,
        .desync_tick = verdict->has_diverged ? verdict->tick : 0,
        .ack = session->ack,
        .roots_checked = verdict->right_count,
        .slack_us = ls_state_slack_us(&session->slack, server->stepped_ns),
    };
    memcpy(info->name, session->entrant.name, sizeof info->name);
    return true;
}
