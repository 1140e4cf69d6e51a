/* What the files of client/ share. They call downwards only:
 * client.c -> hearing.c, playing.c -> loading.c, entry.c -> confirmed.c -> report.c, offer.c
 *          -> wire.c -> state.c and the parts. */
#ifndef LS_CLIENT_INTERNAL_H
#define LS_CLIENT_INTERNAL_H

#include "client/frames.h"
#include "client/input_delay.h"
#include "client/loader.h"
#include "client/outbox.h"
#include "client/state_inputs.h"
#include "proto/evidence_message.h"
#include "proto/handshake_client.h"
#include <lockstep/client.h>
#include <lockstep/evidence_limits.h>

/* Where an attempt to enter is. */
typedef enum ls_entry_step {
    LS_ENTRY_NONE = 0, /* in a session, or over */
    LS_ENTRY_HELLO,
    LS_ENTRY_AUTH,
    LS_ENTRY_CARRIER,
} ls_entry_step;

/* The way in, for the first time or again. Holds secrets. */
typedef struct ls_entry {
    ls_handshake_client_config config; /* points into the copies below */
    ls_public_key pin;
    char password[LS_PASSWORD_BYTES];
    uint8_t psk[32];
    ls_pass pass;
    uint8_t secrets[2][LS_RESUME_BYTES]; /* to resume by: the newest first */
    uint32_t secret_count, secret_index; /* the one that this attempt shows */

    ls_entry_step step;
    ls_handshake_client handshake;
    ls_public_key server_key;
    bool has_server_key;
    bool was_let_in;             /* an ACCEPT came */
    uint64_t said_ns, repeat_ns; /* of the last datagram; until it is said again */
    uint32_t said;               /* times that this step's datagram was said */
    ls_handshake_accept coming;  /* of the session that the carrier connects for */

    /* A refusal that came without proof; it counts when nothing better comes. */
    ls_status refusal; /* LS_OK: none */
    uint64_t refused_ns;
    char refused[LS_ERROR_TEXT_BYTES / 2];
} ls_entry;

/* What is kept for the server's questions after a desync; see client/evidence_reply.h. */
typedef struct ls_client_evidence {
    uint32_t ms; /* 0: nothing is kept */
    size_t bytes_max;
    struct ls_state_history *past; /* NULL: no world yet */
    ls_snapshot *pinned;           /* the state in question; NULL: none */
    uint64_t pinned_root, pinned_ns;
    uint64_t pinned_inputs_first, pinned_inputs; /* see ls_evidence_columns */
    uint32_t step;                               /* of the past, then */
    ls_evidence_request asked;                   /* and its answer: */
    uint8_t *body;
    uint32_t body_bytes; /* 0: none */
    uint64_t since_ns;   /* of the second in which so many were answered */
    uint32_t answers;
    uint64_t ran_first, ran_next; /* frames without a gap between; and their hashes: */
    uint64_t ran[LS_CLIENT_EVIDENCE_RAN];
    uint64_t young_from; /* the first tick that is kept for its time still; and since when each: */
    uint64_t kept_ns[LS_CLIENT_EVIDENCE_RAN];
} ls_client_evidence;

struct ls_client {
    const ls_program *program;
    ls_link *link;
    ls_executor *executor;
    ls_status (*trust)(void *context, const ls_public_key *shown, ls_error *error);
    void *trust_context;
    bool has_pin, is_bot, is_spectator;
    uint64_t unix_s, first_ns, now_ns, resume_ns;
    bool has_stepped;
    uint64_t corrupt_at, corrupt_pick;
    void (*ran)(void *context, const ls_frame *frame);
    void (*loaded)(void *context);
    void *hook_context;
    void (*log)(void *context, const char *line);
    void *log_context;

    ls_client_state state;
    char reason[LS_ERROR_TEXT_BYTES];
    ls_entry entry;

    /* Session. */
    ls_peer peer;
    bool has_accept;   /* there was one */
    bool is_proven;    /* something of this session came */
    bool has_reported; /* a root, since the seat and the epoch are these */
    ls_handshake_accept accept;
    ls_seal seal;
    uint64_t heard_ns;       /* last authenticated message, or the session's begin */
    uint64_t proven_ns;      /* the same, or the first session's begin */
    uint64_t ping_ns;        /* of the last ping since then; 0: none */
    uint64_t loss_next;      /* counter of the tick channel where the loss is counted from */
    uint32_t loss_got;       /* packets since then */
    bool has_loss;           /* it was estimated once */
    ls_client_state resumed; /* the state that RESUMING goes back to */

    /* Match. */
    ls_world *world;
    bool has_world;      /* a snapshot was loaded once */
    uint64_t seat_tick;  /* the seat is ours from this tick on */
    bool is_settled;     /* nothing of the session before can land any more */
    uint64_t limit_tick; /* run none from this on */
    uint32_t step_ticks;
    uint32_t tries; /* snapshots begun since one led to the head */
    uint64_t loaded_tick;
    uint64_t behind_max; /* ticks; behind by more it loads a snapshot */
    ls_loader loader;
    ls_frames frames;
    ls_outbox outbox;
    ls_state_inputs states;
    ls_input_delay lead;
    ls_client_evidence evidence;
    uint64_t head_since_ns; /* the head is told by no ticks yet, since then; 0: it is */
    bool has_news;          /* an update is due */
    uint64_t update_ns;     /* of the last update */
    uint64_t advanced_ns;   /* of the last tick run, or of the snapshot */
    uint64_t gap_asked_ns;  /* and what was asked for: everything below gap_end */
    uint64_t gap_end;
    uint32_t gap_max; /* ticks asked for at once: fewer while answers do not come */
    ls_client_stats stats;
};

#endif
