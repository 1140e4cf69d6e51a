/* The lowest layer of the client: sealed packets, the log, how the session changes its state, what
 * is measured of the line. */
#ifndef LS_CLIENT_WIRE_H
#define LS_CLIENT_WIRE_H

#include "client/client_internal.h"

/* One log line, `event key=value ...`. */
void ls_wire_log(const ls_client *client, const char *format, ...) LS_PRINTF(2, 3);
/* Enters a state and says why; a final one is never left, and ends the connection. */
void ls_wire_enter(ls_client *client, ls_client_state state, const char *format, ...)
    LS_PRINTF(3, 4);
/* The only way into REFUSED: `refusal` is what ls_client_refusal() answers, never LS_OK. */
void ls_wire_refuse(ls_client *client, ls_status refusal, const char *format, ...) LS_PRINTF(3, 4);

/* Enters LOST or FAILED by the client's own decision: the server is told why. */
void ls_wire_give_up(ls_client *client, ls_client_state state, const char *format, ...)
    LS_PRINTF(3, 4);

/* Sends a handshake message as a datagram. */
void ls_wire_post(ls_client *client, const uint8_t *data, size_t bytes);
/* Takes over the keys of a session and wipes those before. */
void ls_wire_begin(ls_client *client, const ls_seal_keys *keys);
/* Seals and sends; keys that are used up end the session as LOST. */
void ls_wire_send(ls_client *client, const ls_plain *plain);
/* The last word of a session, if there is one. */
void ls_wire_say_bye(ls_client *client, const char *text);
/* Opens a packet, from hostile bytes; false: dropped and counted. */
bool ls_wire_open(ls_client *client, const ls_packet *packet, ls_plain *plain) LS_MUST_USE;
/* Smooths one measured round trip in. */
void ls_wire_sample_rtt(ls_client *client, uint64_t rtt_ns);
/* The stamp of an update, never 0. */
uint32_t ls_wire_stamp_us(const ls_client *client);

#endif
