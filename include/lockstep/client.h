/* A client: enters a match, builds its own world from a snapshot and the ticks since, reports the
 * root of every tick, sends inputs.
 *
 * A step function of time and link events: no clock, socket, thread or file inside. Any number fit
 * in one process, each with a link of its own.
 *   thread  a client belongs to one thread at a time, the one that its link belongs to
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

/* Makes a client on an open link; ls_client_poll() connects it.
 *   errors  LS_ERROR_USAGE: the name cannot be sent; *client is then NULL
 *   owns    ls_client_destroy(*client) by the caller, before the link */
LS_API ls_status ls_client_create(const ls_client_config *config, ls_client **client,
                                  ls_error *error) LS_MUST_USE;
/* Sends nothing (ls_client_leave() does), and wipes all keys. NULL is allowed. */
LS_API void ls_client_destroy(ls_client *client);

/* Does all that is due: takes the link's events, runs the ticks that have come, reports, sends,
 * flushes. Call it at the time that it returns, or earlier when the link has something
 * (ls_link_wait). Never waits.
 *   unit  now_ns: monotonic nanoseconds, never falling; so is the result. UINT64_MAX once the state
 *         is final */
LS_API uint64_t ls_client_step(ls_client *client, uint64_t now_ns);

/* Tells the server that this client leaves, and why (may be ""); the state becomes ENDED. The
 * message is sent at once: client and link may be destroyed next. A lost one is repeated while the
 * client is stepped; two round trips suffice. */
LS_API void ls_client_leave(ls_client *client, const char *why, uint64_t now_ns);

/* Runs no tick from `tick` on; later ticks wait, and the client does not count as late. Begins with
 * LS_TICK_NEVER. Ticks beyond what the ring holds (LS_CLIENT_RING_TICKS) are fetched again later,
 * or a snapshot jumps over them. */
LS_API void ls_client_set_limit(ls_client *client, uint64_t tick);
/* Asks to pause or resume the match. The server decides, and the ticks show when.
 *   errors  LS_ERROR_REFUSED: not (yet) a player; a resume only needs a seat */
LS_API ls_status ls_client_pause(ls_client *client, bool wants_pause) LS_MUST_USE;

LS_API ls_client_state ls_client_get_state(const ls_client *client);
LS_API bool ls_client_is_final(const ls_client *client);
/* Why the state is what it is, for people; never NULL. Lives as long as the client. */
LS_API const char *ls_client_reason(const ls_client *client);

/* The kind of refusal, by the server or by our own trust: LS_ERROR_INCOMPATIBLE (version or
 * simulation) or LS_ERROR_REFUSED while REFUSED; LS_OK otherwise. */
LS_API ls_status ls_client_refusal(const ls_client *client);

/* Queues an order for the first open tick; it lands exactly once, in the order of the calls, also
 * when the session is lost and resumed. One exception: an order in flight when the session was lost
 * is given up when a snapshot jumps over the frames that might hold it (stats.inputs_lost).
 *   shape   `bytes` 1..LS_INPUT_BYTES_MAX
 *   errors  LS_ERROR_REFUSED: not (yet) a player; LS_ERROR_USAGE: the simulation's validator says
 *           no; LS_ERROR_LIMIT: LS_CLIENT_INPUT_QUEUE are un-acknowledged, try later */
LS_API ls_status ls_client_submit(ls_client *client, const uint8_t *data,
                                  uint32_t bytes) LS_MUST_USE;
/* The same for the first open tick from `tick` on: an order that arrives early waits at the server.
 *   errors  LS_ERROR_LIMIT also for LS_CLIENT_STATE_AHEAD or more ahead of the server's head */
LS_API ls_status ls_client_submit_at(ls_client *client, uint64_t tick, const uint8_t *data,
                                     uint32_t bytes) LS_MUST_USE;

/* Submits this player's state for `tick`, the simulation's state_bytes. A tick has one state, and
 * ticks only rise: open ticks left out since the last call hold the last state. Repeated until the
 * server has closed the tick.
 *   errors  LS_ERROR_REFUSED: not (yet) a player, the tick has a state or is closed, or after an
 *           outage the head is not known yet; LS_ERROR_USAGE: the simulation has no states, or its
 *           validator says no; LS_ERROR_LIMIT: LS_CLIENT_STATE_AHEAD or more ahead of the server's
 *           head */
LS_API ls_status ls_client_submit_state(ls_client *client, uint64_t tick,
                                        const uint8_t *bytes) LS_MUST_USE;

/* The confirmed world, to look at between steps; NULL before PLAYING was reached once. Lives as
 * long as the client. */
LS_API ls_world *ls_client_world(ls_client *client);
/* Results of the handshake, or NULL before: the server's key (from the COOKIE on), and the secret
 * that resumes this seat (from the ACCEPT on), LS_RESUME_BYTES. */
LS_API const ls_public_key *ls_client_server_key(const ls_client *client);
LS_API const uint8_t *ls_client_resume_secret(const ls_client *client);
LS_API const char *ls_client_server_build(const ls_client *client);

LS_API ls_client_stats ls_client_get_stats(const ls_client *client);

#ifdef __cplusplus
}
#endif

#endif
