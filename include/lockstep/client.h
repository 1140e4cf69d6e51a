/* A client: enters a match, builds its own world from a snapshot and the ticks after it, reports
 * the root of every tick and sends inputs.
 *
 * The client is a step function of time and link events: it has no clock, socket, thread or file.
 * Any number of clients fit in one process, each with its own link.
 *   thread  one at a time, which is that of its link
 *   source  docs/protocol.md */
#ifndef LS_CLIENT_H
#define LS_CLIENT_H

#include <lockstep/client_config.h>
#include <lockstep/client_state.h>
#include <lockstep/client_stats.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_client ls_client;

/* Creates a client on an open link; the first ls_client_step() begins the handshake.
 *   errors  LS_ERROR_USAGE: the name cannot be sent; *client is then NULL
 *   owns    the caller calls ls_client_destroy(*client) before it destroys the link */
LS_API ls_status ls_client_create(const ls_client_config *config, ls_client **client,
                                  ls_error *error) LS_MUST_USE;
/* Sends nothing (ls_client_leave() does), and wipes all keys. NULL is allowed. */
LS_API void ls_client_destroy(ls_client *client);

/* Does all that is due: handles the link's events, runs the ticks that have arrived, reports roots,
 * sends and flushes. Call it at the time that it returns, or earlier when the link has an event
 * (ls_link_wait). Never waits.
 *   unit  now_ns: monotonic nanoseconds, never falling; so is the result. UINT64_MAX once the state
 *         is final */
LS_API uint64_t ls_client_step(ls_client *client, uint64_t now_ns);

/* Tells the server that this client leaves, and why (may be ""); the state becomes ENDED. The
 * message is sent at once, so client and link may be destroyed next. If the message is lost,
 * further steps repeat it; stepping for two round trips suffices. */
LS_API void ls_client_leave(ls_client *client, const char *why, uint64_t now_ns);

/* Stops before `tick`: that tick and later ones wait, and the client does not count as late. The
 * limit is LS_TICK_NEVER at first. Ticks beyond the ring (LS_CLIENT_RING_TICKS) are dropped. The
 * client fetches them again later, or loads a snapshot instead. */
LS_API void ls_client_set_limit(ls_client *client, uint64_t tick);
/* Asks the server to pause or resume the match. The server decides; frames of later ticks carry the
 * result.
 *   errors  LS_ERROR_REFUSED: the client is not (yet) a player; to resume, a seat is enough */
LS_API ls_status ls_client_pause(ls_client *client, bool wants_pause) LS_MUST_USE;

LS_API ls_client_state ls_client_get_state(const ls_client *client);
LS_API bool ls_client_is_final(const ls_client *client);
/* A text for people that explains the current state; never NULL. Valid as long as the client. */
LS_API const char *ls_client_reason(const ls_client *client);

/* Takes the oldest text that the server has sent for the user of this client, such as news of its
 * end. False: there is none. The client keeps the four newest.
 *   shape   UTF-8 without control characters */
LS_API bool ls_client_next_text(ls_client *client, char text[LS_REASON_BYTES]);

/* The kind of refusal in state REFUSED, by the server or by this client's trust check. LS_OK in all
 * other states.
 *   errors  LS_ERROR_INCOMPATIBLE: version or simulation; LS_ERROR_REFUSED: every other reason */
LS_API ls_status ls_client_refusal(const ls_client *client);

/* Queues an order for the first open tick. It is executed exactly once, in the order of the calls,
 * also when the session is lost and resumed. One exception: an order in flight when the session is
 * lost is given up if a snapshot skips the frames that might hold it (stats.inputs_lost).
 *   shape   `bytes` 1..LS_INPUT_BYTES_MAX
 *   errors  LS_ERROR_REFUSED: the client is not (yet) a player; LS_ERROR_USAGE: the simulation's
 *           validator refuses the bytes; LS_ERROR_LIMIT: LS_CLIENT_INPUT_QUEUE orders are
 *           unacknowledged, try later */
LS_API ls_status ls_client_submit(ls_client *client, const uint8_t *data,
                                  uint32_t bytes) LS_MUST_USE;
/* Queues an order for the first open tick from `tick` on: an order that arrives early waits at the
 * server.
 *   errors  those of ls_client_submit(); LS_ERROR_LIMIT also when `tick` is LS_CLIENT_STATE_AHEAD
 *           or more ahead of the server's head */
LS_API ls_status ls_client_submit_at(ls_client *client, uint64_t tick, const uint8_t *data,
                                     uint32_t bytes) LS_MUST_USE;

/* Submits this player's state for `tick`: exactly the simulation's state_bytes. Each tick has one
 * state, and `tick` must rise from call to call. Open ticks that the caller skipped get the last
 * state. The client sends the state again until the server has closed the tick.
 *   errors  LS_ERROR_REFUSED: the client is not (yet) a player, the tick has a state or is closed,
 *           or the head is not known yet after an outage; LS_ERROR_USAGE: the simulation has no
 *           states, or its validator refuses this one; LS_ERROR_LIMIT: `tick` is
 *           LS_CLIENT_STATE_AHEAD or more ahead of the server's head */
LS_API ls_status ls_client_submit_state(ls_client *client, uint64_t tick,
                                        const uint8_t *bytes) LS_MUST_USE;

/* The match; NULL until a server let the client in. Valid as long as the client. */
LS_API const ls_match *ls_client_match(const ls_client *client);
/* The confirmed world, to be read between steps; NULL until the client has been PLAYING once, and
 * always NULL for a light client. Valid as long as the client. */
LS_API ls_world *ls_client_world(ls_client *client);
/* Results of the handshake, NULL until they are known: the server's key (after COOKIE); after
 * ACCEPT the secret of LS_RESUME_BYTES that resumes this seat, and the server's compiler, CPU and
 * system. */
LS_API const ls_public_key *ls_client_server_key(const ls_client *client);
LS_API const uint8_t *ls_client_resume_secret(const ls_client *client);
LS_API const char *ls_client_server_build(const ls_client *client);

LS_API ls_client_stats ls_client_get_stats(const ls_client *client);

#ifdef __cplusplus
}
#endif

#endif
