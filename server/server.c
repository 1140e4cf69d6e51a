#include "server/server.h"

#include "server/admission.h"
#include "server/dialogue.h"
#include "server/rounds.h"
#include "server/sessions.h"

#include <stdio.h>
#include <string.h>

ls_server_config ls_server_config_default(void)
{
    return (ls_server_config){
        .sync_ticks = LS_RECORDER_SYNC_TICKS_DEFAULT, .peers_max = 64, .wait_players = 1};
}

static ls_status check_config(const ls_server_config *config, ls_error *error)
{
    LS_ASSERT(config->program && config->link && config->identity);
    if (config->peers_max < 1 || config->peers_max > LS_LINK_PEERS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "%u connections: must be 1 to %u",
                            config->peers_max, LS_LINK_PEERS_MAX);
    if (config->wait_players > config->match.player_count)
        return ls_error_set(error, LS_ERROR_USAGE, "cannot wait for %u players: there are %u seats",
                            config->wait_players, config->match.player_count);
    return LS_OK;
}

static void init_handshake(ls_server *server, const ls_server_config *config)
{
    const ls_sim *sim = ls_program_sim(config->program);
    ls_handshake_server_config handshake = {
        .local.engine_version = LS_ENGINE_RULES,
        .identity = config->identity,
        .entropy = config->entropy,
        .psk = config->psk,
        .unix_s = config->unix_s,
    };
    memcpy(handshake.local.fingerprint, ls_program_fingerprint(config->program),
           LS_FINGERPRINT_BYTES);
    snprintf(handshake.local.simulation, sizeof handshake.local.simulation, "%s %s", sim->name,
             sim->version);
    snprintf(handshake.local.build, sizeof handshake.local.build, "%s",
             config->build ? config->build : "");
    ls_handshake_server_init(&server->handshake, &handshake);
}

static ls_status begin_recording(ls_server *server, const ls_server_config *config, ls_error *error)
{
    const ls_sim *sim = ls_program_sim(config->program);
    ls_recording_header header = {
        .simulation.rules_version = LS_ENGINE_RULES,
        .match = server->match,
        .created_unix_s = (int64_t)config->unix_s,
    };
    ls_entropy_fill(config->entropy, &header.salt, sizeof header.salt);
    memcpy(header.simulation.fingerprint, ls_program_fingerprint(config->program),
           LS_FINGERPRINT_BYTES);
    snprintf(header.simulation.name, sizeof header.simulation.name, "%s", sim->name);
    snprintf(header.simulation.version, sizeof header.simulation.version, "%s", sim->version);
    snprintf(header.build, sizeof header.build, "%s", config->build ? config->build : "");
    memcpy(header.server_key, config->identity->public_key.bytes, sizeof header.server_key);
    return ls_recorder_create_on(*config->sink,
                                 config->recording_name ? config->recording_name : "recording",
                                 &header, &server->recorder, error);
}

static void init_parts(ls_server *server, const ls_server_config *config)
{
    init_handshake(server, config);
    ls_journal_init(&server->journal, config->log, config->log_context, config->room);
    ls_seats_init(&server->seats, ls_program_sim(server->program), &server->match);
    ls_tick_ring_init(&server->ring);
    ls_referee_init(&server->referee);
    ls_snapshot_cache_init(&server->snapshots);
    ls_budget_init(&server->auths, LS_SERVER_AUTHS_PER_S, LS_SERVER_AUTHS_PER_S);
    ls_budget_init(&server->snapshot_bytes, LS_SERVER_SNAPSHOT_BYTES_ALL,
                   LS_SERVER_SNAPSHOT_BYTES_ALL / 4);
    server->sessions = ls_alloc(server->peers_max * sizeof *server->sessions);
}

ls_status ls_server_create(const ls_server_config *config, ls_server **result, ls_error *error)
{
    *result = NULL;
    ls_server *server = ls_alloc(sizeof *server);
    server->program = config->program;
    server->match = config->match;
    server->link = config->link;
    server->executor = config->executor;
    server->unix_s = config->unix_s;
    server->peers_max = config->peers_max;
    server->wait_players = config->wait_players;
    server->sync_ticks = config->sync_ticks;
    server->ticks_max = config->ticks_max;
    server->end_when_empty = config->end_when_empty;
    ls_status status = check_config(config, error);
    if (status == LS_OK)
        status = ls_world_create(config->program, &config->match, &server->world, error);
    if (status != LS_OK) {
        if (config->sink)
            config->sink->close(config->sink->context);
        ls_free(server);
        return status;
    }
    init_parts(server, config);
    if (config->sink)
        status = begin_recording(server, config, error);
    if (status != LS_OK) {
        ls_server_destroy(server);
        return status;
    }
    ls_referee_push(&server->referee, ls_world_root(server->world));
    *result = server;
    return LS_OK;
}

