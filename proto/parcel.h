/* What is under way inside a network of proto/link_memory.h. A line joins one client to the server;
 * it outlives either end while parcels still point at it. An inbox is a heap of parcels by the time
 * at which they fall due. Private to proto/. */
#ifndef LS_PARCEL_H
#define LS_PARCEL_H

#include "proto/link_memory.h"

typedef struct ls_parcel ls_parcel;

/* Zeroed by the owner to begin with. */
typedef struct ls_inbox {
    ls_parcel **heap;
    uint32_t count, capacity;
} ls_inbox;

typedef struct ls_line {
    ls_inbox *inboxes[2]; /* by role; NULL once that link is gone */
    ls_network_conditions conditions;
    uint32_t references; /* the client, slots at both ends, parcels */
    uint32_t number;
    bool has_slot; /* at the server */
    uint32_t slot;
    uint64_t control_due_ns[2]; /* by receiving role: the control channel keeps its order */
} ls_line;

typedef enum ls_parcel_kind {
    LS_PARCEL_CONNECT,
    LS_PARCEL_WELCOME,
    LS_PARCEL_END,
    LS_PARCEL_MESSAGE,
} ls_parcel_kind;

struct ls_parcel {
    uint64_t due_ns;
    uint64_t order; /* among equal due times */
    ls_line *line;
    ls_parcel *next; /* in an outbox */
    ls_parcel_kind kind;
    uint8_t channel;
    uint32_t bytes;
    uint8_t data[];
};

/* Gives one reference back; the last one frees the line. */
void ls_line_release(ls_line *line);

/* Copies the packet; without one the parcel is empty and on the control channel. */
ls_parcel *ls_parcel_create(ls_line *line, ls_parcel_kind kind, const ls_packet *packet);
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
