/* A client's end of a session, controlled by the test: it can send messages that a real client
 * would never send. Asserts that the handshake succeeds. */
#ifndef LS_PUPPET_H
#define LS_PUPPET_H

#include "arena.h"
#include "proto/handshake_client.h"
#include "proto/message.h"
#include "proto/notice.h"
#include "puppet_server.h"

/* A client that the test controls message by message. */
typedef struct puppet {
    ls_link *link;
    ls_handshake_client handshake;
    ls_handshake_accept accept;
    ls_seal seal;
    bool is_connected, has_accept, is_gone;
    char refusal[256]; /* text of the REJECT */
    uint32_t accepts;  /* ACCEPTs received */
    uint32_t auth_bytes;
    uint8_t auth[LS_MTU_BYTES]; /* the AUTH message as sent */
    uint32_t ticks_count, chunk_count, notice_count;
    ls_plain ticks_plain;
    ls_ticks ticks; /* the last message; points into ticks_plain */
    ls_plain chunk_plain;
    ls_snapshot_chunk chunk; /* the last message */
    ls_notice notice;        /* the last message */
    uint32_t question_count;
    ls_evidence_request question; /* the last message */
} puppet;

/* Runs the arena until an ACCEPT or a refusal arrives; sends no CONFIRM. */
puppet *puppet_create(arena *room, const ls_handshake_client_config *config);
/* Like puppet_create(), but the client is at this host, on a port of its own. */
puppet *puppet_create_at(arena *room, const ls_handshake_client_config *config,
                         const uint8_t host[4]);
ls_handshake_client_config puppet_config(const arena *room, const char *name);
/* Like puppet_create(), then sends CONFIRM. */
puppet *puppet_enter(arena *room, const char *name);
/* Destroys the puppet without a BYE. */
void puppet_destroy(puppet *self);
void puppet_send(puppet *self, arena *room, const ls_plain *plain);
void puppet_send_bytes(puppet *self, arena *room, uint8_t channel, const uint8_t *data,
                       uint32_t bytes);
void puppet_confirm(puppet *self, arena *room);
void puppet_update(puppet *self, arena *room, const ls_update *update);
void puppet_request(puppet *self, arena *room, const ls_snapshot_request *request);
/* Runs the arena for a duration and processes what arrives. */
void puppet_run(puppet *self, arena *room, uint64_t duration_ns);

#endif