void ls_server_destroy(ls_server *server)
{
    if (!server)
        return;
    ls_recorder_destroy(server->recorder);
    ls_snapshot_cache_reset(&server->snapshots);
    ls_tick_ring_reset(&server->ring);
    ls_seats_reset(&server->seats);
    ls_handshake_server_reset(&server->handshake);
    ls_wipe(server->sessions, server->peers_max * sizeof *server->sessions);
    ls_free(server->sessions);
    ls_world_destroy(server->world);
    ls_free(server);
}

static void hear_packet(ls_server *server, ls_session *session, const ls_packet *packet,
                        uint64_t now_ns)
{
    server->stats.packets_received++;
    server->stats.bytes_received += packet->bytes;
    if (session->phase != LS_SESSION_ACTIVE && ls_admission_is_handshake(packet))
        ls_admission_hear(server, session, packet, now_ns);
    else if (session->phase != LS_SESSION_HANDSHAKE)
        ls_dialogue_hear(server, session, packet, now_ns);
    else
        server->stats.packets_dropped++;
}

static void hear_link(ls_server *server, uint64_t now_ns)
{
    ls_link_event event;
    while (ls_link_poll(server->link, now_ns, &event)) {
        ls_session *session = ls_sessions_find(server, event.peer);
        if (event.kind == LS_LINK_CONNECTED)
            ls_sessions_open(server, event.peer, now_ns);
        else if (session && event.kind == LS_LINK_DISCONNECTED)
            ls_sessions_forget(server, session, "the connection is gone", now_ns);
        else if (session && event.kind == LS_LINK_MESSAGE)
            hear_packet(server, session, &event.packet, now_ns);
    }
}

/* The certificate lives by the wall clock, which this server knows by counting from the start. */
static void renew_certificate(ls_server *server, uint64_t now_ns)
{
    if (!server->has_stepped) {
        server->has_stepped = true;
        server->first_ns = server->renewed_ns = now_ns;
    }
    if (now_ns - server->renewed_ns < 60 * LS_SECOND_NS)
        return;
    server->renewed_ns = now_ns;
    ls_handshake_server_renew(&server->handshake,
                              server->unix_s + (now_ns - server->first_ns) / LS_SECOND_NS);
}

uint64_t ls_server_step(ls_server *server, uint64_t now_ns)
{
    if (server->state == LS_SERVER_ENDED)
        return UINT64_MAX;
    renew_certificate(server, now_ns);
    hear_link(server, now_ns);
    ls_sessions_expire(server, now_ns);
    ls_rounds_run(server, now_ns);
    ls_rounds_repeat(server, now_ns);
    ls_rounds_farewell(server, now_ns);
    ls_link_flush(server->link, now_ns);
    return ls_rounds_next_ns(server, now_ns);
}

void ls_server_drain(ls_server *server, uint64_t now_ns)
{
    ls_rounds_end(server, LS_CLOSING_DRAINED, now_ns);
}

bool ls_server_is_done(const ls_server *server)
{
    return server->state == LS_SERVER_ENDED;
}

void ls_server_kick(ls_server *server, ls_peer peer, const char *reason, uint64_t now_ns)
{
    ls_session *session = ls_sessions_find(server, peer);
    if (session)
        ls_sessions_kick(server, session, reason, now_ns);
}

ls_server_stats ls_server_get_stats(const ls_server *server)
{
    ls_server_stats stats = server->stats;
    stats.state = server->state;
    stats.tick = server->ring.next;
    stats.log_lines_dropped = server->journal.dropped;
    if (server->recorder) {
        stats.recording_bytes = ls_recorder_bytes(server->recorder);
        stats.recording_unsynced_ticks = ls_recorder_unsynced_ticks(server->recorder);
    }
    return stats;
}

bool ls_server_peer(const ls_server *server, uint32_t slot, ls_server_peer_info *info)
{
    if (slot >= server->peers_max || server->sessions[slot].phase != LS_SESSION_ACTIVE)
        return false;
    const ls_session *session = &server->sessions[slot];
    const ls_referee_case *verdict = &session->referee;
    bool has_seat = session->seat != LS_SEAT_NONE;
    *info = (ls_server_peer_info){
        .peer = session->peer,
        .player = has_seat ? (uint8_t)session->seat : LS_HANDSHAKE_PLAYER_NONE,
        .is_playing =
            has_seat && session->has_asked_join && server->seats.items[session->seat].is_in_stream,
        .is_bot = session->is_bot,
        .has_diverged = verdict->has_diverged,
        .desync_tick = verdict->has_diverged ? verdict->tick : 0,
        .ack = session->ack,
        .roots_checked = verdict->right_count,
    };
    memcpy(info->name, session->name, sizeof info->name);
    return true;
}

ls_world *ls_server_world(ls_server *server)
{
    return server->world;
}
