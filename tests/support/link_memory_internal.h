/* The lines and links of the in-process network. */
#ifndef LS_LINK_MEMORY_INTERNAL_H
#define LS_LINK_MEMORY_INTERNAL_H

#include "proto/carriers.h"
#include "tests/support/link_memory.h"
#include "tests/support/parcel.h"

typedef enum ls_memory_state {
    LS_MEMORY_CLOSED = 0,
    LS_MEMORY_CONNECTING, /* client only */
    LS_MEMORY_OPEN,
} ls_memory_state;

/* One end of a connection. */
typedef struct ls_memory_slot {
    uint16_t generation;
    ls_memory_state state;
    uint32_t connect_id;
    ls_address address; /* server: where it believes the client to be */
    uint32_t client;
    uint64_t counter; /* server: the highest counter received from the client */
} ls_memory_slot;

typedef struct ls_memory_link {
    ls_link link;
    ls_network *network;
    ls_role role;
    uint32_t index;                  /* in the network's links */
    ls_parcel *outbox, **outbox_end; /* sent, not flushed */
    ls_delay_queue inbox;            /* parcels in flight to this link */
    ls_parcel *delivered;
    ls_link_stats stats;
    uint64_t polled_ns;    /* the time at the last poll, by the poller's clock */
    ls_carriers *carriers; /* server only */
    /* A client's line; unused on a server. */
    ls_address address;
    ls_impairment lines[2];     /* [sending role] */
    uint64_t control_due_ns[2]; /* [sending role]: control packets stay in order */
    uint64_t connect_until_ns;
    uint64_t sent; /* the counter of the last parcel */
    uint32_t slot_count;
    ls_memory_slot slots[];
} ls_memory_link;

struct ls_network {
    uint64_t seed;
    uint64_t now_ns;
    const uint64_t *clock_ns; /* NULL: use the times passed to the links */
    uint32_t address_next, token_next;
    uint32_t link_count;
    ls_impairment_conditions conditions;
    ls_network_stray stray;
    uint64_t shared_free_ns[2]; /* when the shared line is free again, by sending role */
    ls_memory_link *server;
    ls_memory_link *links[LS_NETWORK_LINKS_MAX];
};

extern const ls_link_vtable ls_memory_vtable;
extern const ls_address ls_network_server_address;

/* Sends a parcel under the conditions of its line. Returns NULL, or gives a control parcel back to
 * the sender if the line is cut. */
LS_MUST_USE ls_parcel *ls_network_transmit(ls_network *network, ls_role sender, ls_parcel *parcel,
                                           uint64_t now_ns);
/* Returns the time that a link uses when called with `now_ns`: the network's clock if it has
 * one. */
uint64_t ls_network_present(const ls_network *network, uint64_t now_ns);
/* Returns an address that no client has had. */
ls_address ls_network_draw_address(ls_network *network);
/* Puts a parcel into an inbox, without the conditions of a line. */
void ls_network_deliver(ls_delay_queue *inbox, ls_parcel *parcel, uint64_t due_ns);
/* Returns the link of the client that has this address now; NULL if there is none. */
ls_memory_link *ls_network_find_client(ls_network *network, const ls_address *address);

#endif
