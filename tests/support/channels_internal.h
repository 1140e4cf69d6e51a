/* The channels and links of tests/support/channels.h. */
#ifndef LS_CHANNELS_INTERNAL_H
#define LS_CHANNELS_INTERNAL_H

#include "proto/carriers.h"
#include "tests/support/channels.h"

typedef enum frame_kind {
    FRAME_DATAGRAM,
    FRAME_CONNECT, /* with connect id and keys, as FRAME_MOVE */
    FRAME_WELCOME,
    FRAME_MOVE,
    FRAME_MESSAGE,
    FRAME_CLOSE,
} frame_kind;

typedef struct frame frame;
struct frame {
    frame *next;
    uint64_t channel;
    frame_kind kind;
    uint32_t connect_id, bytes;
    uint8_t lane; /* of a MESSAGE */
    uint8_t data[];
};

typedef struct slot {
    bool is_open;
    uint16_t generation;
    uint32_t connect_id;
    uint64_t channel;
} slot;

typedef struct channel_link {
    ls_link link;
    ls_channels *channels;
    frame *first, **end, *delivered; /* frames to this link */
    uint32_t frame_count;
    ls_link_stats stats;
    ls_carriers *carriers; /* NULL: a client */
    uint64_t now_ns;
    /* A client's: */
    uint64_t channel; /* 0: none */
    ls_channel_origin origin;
    ls_carrier carrier;
    uint64_t connect_until_ns; /* 0: does not connect */
    uint32_t slot_count;
    slot slots[];
} channel_link;

typedef struct channel {
    uint64_t number; /* 0: free */
    channel_link *client;
    ls_channel_origin origin;
} channel;

struct ls_channels {
    uint64_t number_next;
    channel_link *server;
    uint32_t link_count;
    channel open[LS_CHANNELS_MAX];
};

extern const ls_link_vtable ls_channels_vtable;

static inline channel_link *ls_channels_cast(ls_link *link)
{
    return (channel_link *)link;
}

/* Returns an open channel, or for number 0 a free place; NULL: there is none. */
channel *ls_channels_find(ls_channels *channels, uint64_t number);
/* Sends a frame to the other end of a channel; false when it is gone or too many frames wait. */
bool ls_channels_send(channel_link *self, const frame *head, const void *data);
/* Sends the id and the keys of the client's carrier. */
void ls_channels_show_keys(channel_link *self, frame_kind kind);
/* Returns the oldest frame to this link, which the caller frees; NULL: none waits. */
frame *ls_channels_take(channel_link *self);
/* Opens a channel for a client. */
void ls_channels_connect(channel_link *self);
/* Closes the client's channel, if it has one, and tells the server. */
void ls_channels_close(channel_link *self);

#endif
