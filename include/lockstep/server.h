/* A server: one port, one identity, any number of rooms (include/lockstep/room.h). It admits
 * clients, assigns them to rooms, closes the rooms' ticks on schedule, broadcasts them, and
 * compares the roots that clients report. Slow work (simulating, packing snapshots, the disk) runs
 * in jobs, so no tick is sent late because of it.
 *
 * The server is a step function of time, link events and jobs: it has no clock, socket, thread or
 * file. Servers are values; any number fit in one process, each with its own link.
 *   thread  one at a time, the same as its link
 *   source  docs/protocol.md */
#ifndef LS_SERVER_H
#define LS_SERVER_H

#include <lockstep/room.h>
#include <lockstep/server_config.h>
#include <lockstep/server_stats.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No rooms, 64 connections, LS_SERVER_AUTHS_PER_HOST_S, at most one room. The caller sets program,
 * link and identity. */
LS_API ls_server_config ls_server_config_default(void);

/*   errors  LS_ERROR_USAGE: a number out of range. *server is then NULL
 *   owns  ls_server_destroy(*server) by the caller, before link, jobs and program */
LS_API ls_status ls_server_create(const ls_server_config *config, ls_server **server,
                                  ls_error *error) LS_MUST_USE;
/* Ends after the jobs under way, without a message to clients; unfinished recordings stay
 * readable. NULL is allowed. */
LS_API void ls_server_destroy(ls_server *server);

/* Creates the state before tick 0 and begins the recording. Nothing is sent before the next step.
 *   errors  LS_ERROR_USAGE: a wrong match or name, or wait_players above the seats;
 *           LS_ERROR_LIMIT: rooms_max are open; LS_ERROR_REFUSED: the name is in use; LS_ERROR_IO:
 *           the recording cannot begin. *room is then NULL
 *   owns  the server, until it has called room_ended; `room` may be NULL */
LS_API ls_status ls_server_open_room(ls_server *server, const ls_room_config *config,
                                     ls_room **room, ls_error *error) LS_MUST_USE;
/* The open rooms in no order, index 0..rooms-1; NULL beyond. */
LS_API ls_room *ls_server_room(const ls_server *server, uint32_t index);
/* NULL: none is open. */
LS_API ls_room *ls_server_find_room(const ls_server *server, const char *name);

/* Does all that is due: receives events of the link and results of jobs, closes ticks, sends,
 * flushes. Call it at the time that it returns, or earlier when the link has an event or a job has
 * ended (ls_link_wait, ls_link_wake).
 *   unit  now_ns: monotonic nanoseconds, never falling; so is the result. UINT64_MAX: the server
 *         is done */
LS_API uint64_t ls_server_step(ls_server *server, uint64_t now_ns);
/* The time that the process may sleep after a step although packets may come: a wake costs more
 * than one packet's work, and no packet counts before the next tick closes. It is a fraction of a
 * tick within the two limits, the least where ticks wait for players, and up to twice as long
 * while the next due time is far. */
#define LS_SERVER_RESTS_PER_TICK 4
#define LS_SERVER_REST_LEAST_NS  (LS_SECOND_NS / 2000)
#define LS_SERVER_REST_MOST_NS   (LS_SECOND_NS / 240)
LS_API uint64_t ls_server_rest_ns(const ls_server *server);
/* The last step found packets: after a rest, there is no need to wait for more. */
LS_API bool ls_server_is_busy(const ls_server *server);

/* Sets the wall clock, which certificates, tokens and recordings use. Between two calls the server
 * advances it by `now_ns`, which misses a machine's sleep and a changed clock: call it with every
 * step, or at least every minute.
 *   unit  now_ns: that of the step before or after */
LS_API void ls_server_set_clock(ls_server *server, uint64_t now_ns, uint64_t unix_s);

/* Admits no more clients and ends all rooms (ls_room_drain). Repeated calls change nothing. */
LS_API void ls_server_drain(ls_server *server, uint64_t now_ns);
/* True when the server was drained, or had a room and cannot make others; no room is open; and the
 * clients have the last messages, or LS_SERVER_CLOSING_NS have passed. */
LS_API bool ls_server_is_done(const ls_server *server);

/* Ends a session with a reason that its user reads; ignores an unknown id. */
LS_API void ls_server_kick(ls_server *server, ls_peer peer, const char *reason, uint64_t now_ns);

/* Rises when ls_room_seats_version of any room does. */
LS_API uint64_t ls_server_seats_version(const ls_server *server);

/* Reserves space for one more file or folder about matches that went wrong: evidence of desyncs,
 * worlds of failed rooms. Returns its bytes, 0 for none; give unused bytes back. */
LS_API uint64_t ls_server_take_evidence(ls_server *server, ls_error *error) LS_MUST_USE;
LS_API void ls_server_return_evidence(ls_server *server, uint64_t bytes);

LS_API ls_server_stats ls_server_get_stats(const ls_server *server);

/* False when the slot (0..peers_max-1) holds no session. */
LS_API bool ls_server_peer(const ls_server *server, uint32_t slot, ls_server_peer_info *info);

#ifdef __cplusplus
}
#endif

#endif
