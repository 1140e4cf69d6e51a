/* A client's side of a desync inquiry: keeps the states of the last confirmed ticks, pins the state
 * in question, and answers the server's requests about it. The match continues meanwhile. */
#ifndef LS_EVIDENCE_REPLY_H
#define LS_EVIDENCE_REPLY_H

#include "client/connection.h"
#include "proto/evidence_message.h"
#include <lockstep/client_config.h>
#include <lockstep/evidence_limits.h>

typedef struct ls_evidence_reply {
    ls_connection *connection;
    const ls_program *program;
    ls_executor *executor;
    uint32_t keep_ms;                 /* 0: no states are kept */
    size_t bytes_max;                 /* of all kept states */
    struct ls_state_history *history; /* NULL: no world yet */
    ls_snapshot *pinned;              /* the state in question; NULL: none */
    uint64_t pinned_root, pinned_ns;
    uint64_t inputs_first, inputs; /* see ls_evidence_columns */
    uint32_t history_step;         /* ls_state_history_step() when the state was pinned */
    ls_evidence_request request;   /* the last request; `body` is its answer */
    uint8_t *body;
    uint32_t body_bytes; /* 0: none */
    uint64_t second_ns;  /* begin of the second in which `answers` counts */
    uint32_t answers;
    uint64_t frames_first, frames_next; /* consecutive frames; their hashes: */
    uint64_t frame_hashes[LS_CLIENT_EVIDENCE_FRAMES];
    uint64_t recent_first; /* first tick that ran within keep_ms; times of the runs: */
    uint64_t ran_ns[LS_CLIENT_EVIDENCE_FRAMES];
} ls_evidence_reply;

void ls_evidence_reply_init(ls_evidence_reply *self, ls_connection *connection,
                            const ls_client_config *config);
/* Called when the confirmed world has run a frame: records the frame's hash. */
void ls_evidence_reply_note_frame(ls_evidence_reply *self, const ls_frame *frame);
/* Called after each tick: keeps the state of the confirmed world, unless keep_ms is 0, and returns
 * the world's root. */
uint64_t ls_evidence_reply_keep(ls_evidence_reply *self, ls_world *world);
/* Pins the first kept state at or after `tick` and releases the state pinned before. Does nothing
 * when no such state is kept, or when the pinned state is at or after `tick` and no later. */
void ls_evidence_reply_pin(ls_evidence_reply *self, uint64_t tick);
/* Takes an EVIDENCE_REQUEST of hostile bytes and sends the answer. */
void ls_evidence_reply_receive(ls_evidence_reply *self, const ls_plain *plain);
/* Drops all states. Called before the world is destroyed, or replaced by a world of another epoch.
 */
void ls_evidence_reply_reset(ls_evidence_reply *self);
/* The memory of the kept states that is not in ls_world_memory(). */
size_t ls_evidence_reply_memory(const ls_evidence_reply *self);

#endif
