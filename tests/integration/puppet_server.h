/* A server controlled by the test, with one real client: it can send messages that a real server
 * would never send. Asserts that the handshake succeeds. */
#ifndef LS_PUPPET_SERVER_H
#define LS_PUPPET_SERVER_H

#include "proto/evidence_message.h"
#include "proto/handshake_server.h"
#include "proto/message.h"
#include "proto/notice.h"
#include "tests/support/link_memory.h"
#include <lockstep/client.h>
#include <lockstep/evidence_limits.h>

typedef struct puppet_server {
    uint64_t now_ns;
    ls_network *network;
    ls_link *link, *client_link;
    const ls_sim *sim;
    ls_program *program;
    ls_identity identity;
    ls_handshake_server handshake;
    ls_match match;
    ls_world *world; /* the server's world, for snapshots and roots */
    ls_seal seal;    /* of the current connection; `coming` is the next one's */
    ls_seal coming;
    ls_peer peer;
    uint8_t player;         /* the seat given to the client */
    uint64_t tick;          /* the next tick, as told in the ACCEPT */
    uint32_t epoch;         /* told in the ACCEPT */
    uint32_t connect_id;    /* given in the next ACCEPT */
    bool is_silent;         /* answers no datagram */
    bool is_deaf;           /* answers no AUTH */
    uint32_t false_cookies; /* sent before, and again after, each COOKIE; their AUTHs are dropped */
    bool has_resume;        /* the last AUTH contained a resume secret */
    uint8_t shown[LS_RESUME_BYTES],
        granted[LS_RESUME_BYTES]; /* secret of the last AUTH; secret of the last ACCEPT */
    uint32_t hellos, auths, cookies_made;
    bool has_confirm, has_bye;
    ls_bye bye; /* the last BYE */
    uint32_t confirms, pauses;
    bool wants_pause; /* of the last PAUSE */
    uint32_t reports;
    ls_line_report report; /* the last REPORT */
    ls_client *client;
    ls_ticks times; /* echo, held and slack of the next ticks */
    uint32_t updates, requests;
    uint64_t roots_next; /* one after the tick of the newest root received */
    ls_plain update_plain;
    ls_update update;            /* the last UPDATE; points into update_plain */
    ls_snapshot_request request; /* the last request */
    uint32_t evidence_chunks;    /* number of EVIDENCE messages; `evidence` is the last */
    ls_evidence_chunk evidence;
    uint8_t evidence_body[LS_EVIDENCE_ANSWER_BYTES_MAX];
} puppet_server;

/* Creates a server for tally_sim, or for another simulation. */
puppet_server *puppet_server_create(void);
puppet_server *puppet_server_create_of(const ls_sim *sim);
/* Before the client connects: the server has this identity and these capabilities. The default is
 * `identity`, and none. */
void puppet_server_set_handshake(puppet_server *self, const ls_identity *identity,
                                 uint32_t capabilities);
/* Connects the client. With NULL it is a player with the default config. */
void puppet_server_join(puppet_server *self, const ls_client_config *config);
void puppet_server_destroy(puppet_server *self);
void puppet_server_run(puppet_server *self, uint64_t duration_ns);
void puppet_server_say(puppet_server *self, const ls_plain *plain);
/* Sends a datagram to the client, from the server's address. */
void puppet_server_post(puppet_server *self, const uint8_t *data, uint32_t bytes);
void puppet_server_reject(puppet_server *self, ls_reject_code code, const char *reason);
/* Cuts or restores the client's line. */
void puppet_server_cut(puppet_server *self, bool is_cut);
/* Sends the whole snapshot of the server's world. */
void puppet_server_load(puppet_server *self);
/* Like puppet_server_load(), but claims that the snapshot is of this tick. */
void puppet_server_load_as(puppet_server *self, uint64_t tick);
/* Sends empty frames of the ticks [first, first + count); if `has_join`, the first one contains the
 * client's JOIN. `input_ack` as in ls_ticks. */
void puppet_server_tick(puppet_server *self, uint64_t first, uint32_t count, bool has_join,
                        uint32_t input_ack);
/* Sends one tick with these inputs. */
void puppet_server_frame(puppet_server *self, uint64_t tick, const ls_input *inputs,
                         uint32_t count);
/* Sets the times in the next ticks; the defaults are echo_us 0 and no slack. */
void puppet_server_set_times(puppet_server *self, uint32_t echo_us, uint32_t held_us,
                             int32_t slack_us);
/* Advances the server's own world by the same frames. */
void puppet_server_advance(puppet_server *self, uint32_t count, bool has_join);

/* Test setup and teardown: the client has loaded the world before tick 0. */
int puppet_server_begin(void **state);
int puppet_server_end(void **state);
ls_client_stats puppet_server_stats(const puppet_server *self);

#endif
