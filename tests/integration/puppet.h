/* The client's end of a session, moved by the test: it can send what no client of ours would
 * send. Asserts that the handshake succeeds. */
#ifndef LS_PUPPET_H
#define LS_PUPPET_H

#include "arena.h"
#include "proto/handshake_client.h"
#include "proto/message.h"
#include "puppet_server.h"

/* A client by hand. */
typedef struct puppet {
    ls_link *link;
    ls_handshake_client handshake;
    ls_handshake_accept accept;
    ls_seal seal;
    bool is_connected, has_accept, is_gone;
    char refusal[256]; /* the REJECT's text */
    uint32_t accepts;  /* ACCEPTs that came */
    uint32_t auth_bytes;
    uint8_t auth[LS_MTU_BYTES]; /* the AUTH as it was sent */
    uint32_t ticks_count, chunk_count, notice_count;
    ls_plain ticks_plain;
    ls_ticks ticks; /* the last; points into ticks_plain */
    ls_plain chunk_plain;
    ls_snapshot_chunk chunk; /* the last */
    ls_notice notice;        /* the last */
    uint32_t question_count;
    ls_evidence_request question; /* the last */
} puppet;

/* Runs the arena until the ACCEPT (or a refusal) has come; sends no CONFIRM yet. */
puppet *puppet_create(arena *room, const ls_handshake_client_config *config);
ls_handshake_client_config puppet_config(const arena *room, const char *name);
/* The same, and confirms. */
puppet *puppet_enter(arena *room, const char *name);
/* The puppet vanishes without a BYE. */
void puppet_destroy(puppet *self);
void puppet_say(puppet *self, arena *room, const ls_plain *plain);
void puppet_say_bytes(puppet *self, arena *room, uint8_t channel, const uint8_t *data,
                      uint32_t bytes);
void puppet_confirm(puppet *self, arena *room);
void puppet_update(puppet *self, arena *room, const ls_update *update);
void puppet_request(puppet *self, arena *room, const ls_snapshot_request *request);
/* Lets time pass and processes what arrives. */
void puppet_run(puppet *self, arena *room, uint64_t duration_ns);

#endif
