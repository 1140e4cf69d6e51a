/* Links without addresses, in one process: each client reaches the server through a channel, as
 * over a WebSocket or a data channel. The server knows a channel by its number, which is the
 * remote, and knows of its client what a proxy says: the names of a host and of a network. Channels
 * are reliable and in order, and what is sent has arrived. */
#ifndef LS_CHANNELS_H
#define LS_CHANNELS_H

#include <lockstep/link.h>

enum { LS_CHANNELS_MAX = 64, LS_CHANNELS_FRAMES_MAX = 4096 };

/* A client as the proxy presents it. A text is compared as it is and may have any characters. */
typedef struct ls_channel_origin {
    char host[LS_REMOTE_KEY_BYTES], network[LS_REMOTE_KEY_BYTES];
    bool is_local;
} ls_channel_origin;

typedef struct ls_channels ls_channels;

/* owns  the caller destroys the channels after all their links */
ls_channels *ls_channels_create(void);
void ls_channels_destroy(ls_channels *channels);

/* Creates the link of the server; at most one exists. */
ls_link *ls_channels_listen(ls_channels *channels, uint32_t peers_max);
/* Creates a client's link. It opens a channel when it sends first, and again when it has none. */
ls_link *ls_channels_open(ls_channels *channels, const ls_channel_origin *origin);

/* Returns the number of the client's channel; 0: none. Each number is given once. */
uint64_t ls_channels_number(const ls_link *client);
/* Returns the remote of a channel. */
ls_remote ls_channels_remote(uint64_t number);
/* Closes the client's channel, as when a proxy restarts; both sides are told. */
void ls_channels_cut(ls_link *client);
/* Moves the client to a channel of another origin within its connection: the link at the server
 * finds the connection by its keys, and the former channel is closed. */
void ls_channels_move(ls_link *client, const ls_channel_origin *origin);

#endif
