/* A client's side of a desync inquiry: the states of its last confirmed ticks, the pinned one in
 * question, and the answers to the server's requests about it. Always built in; the session
 * continues meanwhile. */
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
    uint32_t keep_ms; /* 0: no states are kept */
    size_t bytes_max;
    struct ls_state_history *history; /* NULL: no world yet */
    ls_snapshot *pinned;              /* the state in question; NULL: none */
    uint64_t pinned_root, pinned_ns;
    uint64_t inputs_first, inputs; /* see ls_evidence_columns */
    uint32_t history_step;         /* when the state was pinned */
    ls_evidence_request request;   /* the last, and its answer: */
    uint8_t *body;
    uint32_t body_bytes; /* 0: none */
    uint64_t second_ns;  /* begin of the second that `answers` is counted in */
    uint32_t answers;
    uint64_t frames_first, frames_next; /* frames without a gap, and their hashes: */
    uint64_t frame_hashes[LS_CLIENT_EVIDENCE_RAN];
    uint64_t recent_first; /* the first tick that ran less than keep_ms ago; when each one ran: */
    uint64_t ran_ns[LS_CLIENT_EVIDENCE_RAN];
} ls_evidence_reply;

void ls_evidence_reply_init(ls_evidence_reply *self, ls_connection *connection,
                            const ls_client_config *config);
/* The world has run this frame. */
void ls_evidence_reply_note_frame(ls_evidence_reply *self, const ls_frame *frame);
/* Keeps the state of the confirmed world, which has reached another tick, and gives its root. */
uint64_t ls_evidence_reply_keep(ls_evidence_reply *self, ls_world *world);
/* Pins the state of the first kept tick at or after `tick`, instead of any other. */
void ls_evidence_reply_pin(ls_evidence_reply *self, uint64_t tick);
/* An EVIDENCE_REQUEST, hostile bytes. */
void ls_evidence_reply_receive(ls_evidence_reply *self, const ls_plain *plain);
/* Before the world goes, or becomes one of another epoch. */
void ls_evidence_reply_reset(ls_evidence_reply *self);

#endif
