/* The side of a link over WebSockets that an HTTP server uses: channels by slot, with their
 * messages. All functions are for the one thread of that server. */
#ifndef LS_WEB_PORT_H
#define LS_WEB_PORT_H

#include "proto/web_counter.h"
#include <lockstep/address.h>
#include <lockstep/limits.h>

typedef struct ls_web_port ls_web_port;
struct ls_web_shared;

typedef struct ls_web_port_config {
    uint32_t channels_per_host; /* further ones are refused. 0: no limit */
    /* Called when something has arrived for the link, to end its owner's wait. */
    void (*arrived)(void *context);
    void *context;
} ls_web_port_config;

/* Only the link calls these, and it destroys the port before the shared state. */
ls_web_port *ls_web_port_create(struct ls_web_shared *shared, const ls_web_port_config *config);
void ls_web_port_destroy(ls_web_port *port);

#define LS_WEB_SLOT_NONE UINT32_MAX
/* The most bytes of one channel's unsent messages without control packets; beyond it, the oldest
 * are dropped. */
#define LS_WEB_UNSENT_BYTES_MAX 65536u
/* A channel ends when it has no connection after LS_WEB_CONNECT_NS, or when its socket takes
 * nothing for LS_WEB_STALL_NS while something waits. */
#define LS_WEB_CONNECT_NS LS_SERVER_HANDSHAKE_MAX_NS
#define LS_WEB_STALL_NS   (10 * LS_SECOND_NS)

/* Why a channel is to be closed: the status codes of RFC 6455, section 7.4.1. */
typedef enum ls_web_close {
    LS_WEB_GO_ON = 0,
    LS_WEB_CLOSE_DONE = 1000,
    LS_WEB_CLOSE_PROTOCOL = 1002,  /* a malformed close frame */
    LS_WEB_CLOSE_TEXT = 1003,      /* messages are binary */
    LS_WEB_CLOSE_MALFORMED = 1008, /* also: no connection in time, or the socket takes nothing */
    LS_WEB_CLOSE_LONG = 1009,
    LS_WEB_CLOSE_BUSY = 1013, /* a control packet for which there was no room */
} ls_web_close;

/* The most channels, of all hosts together. */
uint32_t ls_web_port_channels_max(const ls_web_port *port);

/* Returns LS_WEB_CHANNELS if there is room for a channel of this client, otherwise
 * LS_WEB_REFUSED_ADDRESS or LS_WEB_REFUSED_FULL. */
ls_web_counter ls_web_port_room(const ls_web_port *port, const ls_address *client);
/* Counts a request that got no channel. */
void ls_web_port_count_refused(ls_web_port *port, ls_web_counter why);
/* Opens a channel. `user` is for ls_web_port_drain(). LS_WEB_SLOT_NONE: no room. */
uint32_t ls_web_port_open(ls_web_port *port, const ls_address *client, void *user,
                          uint64_t now_ns) LS_MUST_USE;
/* Ends a channel after its socket has closed. The slot is free at once. */
void ls_web_port_close(ls_web_port *port, uint32_t slot);

/* A part of a message. Parts of one message follow each other. */
typedef struct ls_web_part {
    const uint8_t *data;
    size_t bytes;
    bool is_text, is_first, is_last;
} ls_web_part;
/* Receives a part; a whole message goes to the link. Anything but LS_WEB_GO_ON: close the channel
 * with this status code. */
ls_web_close ls_web_port_receive(ls_web_port *port, uint32_t slot, const ls_web_part *part,
                                 uint64_t now_ns) LS_MUST_USE;

/* Takes what the link sends, and calls `ready` for each channel that has something to send, or is
 * to be closed; perhaps several times for one channel. */
void ls_web_port_drain(ls_web_port *port, uint64_t now_ns, void (*ready)(void *user));
/* The next message to send; NULL: none waits. Valid until ls_web_port_sent(). */
const uint8_t *ls_web_port_next(const ls_web_port *port, uint32_t slot, size_t *bytes);
/* The socket has taken that message. */
void ls_web_port_sent(ls_web_port *port, uint32_t slot, uint64_t now_ns);
/* Whether the channel is to be closed now. Ask after ls_web_port_next() has given NULL, and once a
 * second. */
ls_web_close ls_web_port_check(ls_web_port *port, uint32_t slot, uint64_t now_ns);

#endif
