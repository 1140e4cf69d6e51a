/* The connection to the server: sealed packets, the session's state and its reason, the log, and
 * the measurements of the line. The lowest part of a client: playback and outbox send through it.
 */
#ifndef LS_CONNECTION_H
#define LS_CONNECTION_H

#include "client/congestion.h"
#include "client/queue_delay.h"
#include "proto/message.h"
#include <lockstep/client_state.h>
#include <lockstep/client_stats.h>
#include <lockstep/handshake.h>
#include <lockstep/link.h>
#include <lockstep/seal.h>

#define LS_CONNECTION_TEXTS_MAX 4 /* a further text replaces the oldest */

typedef struct ls_connection {
    ls_link *link;
    void (*log)(void *context, const char *line); /* NULL: no log */
    void *log_context;
    const uint64_t *tick; /* the next tick of the playback, for log lines */
    uint64_t now_ns;      /* the time of the present step */
    uint64_t arrived_ns;  /* when the packet in hand reached this machine */

    ls_client_state state;
    ls_client_state resumed; /* the state that RESUMING returns to */
    ls_status refusal;       /* while REFUSED; LS_OK otherwise */
    char reason[LS_ERROR_TEXT_BYTES];

    ls_peer peer;          /* LS_PEER_NONE: the carrier is not connected */
    bool has_accept;       /* `accept` is the grant of the present or the last session */
    bool is_proven;        /* an authentic packet of this session has come */
    uint32_t capabilities; /* of the session */
    ls_handshake_accept accept;
    ls_seal seal;
    uint64_t received_ns;   /* time of the last authentic packet, or of the session's begin */
    uint64_t proven_ns;     /* time of the last authentic packet, or of the first session's begin */
    uint64_t ping_ns;       /* when a ping was last sent after received_ns; 0: none was */
    uint64_t loss_next;     /* the tick channel's counter where the loss estimate began */
    uint32_t loss_received; /* packets that arrived from there on */
    bool has_loss;          /* the loss was estimated at least once */
    ls_queue_delay line;    /* the wait in queues, from the round trips of this session */
    ls_congestion congestion;

    char texts[LS_CONNECTION_TEXTS_MAX][LS_REASON_BYTES]; /* a ring; `text_first` is the oldest */
    uint32_t text_first, text_count;

    bool is_led; /* the server has said that the match goes on at `led_to` */
    ls_remote led_to;
    uint64_t follows_ns; /* when the minute began in which `follows` counts */
    uint32_t follows;

    ls_client_stats stats; /* counters of all parts of the client; see ls_client_get_stats() */
} ls_connection;

/* Logs one line, `event key=value ...`. */
void ls_connection_log(const ls_connection *connection, const char *format, ...) LS_PRINTF(2, 3);
/* Enters a state and gives the reason; a final state is never left and ends the connection. */
void ls_connection_enter(ls_connection *connection, ls_client_state state, const char *format, ...)
    LS_PRINTF(3, 4);
/* Enters REFUSED; no other function does. `refusal` is what ls_client_refusal() returns, never
 * LS_OK. */
void ls_connection_refuse(ls_connection *connection, ls_status refusal, const char *format, ...)
    LS_PRINTF(3, 4);
/* Enters LOST or FAILED by the client's own decision, and sends the server the reason. */
void ls_connection_give_up(ls_connection *connection, ls_client_state state, const char *format,
                           ...) LS_PRINTF(3, 4);
/* The state; while RESUMING, the state that it returns to. */
ls_client_state ls_connection_session_state(const ls_connection *connection);
/* Whether a session can send and receive packets. True also while a new session is about to replace
 * it. */
bool ls_connection_has_session(const ls_connection *connection);

/* Sends a handshake message as a datagram. */
void ls_connection_post(ls_connection *connection, const uint8_t *data, size_t bytes);
/* Sets the keys of a new session and wipes the previous keys. */
void ls_connection_set_keys(ls_connection *connection, const ls_seal_keys *keys);
/* Seals and sends a message. The session ends as LOST when its keys have reached their packet
 * limit. */
void ls_connection_send(ls_connection *connection, const ls_plain *plain);
/* Sends BYE as the last message of the session; without a session, does nothing. */
void ls_connection_send_bye(ls_connection *connection, const char *text);
/* Pings a silent server when a ping is due. The ping requests one byte of the snapshot of
 * `snapshot_tick`; 0 means any snapshot. */
void ls_connection_ping(ls_connection *connection, uint64_t snapshot_tick);
/* Authenticates and decrypts a packet of hostile bytes. Returns false for a bad one, which is
 * counted as dropped. */
bool ls_connection_open(ls_connection *connection, const ls_packet *packet,
                        ls_plain *plain) LS_MUST_USE;
/* Adds one measured round trip to the smoothed one. */
void ls_connection_sample_rtt(ls_connection *connection, uint64_t rtt_ns);
/* The time stamp of an UPDATE, never 0. */
uint32_t ls_connection_stamp_us(const ls_connection *connection);

#endif
