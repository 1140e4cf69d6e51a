/* The lowest layer of the client: sending, the log, and how the session changes its state. */
#ifndef LS_CLIENT_WIRE_H
#define LS_CLIENT_WIRE_H

#include "client/client_internal.h"

/* One log line, `event key=value ...`. */
void ls_wire_log(const ls_client *client, const char *format, ...) LS_PRINTF(2, 3);
/* Enters a state and says why; a final one is never left, and ends the connection. */
void ls_wire_enter(ls_client *client, ls_client_state state, const char *format, ...)
    LS_PRINTF(3, 4);

/* Sends an unsealed handshake message. */
void ls_wire_send_bytes(ls_client *client, const uint8_t *data, size_t bytes);
/* Seals and sends; keys that are used up end the session as LOST. */
void ls_wire_send(ls_client *client, const ls_plain *plain);
/* Smooths one measured round trip in. */
void ls_wire_sample_rtt(ls_client *client, uint64_t rtt_ns);

#endif
