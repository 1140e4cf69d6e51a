/* A server: one port, one identity, any number of rooms (include/lockstep/room.h). It admits
 * clients, assigns them to rooms, closes and broadcasts ticks on schedule, and compares the roots
 * that clients report. Slow work (simulating, packing snapshots, disk writes) runs in jobs, so it
 * does not delay ticks.
 *
 * The server is a step function of time, link events and jobs: it has no clock, socket, thread or
 * file. A process may have any number of servers, each with its own link.
 *   thread  one at a time, which is that of its link
 *   source  docs/protocol.md */
#ifndef LS_SERVER_H
#define LS_SERVER_H

#include <lockstep/room.h>
#include <lockstep/server_config.h>
#include <lockstep/server_stats.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Defaults: 64 connections, one address limited by the LS_SERVER_ constants of PER_HOST, at most
 * one room, none open. The caller must set program, link and identity. */
LS_API ls_server_config ls_server_config_default(void);

/* Creates a server without rooms.
 *   errors  LS_ERROR_USAGE: a number out of range. *server is then NULL
 *   owns    the caller calls ls_server_destroy(*server) before it destroys link, jobs and
 *           program */
LS_API ls_status ls_server_create(const ls_server_config *config, ls_server **server,
                                  ls_error *error) LS_MUST_USE;
/* Waits for the jobs under way, and sends clients nothing; unfinished recordings remain readable.
 * NULL is allowed. */
LS_API void ls_server_destroy(ls_server *server);

/* Opens a room: creates the state before tick 0 and begins the recording. Nothing is sent before
 * the next step.
 *   errors  LS_ERROR_USAGE: a wrong match or name, or wait_players above the seats; LS_ERROR_LIMIT:
 *           rooms_max are open; LS_ERROR_REFUSED: the name is in use; LS_ERROR_IO: the recording
 *           cannot begin. *room is then NULL
 *   owns    the server owns the room until it has called room_ended; `room` may be NULL */
LS_API ls_status ls_server_open_room(ls_server *server, const ls_room_config *config,
                                     ls_room **room, ls_error *error) LS_MUST_USE;
/* The open rooms, unordered, index 0..rooms-1; NULL beyond. */
LS_API ls_room *ls_server_room(const ls_server *server, uint32_t index);
/* NULL when no open room has that name. */
LS_API ls_room *ls_server_find_room(const ls_server *server, const char *name);

/* Does all that is due: handles events of the link and results of jobs, closes ticks, sends and
 * flushes. Call it at the time that it returns, or earlier when the link has an event or a job has
 * ended (ls_link_wait, ls_link_wake).
 *   unit  now_ns: monotonic nanoseconds, never falling; so is the result. UINT64_MAX: the server is
 *         done */
LS_API uint64_t ls_server_step(ls_server *server, uint64_t now_ns);
/* How long the process may sleep after a step although packets may arrive. Waking up costs more
 * than handling one packet, and few packets matter before the next tick closes: the server knows
 * when each one arrived. The result is at most the time to the next step, and half of a tick of the
 * fastest room: two wakes a tick.
 *
 * While a client waits for an answer, as in a handshake or with a gap in its ticks, the result is a
 * quarter to a half of a tick. It is the minimum if ticks wait for players. */
#define LS_SERVER_STEPS_PER_TICK       4
#define LS_SERVER_STEP_INTERVAL_MIN_NS (LS_SECOND_NS / 2000)
#define LS_SERVER_STEP_INTERVAL_MAX_NS (LS_SECOND_NS / 240) /* of a quarter of a tick */
#define LS_SERVER_HALF_TICK_MAX_NS     (LS_SECOND_NS / 40)
/* For how long after its last request a client counts as waiting. */
#define LS_SERVER_ASKED_NS (LS_SECOND_NS / 10)
LS_API uint64_t ls_server_step_interval_ns(const ls_server *server);
/* Whether the last step found packets: if so, step again after the interval, without waiting for
 * the link. */
LS_API bool ls_server_is_busy(const ls_server *server);

/* Sets the wall clock for certificates, tokens and recordings. Between two calls the server
 * advances it with `now_ns`, which misses a suspended machine and a changed clock. So call it with
 * every step, or at least once a minute.
 *   unit  now_ns: of the step before or after */
LS_API void ls_server_set_clock(ls_server *server, uint64_t now_ns, uint64_t unix_s);

/* Admits no more clients and ends all rooms (ls_room_drain). Repeated calls change nothing. */
LS_API void ls_server_drain(ls_server *server, uint64_t now_ns);
/* True when all of this holds: the server was drained, or its only room has ended and it cannot
 * make others; no room is open; the clients have acknowledged the last messages, or
 * LS_SERVER_CLOSING_NS have passed. */
LS_API bool ls_server_is_done(const ls_server *server);

/* Ends a session; `reason` is shown to the user. Ignores an unknown id. */
LS_API void ls_server_kick(ls_server *server, ls_peer peer, const char *reason, uint64_t now_ns);

/* Rises with ls_room_seats_version() of any room. */
LS_API uint64_t ls_server_seats_version(const ls_server *server);

/* Reserves space on disk for one file or folder about a failed match: evidence of a desync, or the
 * world of a failed room. Returns its bytes, 0 when there is none; return unused bytes. */
LS_API uint64_t ls_server_reserve_evidence_bytes(ls_server *server, ls_error *error) LS_MUST_USE;
LS_API void ls_server_release_evidence_bytes(ls_server *server, uint64_t bytes);

LS_API ls_server_stats ls_server_get_stats(const ls_server *server);

/* The session in a slot (0..peers_max-1); false when the slot has none. */
LS_API bool ls_server_peer(const ls_server *server, uint32_t slot, ls_server_peer_info *info);

#ifdef __cplusplus
}
#endif

#endif
