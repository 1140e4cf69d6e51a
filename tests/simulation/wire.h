/* A client's link, which may be read slowly, with an attacker on the way who keeps packets and
 * replays them, also after the end of their session. */
#ifndef LS_SIMULATION_WIRE_H
#define LS_SIMULATION_WIRE_H

#include "attacker.h"
#include "dice.h"

#include "tests/support/link_memory.h"

enum {
    WIRE_KEPT = 64,
    WIRE_SOCKET = 24, /* packets that a slow reader's socket holds: others are lost */
    WIRE_UNREAD = 64, /* with what the carrier repeats until it is read */
};

typedef struct wire_kept {
    bool is_datagram;
    uint8_t channel;
    uint32_t bytes;
    uint8_t data[LS_PACKET_BYTES_MAX];
} wire_kept;

typedef struct wire_unread {
    ls_link_event event; /* its data is `data` */
    uint8_t data[LS_PACKET_BYTES_MAX];
} wire_unread;

/* The caller's storage; lives longer than the client. */
struct wire {
    ls_link link;
    ls_link *inner; /* owned; NULL: none */
    ls_network *network;
    struct dice dice;
    uint32_t replay_percent;   /* of packets sent, one old one goes with them */
    uint32_t reads_per_s;      /* packets; 0: all that there are */
    uint64_t read_ns;          /* when the next may be read */
    struct attacker *attacker; /* on its line; NULL: none */
    uint32_t foreign_byte;     /* of a HELLO, one higher than it is; 0: none */
    uint64_t count;
    wire_kept kept[WIRE_KEPT];
    uint32_t unread_first, unread_count;
    wire_unread unread[WIRE_UNREAD];
};

void wire_init(struct wire *self, ls_network *network, struct dice dice);
/* A new line; what was kept stays. */
ls_link *wire_open(struct wire *self, const ls_impairment_conditions *line);
/* From now on this many packets are read per second; 0: all. */
void wire_slow(struct wire *self, uint32_t reads_per_s);
/* Whether a packet may be read now, by the reader's clock. */
bool wire_has_news(struct wire *self, uint64_t now_ns);
/* As for a killed process: the other side is not notified. */
void wire_kill(struct wire *self);

#endif
