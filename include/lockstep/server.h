/* A server: one port, one identity, any number of rooms (include/lockstep/room.h). It lets clients
 * in, brings each to its room, closes the rooms' ticks on schedule, tells every client what came
 * in, and is the referee over the roots that the clients report. What takes time (simulating,
 * packing snapshots, the disk) runs as jobs, so that no tick is ever sent late because of it.
 *
 * A step function of time, link events and jobs: no clock, socket, thread or file inside. Servers
 * are values; any number fit in one process, each with a link of its own.
 *   thread  a server belongs to one thread at a time, the one that its link belongs to
 *   source  docs/protocol.md */
#ifndef LS_SERVER_H
#define LS_SERVER_H

#include <lockstep/room.h>
#include <lockstep/server_config.h>
#include <lockstep/server_stats.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No rooms, 64 connections, one room at most. The caller sets program, link and identity. */
LS_API ls_server_config ls_server_config_default(void);

/*   errors  LS_ERROR_USAGE: a number out of range. *server is then NULL
 *   owns    ls_server_destroy(*server) by the caller, before link, jobs and program */
LS_API ls_status ls_server_create(const ls_server_config *config, ls_server **server,
                                  ls_error *error) LS_MUST_USE;
/* Ends without a word to anybody, behind the jobs under way; recordings that are not finished stay
 * readable. NULL is allowed. */
LS_API void ls_server_destroy(ls_server *server);

/* Makes the state before tick 0 and begins the recording. Nothing is sent before the next step.
 *   errors  LS_ERROR_USAGE: a wrong match or name, or more waited for than there are seats;
 *           LS_ERROR_LIMIT: rooms_max are open; LS_ERROR_REFUSED: one of that name is;
 *           LS_ERROR_IO: the recording cannot begin. *room is then NULL
 *   owns    the server, until the room has ended and room_ended was told; `room` may be NULL */
LS_API ls_status ls_server_open_room(ls_server *server, const ls_room_config *config,
                                     ls_room **room, ls_error *error) LS_MUST_USE;
/* The rooms that are open, in no order: index 0..rooms-1. NULL beyond. */
LS_API ls_room *ls_server_room(const ls_server *server, uint32_t index);
/* NULL when none is open. */
LS_API ls_room *ls_server_find_room(const ls_server *server, const char *name);

/* Does all that is due: takes the link's events and what jobs have done, closes ticks, sends,
 * flushes. Call it when the time that it returns has come, or earlier when the link has something
 * or a job is done (ls_link_wait, ls_link_wake).
 *   unit    now_ns: monotonic nanoseconds, never falling; so is the result. UINT64_MAX when the
 *           server is done */
LS_API uint64_t ls_server_step(ls_server *server, uint64_t now_ns);
/* How long the process may sleep behind a step although packets may come: waking up costs more than
 * what one of them asks for, and none counts before the next tick closes. A part of a tick's
 * period, but at least and at most so long; the least where a tick waits for its players. Up to
 * twice as long while what is due next is further off than twice that again. */
#define LS_SERVER_RESTS_PER_TICK 4
#define LS_SERVER_REST_LEAST_NS  (LS_SECOND_NS / 2000)
#define LS_SERVER_REST_MOST_NS   (LS_SECOND_NS / 240)
LS_API uint64_t ls_server_rest_ns(const ls_server *server);
/* The last step found packets: behind a rest it is no use to wait for more, some have come. */
LS_API bool ls_server_is_busy(const ls_server *server);

/* What the wall clock shows now: certificate, tokens and recordings go by it. Between two calls the
 * server counts on by `now_ns`, which stands still while a machine sleeps and knows nothing of a
 * clock that was set; so call it with every step, or every minute at least.
 *   unit  now_ns: that of the step before or after */
LS_API void ls_server_set_clock(ls_server *server, uint64_t now_ns, uint64_t unix_s);

/* Nobody new is let in and all rooms end (ls_room_drain). Calling it again changes nothing. */
LS_API void ls_server_drain(ls_server *server, uint64_t now_ns);
/* True when it was drained, or has had a room and cannot make others, no room is open any more, and
 * the clients have heard of it (or LS_SERVER_CLOSING_NS are over). */
LS_API bool ls_server_is_done(const ls_server *server);

/* Ends one session with a reason that its user reads; an id that names none is ignored. */
LS_API void ls_server_kick(ls_server *server, ls_peer peer, const char *reason, uint64_t now_ns);

/* Rises when ls_room_seats_version of any room does. */
LS_API uint64_t ls_server_seats_version(const ls_server *server);

/* What may still be written about matches that went wrong, as one more file or folder of so many
 * bytes: evidence of desyncs, worlds of rooms that failed. 0: nothing. What was not needed is given
 * back. */
LS_API uint64_t ls_server_take_evidence(ls_server *server, ls_error *error) LS_MUST_USE;
LS_API void ls_server_return_evidence(ls_server *server, uint64_t bytes);

LS_API ls_server_stats ls_server_get_stats(const ls_server *server);

/* False when the slot (0..peers_max-1) holds no session. */
LS_API bool ls_server_peer(const ls_server *server, uint32_t slot, ls_server_peer_info *info);

#ifdef __cplusplus
}
#endif

#endif
