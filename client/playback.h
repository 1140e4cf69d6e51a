/* The match as this client runs it: the confirmed world, the frames that wait for it, the snapshot
 * that it begins with, and the client's seat as the frames show it. Built on connection and outbox.
 * loading.c fetches the snapshot, confirmed.c runs ticks, playing.c decides which is due, receive.c
 * takes in messages, submit.c takes the player's inputs. */
#ifndef LS_PLAYBACK_H
#define LS_PLAYBACK_H

#include "client/connection.h"
#include "client/evidence_reply.h"
#include "client/frames.h"
#include "client/loader.h"
#include "client/outbox.h"
#include <lockstep/client_config.h>

typedef struct ls_playback {
    ls_connection *connection;
    ls_outbox *outbox;
    const ls_program *program;
    ls_executor *executor;
    bool is_bot, is_spectator;
    bool is_light; /* without a world: `world` is NULL */
    uint32_t step_ticks;
    uint64_t memory_max; /* these three: what the server may choose */
    uint32_t tick_rate_max, players_max;
    uint64_t corrupt_at, corrupt_pick;
    void (*ran)(void *context, const ls_frame *frame);
    void (*loaded)(void *context);
    void *hook_context;

    ls_world *world;
    bool has_match; /* the match suits, and has a world unless the client is light */
    bool has_begun; /* a snapshot was loaded once, or it is light and in the match */
    ls_frames frames;
    ls_loader loader;
    ls_evidence_reply evidence;

    bool is_playing;      /* our JOIN has run */
    bool is_paused;       /* the match is paused */
    uint64_t seat_tick;   /* the seat is ours from this tick on */
    bool is_settled;      /* no order of the session before can land any more */
    uint64_t limit_tick;  /* runs no tick from this on */
    uint32_t tries;       /* snapshots begun since one led to the head */
    uint64_t loaded_tick; /* of the last snapshot */
    uint64_t lag_max;     /* a larger lag makes it load a snapshot */
    uint64_t head_old_ns; /* since then the head comes from no TICKS; 0: it does */
    uint64_t advanced_ns; /* of the last tick run, or of the snapshot */
} ls_playback;

void ls_playback_init(ls_playback *playback, ls_connection *connection, ls_outbox *outbox,
                      const ls_client_config *config);
void ls_playback_reset(ls_playback *playback);

/* Creates the world of the match that an ACCEPT names, or checks that the existing one is of it;
 * false when the match does not suit: the state is then final. */
bool ls_playback_prepare(ls_playback *playback, const ls_handshake_accept *accept) LS_MUST_USE;
/* A session has begun with the grant connection->accept; `before` is that of the session before,
 * NULL when there was none. */
void ls_playback_take_seat(ls_playback *playback, const ls_handshake_accept *before);

/* Ticks that have come and may not run yet are no reason to hurry. */
bool ls_playback_is_held(const ls_playback *playback);
/* Ticks known to exist and not yet run. */
uint64_t ls_playback_lag(const ls_playback *playback);

#endif
