/* Ends of a session that the test moves by hand, so that it can say what no client or server of
 * ours would say. Both assert that the handshake itself goes well. */
#ifndef LS_PUPPET_H
#define LS_PUPPET_H

#include "arena.h"
#include "proto/handshake_client.h"
#include "proto/message.h"

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
    uint8_t auth[LS_CONTROL_BYTES_MAX]; /* the AUTH as it was sent */
    uint32_t ticks_count, chunk_count, notice_count;
    ls_plain ticks_plain;
    ls_ticks ticks; /* the last; points into ticks_plain */
    ls_plain chunk_plain;
    ls_snapshot_chunk chunk; /* the last */
    ls_notice notice;        /* the last */
} puppet;

/* Runs the arena until the ACCEPT (or a refusal) has come; nothing is confirmed yet. */
puppet *puppet_create(arena *room, const ls_handshake_client_config *config);
ls_handshake_client_config puppet_config(const arena *room, const char *name);
/* The same, and confirms. */
puppet *puppet_enter(arena *room, const char *name);
/* The puppet vanishes without a word. */
void puppet_destroy(puppet *self);
void puppet_say(puppet *self, arena *room, const ls_plain *plain);
void puppet_say_bytes(puppet *self, arena *room, uint8_t channel, const uint8_t *data,
                      uint32_t bytes);
void puppet_confirm(puppet *self, arena *room);
void puppet_update(puppet *self, arena *room, const ls_update *update);
void puppet_request(puppet *self, arena *room, const ls_snapshot_request *request);
/* Lets time pass and takes in what comes. */
void puppet_run(puppet *self, arena *room, uint64_t duration_ns);

/* A server by hand, with one client of ours. */
typedef struct puppet_server {
    uint64_t now_ns;
    ls_network *network;
    ls_link *link, *client_link;
    ls_program *program;
    ls_identity identity;
    ls_handshake_server handshake;
    ls_match match;
    ls_world *world; /* the referee's, for snapshots and roots */
    ls_seal seal;
    ls_peer peer;
    uint8_t player; /* given to the client */
    uint64_t tick;  /* said to be the next when it was let in */
    bool is_silent; /* answers no HELLO */
    bool has_confirm, has_bye;
    ls_client *client;
    uint32_t updates, requests;
    ls_plain update_plain;
    ls_update update;            /* the last; points into update_plain */
    ls_snapshot_request request; /* the last */
} puppet_server;

puppet_server *puppet_server_create(void);
/* Connects the client; `config` NULL: a plain player. */
void puppet_server_join(puppet_server *self, const ls_client_config *config);
void puppet_server_destroy(puppet_server *self);
void puppet_server_run(puppet_server *self, uint64_t duration_ns);
void puppet_server_say(puppet_server *self, const ls_plain *plain);
/* Sends the whole snapshot of its world. */
void puppet_server_load(puppet_server *self);
/* The same, but says that it is of another tick. */
void puppet_server_load_as(puppet_server *self, uint64_t tick);
/* Says empty frames of the ticks [first, first + count), with a JOIN of the client in the first
 * when asked. `input_ack` as in ls_ticks. */
void puppet_server_tick(puppet_server *self, uint64_t first, uint32_t count, bool has_join,
                        uint32_t input_ack);
/* Advances the referee's own world by the same frames. */
void puppet_server_advance(puppet_server *self, uint32_t count, bool has_join);

#endif
