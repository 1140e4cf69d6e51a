/* The packets in flight of a network of tests/support/link_memory.h. */
#ifndef LS_PARCEL_H
#define LS_PARCEL_H

#include "cli/network/delay_queue.h"

#include <lockstep/address.h>
#include <lockstep/link.h>

typedef enum ls_parcel_kind {
    LS_PARCEL_CONNECT,
    LS_PARCEL_WELCOME,
    LS_PARCEL_END,
    LS_PARCEL_MESSAGE,
    LS_PARCEL_CHALLENGE, /* has the token as data, on the tick channel; RESPONSE too */
    LS_PARCEL_RESPONSE,
    LS_PARCEL_DATAGRAM,
} ls_parcel_kind;

typedef struct ls_parcel ls_parcel;
struct ls_parcel {
    ls_delayed delayed; /* while in an inbox */
    ls_parcel *next;    /* while in an outbox */
    ls_address address; /* the client's address when sent, in either direction */
    uint32_t client;    /* index of the client's link in the network */
    uint64_t counter;   /* number of a client's parcel in its connection: 1, 2, 3, .. */
    uint32_t connect_id;
    ls_parcel_kind kind;
    uint8_t channel;
    uint32_t bytes;
    uint8_t data[];
};

/* Creates a parcel with a copy of the packet; NULL: empty and on the control channel. */
ls_parcel *ls_parcel_create(ls_parcel_kind kind, const ls_packet *packet);
/* Returns a new parcel with the same content. */
ls_parcel *ls_parcel_clone(const ls_parcel *parcel);
/* Does nothing for NULL. */
void ls_parcel_destroy(ls_parcel *parcel);

#endif
