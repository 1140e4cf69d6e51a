/* A client's link with a slow reader and an attacker on the line. The attacker keeps packets and
 * replays them, also after the end of their session. */
#ifndef LS_SIMULATION_HOSTILE_LINK_H
#define LS_SIMULATION_HOSTILE_LINK_H

#include "attacker.h"
#include "draws.h"

#include "tests/support/link_memory.h"
#include "tests/support/link_over.h"

enum {
    HOSTILE_LINK_KEPT = 64,
    HOSTILE_LINK_SOCKET = 24, /* most packets in a slow reader's socket; further ones are lost */
    HOSTILE_LINK_UNREAD = 64, /* including packets that the carrier repeats until they are read */
};

typedef struct hostile_link_kept {
    bool is_datagram;
    uint8_t channel;
    uint32_t bytes;
    uint8_t data[LS_PACKET_BYTES_MAX];
} hostile_link_kept;

typedef struct hostile_link_unread {
    ls_link_event event; /* its packet points to `data` */
    uint8_t data[LS_PACKET_BYTES_MAX];
} hostile_link_unread;

/* The caller's storage; must outlive the client. */
struct hostile_link {
    link_over over; /* owns `inner` */
    ls_network *network;
    struct draws draws;
    uint32_t replay_percent;   /* share of sent packets that are followed by an old one */
    uint32_t reads_per_s;      /* packets that may be read per second; 0: no limit */
    uint64_t read_ns;          /* when the next packet may be read */
    struct attacker *attacker; /* the attacker on this line; NULL: none */
    uint32_t foreign_byte;     /* index of a byte of each HELLO that is raised by one; 0: none */
    uint64_t count;
    hostile_link_kept kept[HOSTILE_LINK_KEPT];
    uint32_t unread_first, unread_count;
    hostile_link_unread unread[HOSTILE_LINK_UNREAD];
};

void hostile_link_init(struct hostile_link *self, ls_network *network, struct draws draws);
/* Opens a new line; kept packets stay. */
ls_link *hostile_link_open(struct hostile_link *self, const ls_impairment_conditions *line);
/* Limits the packets that are read per second from now on; 0: no limit. */
void hostile_link_slow(struct hostile_link *self, uint32_t reads_per_s);
/* True when a packet may be read now, by the reader's clock. */
bool hostile_link_has_news(struct hostile_link *self, uint64_t now_ns);
/* Ends the link as if its process was killed: the other side is not notified. */
void hostile_link_kill(struct hostile_link *self);

#endif
