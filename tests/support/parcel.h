/* Parcels are the packets in flight of a network of tests/support/link_memory.h; an inbox is a heap
 * of them by due time. */
#ifndef LS_PARCEL_H
#define LS_PARCEL_H

#include <lockstep/link.h>

typedef enum ls_parcel_kind {
    LS_PARCEL_CONNECT,
    LS_PARCEL_WELCOME,
    LS_PARCEL_END,
    LS_PARCEL_MESSAGE,
    LS_PARCEL_DATAGRAM,
} ls_parcel_kind;

typedef struct ls_parcel ls_parcel;
struct ls_parcel {
    uint64_t due_ns;
    uint64_t order;     /* among equal due times */
    ls_parcel *next;    /* in an outbox */
    ls_address address; /* the client's end when it was sent, whichever direction it goes */
    uint32_t client;    /* index of its link in the network */
    uint32_t connect_id;
    ls_parcel_kind kind;
    uint8_t channel;
    uint32_t bytes;
    uint8_t data[];
};

/* Zeroed by the owner to begin with. */
typedef struct ls_inbox {
    ls_parcel **heap;
    uint32_t count, capacity;
} ls_inbox;

/* Copies the packet; without one the parcel is empty and on the control channel. */
ls_parcel *ls_parcel_create(ls_parcel_kind kind, const ls_packet *packet);
/* Another one with the same content. */
ls_parcel *ls_parcel_clone(const ls_parcel *parcel);
/* NULL is allowed. */
void ls_parcel_destroy(ls_parcel *parcel);

void ls_inbox_push(ls_inbox *inbox, ls_parcel *parcel);
/* The earliest parcel; asserts that there is one. */
ls_parcel *ls_inbox_pop(ls_inbox *inbox);
/* When the earliest parcel falls due, UINT64_MAX when there is none. */
uint64_t ls_inbox_next_ns(const ls_inbox *inbox);
/* Destroys all that is in it. */
void ls_inbox_reset(ls_inbox *inbox);

#endif
