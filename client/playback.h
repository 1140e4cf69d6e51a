/* The match as this client runs it: the confirmed world, the frames that it has not run yet, the
 * snapshot that it begins with, and the client's seat as the frames show it. Uses connection and
 * outbox. loading.c fetches the snapshot, confirmed.c runs ticks, playing.c decides which is due,
 * receive.c handles messages, submit.c takes the player's inputs. */
#ifndef LS_PLAYBACK_H
#define LS_PLAYBACK_H

#include "client/connection.h"
#include "client/evidence_reply.h"
#include "client/frames.h"
#include "client/loader.h"
#include "client/outbox.h"
#include "client/tick_timing.h"
#include <lockstep/client_config.h>

typedef struct ls_playback {
    ls_connection *connection;
    ls_outbox *outbox;
    const ls_program *program;
    ls_executor *executor;
    bool is_bot, is_spectator;
    bool is_light; /* runs no world: `world` is NULL */
    uint32_t step_ticks;
    uint64_t memory_max; /* with the next two: limits on what the server may choose */
    uint32_t tick_rate_max, players_max;
    uint64_t corrupt_at, corrupt_pick; /* a bit to flip for a test: see ls_client_config */
    void (*ran)(void *context, const ls_frame *frame); /* after each confirmed tick; or NULL */
    void (*loaded)(void *context);                     /* after each loaded snapshot; or NULL */
    void *hook_context;

    ls_world *world;
    bool has_match; /* the match was accepted; a world exists unless the client is light */
    bool has_begun; /* a snapshot was loaded, or a light client entered the match */
    ls_frames frames;
    ls_loader loader;
    ls_evidence_reply evidence;

    bool is_playing;      /* our JOIN has run */
    bool is_barred;       /* a desync was named before our JOIN: no JOIN follows until a RELOAD */
    bool is_paused;       /* the match is paused */
    uint64_t seat_tick;   /* the seat belongs to this client from this tick on */
    uint64_t kept_tick;   /* the kept seat is played from this tick on, without a JOIN; 0: none */
    bool is_settled;      /* no order of the previous session can be executed any more */
    uint64_t limit_tick;  /* ticks from this one on may not run yet */
    bool end_lifts_limit; /* END lifts limit_tick, which only paces */
    bool has_end;         /* END has come: the ticks that may run do so first */
    uint64_t end_tick, end_root;
    uint32_t tries;       /* downloads begun since the client last reached the head */
    uint64_t loaded_tick; /* tick of the last loaded snapshot */
    uint64_t lag_max;     /* a larger lag makes the client load a snapshot */
    uint64_t head_old_ns; /* since when the head is outdated, without TICKS; 0: it is current */
    uint64_t advanced_ns; /* when the last tick ran, or the snapshot was loaded */
    ls_tick_timing timing;
    bool is_timed; /* ticks are timed: the head was reached since the last snapshot */
} ls_playback;

void ls_playback_init(ls_playback *playback, ls_connection *connection, ls_outbox *outbox,
                      const ls_client_config *config);
void ls_playback_reset(ls_playback *playback);

/* Creates the world of the match that an ACCEPT names, or checks that the existing world is of that
 * match. False when the match does not suit; the state is then final. */
bool ls_playback_prepare(ls_playback *playback, const ls_handshake_accept *accept) LS_MUST_USE;
/* Called when a session has begun with the grant connection->accept. `before` is the previous
 * session's grant, NULL if there was none. */
void ls_playback_take_seat(ls_playback *playback, const ls_handshake_accept *before);

/* Whether the next tick may not run yet because of limit_tick. */
bool ls_playback_is_held(const ls_playback *playback);
/* Whether the next tick is here and may run. */
bool ls_playback_is_due(const ls_playback *playback);
/* The number of ticks that are known to exist and have not run. */
uint64_t ls_playback_lag(const ls_playback *playback);
/* The memory of the world and of the states that are kept of it; 0 for a light client. */
size_t ls_playback_memory(const ls_playback *playback);

#endif
