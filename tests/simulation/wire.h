/* A client's link, with somebody on the way who keeps packets and sends them again, also when the
 * session that they belong to is long over. */
#ifndef LS_SIMULATION_WIRE_H
#define LS_SIMULATION_WIRE_H

#include "dice.h"

#include "proto/link_memory.h"

enum { WIRE_KEPT = 64 };

typedef struct wire_kept {
    bool is_datagram;
    uint8_t channel;
    uint32_t bytes;
    uint8_t data[LS_CONTROL_BYTES_MAX];
} wire_kept;

/* The caller's storage; lives longer than the client. */
struct wire {
    ls_link link;
    ls_link *inner; /* owned; NULL: none */
    ls_network *network;
    struct dice dice;
    uint32_t replay_percent; /* of packets sent, one old one goes with them */
    uint64_t count;
    wire_kept kept[WIRE_KEPT];
};

void wire_init(struct wire *self, ls_network *network, struct dice dice);
/* A new line; what was kept stays. */
ls_link *wire_open(struct wire *self, const ls_network_conditions *line);
/* As a killed process: nobody is told. */
void wire_kill(struct wire *self);

#endif
