/* What the files of client/ share. They call downwards only:
 * client.c -> playing.c, entry.c -> wire.c -> state.c and the parts. */
#ifndef LS_CLIENT_INTERNAL_H
#define LS_CLIENT_INTERNAL_H

#include "client/client.h"
#include "client/frames.h"
#include "client/loader.h"
#include "client/outbox.h"
#include "proto/handshake_client.h"

struct ls_client {
    const ls_program *program;
    ls_link *link;
    ls_executor *executor;
    ls_status (*trust)(void *context, const ls_public_key *shown, ls_error *error);
    void *trust_context;
    bool has_pin, is_bot, is_spectator;
    uint64_t unix_s, first_ns, now_ns;
    bool has_stepped;
    uint64_t corrupt_at, corrupt_pick;
    void (*log)(void *context, const char *line);
    void *log_context;

    ls_client_state state;
    char reason[LS_ERROR_TEXT_BYTES];

    /* Entry. */
    ls_handshake_client handshake;
    ls_peer peer;
    bool has_cookie, has_accept;
    uint64_t said_ns; /* of the last HELLO or AUTH */
    ls_handshake_accept accept;
    ls_seal seal;
    uint64_t heard_ns; /* last authenticated message */

    /* Match. */
    ls_world *world;
    bool has_world; /* a snapshot was loaded once */
    uint32_t tries; /* snapshots begun since one led to the head */
    uint64_t loaded_tick;
    ls_loader loader;
    ls_frames frames;
    ls_outbox outbox;
    bool has_news;         /* ticks or roots since the last update: one is due */
    uint64_t update_ns;    /* of the last update */
    uint64_t advanced_ns;  /* of the last tick run, or of the snapshot */
    uint64_t gap_asked_ns; /* and what was asked for: everything below gap_end */
    uint64_t gap_end;
    uint64_t ping_ns; /* of the last ping; 0: it was answered */
    ls_client_stats stats;
};

#endif
