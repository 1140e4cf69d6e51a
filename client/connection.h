/* The connection to the server: sealed packets, the session's state and its reason, the log, and
 * the measurements of the line. The lowest part of a client: playback and outbox send through it.
 */
#ifndef LS_CONNECTION_H
#define LS_CONNECTION_H

#include "proto/message.h"
#include <lockstep/client_state.h>
#include <lockstep/client_stats.h>
#include <lockstep/handshake.h>
#include <lockstep/link.h>
#include <lockstep/seal.h>

typedef struct ls_connection {
    ls_link *link;
    void (*log)(void *context, const char *line);
    void *log_context;
    const uint64_t *tick; /* the playback's next tick, for log lines */
    uint64_t now_ns;      /* the time of the present step */

    ls_client_state state;
    ls_client_state resumed; /* the state that RESUMING returns to */
    ls_status refusal;       /* while REFUSED; LS_OK otherwise */
    char reason[LS_ERROR_TEXT_BYTES];

    ls_peer peer;    /* LS_PEER_NONE: the carrier is not connected */
    bool has_accept; /* `accept` is that of a session, the present one or the last */
    bool is_proven;  /* an authentic packet of this session has come */
    ls_handshake_accept accept;
    ls_seal seal;
    uint64_t heard_ns;      /* last authentic packet, or the session's begin */
    uint64_t proven_ns;     /* the same, or the first session's begin */
    uint64_t ping_ns;       /* of the last ping since then; 0: none */
    uint64_t loss_next;     /* the loss is counted from this counter of the tick channel on */
    uint32_t loss_received; /* packets since then */
    bool has_loss;          /* the loss was estimated once */

    ls_client_stats stats; /* the counters of all parts; see ls_client_get_stats() */
} ls_connection;

/* One log line, `event key=value ...`. */
void ls_connection_log(const ls_connection *connection, const char *format, ...) LS_PRINTF(2, 3);
/* Enters a state and gives the reason; a final state is never left and ends the connection. */
void ls_connection_enter(ls_connection *connection, ls_client_state state, const char *format, ...)
    LS_PRINTF(3, 4);
/* The only way into REFUSED: `refusal` is the result of ls_client_refusal(), never LS_OK. */
void ls_connection_refuse(ls_connection *connection, ls_status refusal, const char *format, ...)
    LS_PRINTF(3, 4);
/* Enters LOST or FAILED by the client's own decision and tells the server why. */
void ls_connection_give_up(ls_connection *connection, ls_client_state state, const char *format,
                           ...) LS_PRINTF(3, 4);
/* The state, or the one that RESUMING returns to. */
ls_client_state ls_connection_session_state(const ls_connection *connection);
/* Whether packets of a session can be sent and received, also while it is being replaced. */
bool ls_connection_has_session(const ls_connection *connection);

/* Sends a handshake message as a datagram. */
void ls_connection_post(ls_connection *connection, const uint8_t *data, size_t bytes);
/* Takes over the keys of a session and wipes the previous ones. */
void ls_connection_set_keys(ls_connection *connection, const ls_seal_keys *keys);
/* Seals and sends; keys that are used up end the session as LOST. */
void ls_connection_send(ls_connection *connection, const ls_plain *plain);
/* Sends the last message of a session, if there is one. */
void ls_connection_send_bye(ls_connection *connection, const char *text);
/* Asks a silent server for a sign of life when that is due: a request for one byte of the snapshot
 * of `snapshot_tick`, 0 for any. */
void ls_connection_ping(ls_connection *connection, uint64_t snapshot_tick);
/* Opens a packet, from hostile bytes; false: dropped and counted. */
bool ls_connection_open(ls_connection *connection, const ls_packet *packet,
                        ls_plain *plain) LS_MUST_USE;
/* Smooths one measured round trip in. */
void ls_connection_sample_rtt(ls_connection *connection, uint64_t rtt_ns);
/* The time stamp of an UPDATE, never 0. */
uint32_t ls_connection_stamp_us(const ls_connection *connection);

#endif
