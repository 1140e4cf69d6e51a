/* The counters of a link over WebSockets. Private to proto/ and the program. */
#ifndef LS_WEB_COUNTER_H
#define LS_WEB_COUNTER_H

/* LS_WEB_CHANNELS is the number of open channels. The others count from the start: channels that
 * opened and closed, requests that were refused, and bytes of messages. */
typedef enum ls_web_counter {
    LS_WEB_CHANNELS,
    LS_WEB_OPENED,
    LS_WEB_REFUSED_PATH,
    LS_WEB_REFUSED_ORIGIN,
    LS_WEB_REFUSED_HEADER,
    LS_WEB_REFUSED_ADDRESS, /* its host has as many channels as it may */
    LS_WEB_REFUSED_FULL,
    LS_WEB_CLOSED_CLIENT,    /* by the client, or the socket broke */
    LS_WEB_CLOSED_DONE,      /* the link ended its connection */
    LS_WEB_CLOSED_MALFORMED, /* a message that was malformed, text, or too long */
    LS_WEB_CLOSED_SILENT,    /* no connection in time */
    LS_WEB_CLOSED_STALLED,   /* its socket took nothing for too long */
    LS_WEB_CLOSED_BUSY,      /* a control packet for which there was no room */
    LS_WEB_BYTES_RECEIVED,
    LS_WEB_BYTES_SENT,
    LS_WEB_COUNTERS,
} ls_web_counter;

#endif
