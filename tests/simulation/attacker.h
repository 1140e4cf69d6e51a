/* An attacker on one client's line, without any key. It reads everything and injects packets at
 * bounded rates. It replays datagrams and sealed packets, also those of other lines and of past
 * sessions: from the sender's or another address, whole, damaged or cut, at once or later. It sends
 * packets back to their sender, and answers HELLOs with COOKIEs and handshakes with REJECTs. */
#ifndef LS_SIMULATION_ATTACKER_H
#define LS_SIMULATION_ATTACKER_H

#include "draws.h"

#include "proto/handshake_server.h"
#include "tests/support/link_memory.h"

enum { ATTACKER_KEPT = 64 };

/* The reason in the attacker's REJECTs, which tells them from the server's. */
#define ATTACKER_FIRST  "so says "
#define ATTACKER_SECOND "the attacker"

typedef struct attacker_kept {
    uint8_t channel;
    uint32_t bytes;
    uint8_t data[LS_MTU_BYTES];
} attacker_kept;

/* The newest packets seen, in a ring. */
typedef struct attacker_tape {
    uint64_t count;
    attacker_kept kept[ATTACKER_KEPT];
} attacker_tape;

/* Shared by the attackers of all lines. */
struct attacker_store {
    ls_network *network;
    const uint64_t *now_ns;
    struct draws secrets;
    ls_handshake_server foreign;      /* has another identity and the same simulation */
    attacker_tape datagrams, packets; /* seen in handshakes; seen in connections */
};

/* The kinds of COOKIE with which the attacker answers a client's HELLO. */
enum attacker_cookie {
    ATTACKER_COOKIE_MIXED = 0,
    ATTACKER_COOKIE_FOREIGN,     /* from the attacker's own server */
    ATTACKER_COOKIE_OTHER_HELLO, /* from the server, for a HELLO of the attacker */
    ATTACKER_COOKIE_SAME_HELLO,  /* from the server, for the client's HELLO from the attacker's
                                    address */
    ATTACKER_COOKIE_KINDS,
};

/* How often the attacker does what; zeros: it only reads. */
struct attacker_rates {
    uint32_t cookies_percent; /* the share of HELLOs that it answers with COOKIEs */
    uint32_t cookies;         /* number of COOKIEs per answer */
    enum attacker_cookie kind;
    uint32_t rejects_percent; /* the share of handshake datagrams that it answers with a REJECT */
    uint64_t every_ns;        /* least time between two replays; 0: none */
};

struct attacker {
    struct attacker_store *store;
    ls_link *own; /* has its own address, to which the server replies */
    struct draws draws;
    struct attacker_rates rates;
    uint64_t next_ns; /* when it may replay next */
};

/* A packet or datagram on the line, as the attacker sees it. */
struct attacker_sight {
    ls_link *client; /* the victim's end */
    ls_role sender;
    bool is_datagram;
    const ls_packet *packet;
};

/* Prepares what the attackers share. `now_ns` is the network's clock, `fingerprint` the
 * simulation's. */
void attacker_store_init(struct attacker_store *self, uint64_t seed, ls_network *network,
                         const uint64_t *now_ns, const uint8_t *fingerprint);
void attacker_store_reset(struct attacker_store *self);

void attacker_init(struct attacker *self, struct attacker_store *store, struct draws draws);
void attacker_reset(struct attacker *self);
/* Draws new rates. Those of cookies and rejects stay within what a client withstands by
 * docs/security.md. */
void attacker_strike(struct attacker *self);
void attacker_rest(struct attacker *self);

void attacker_see(struct attacker *self, const struct attacker_sight *sight);
/* Passes the server's answers to the attacker on to `client`, the victim; NULL: drops them. */
void attacker_step(struct attacker *self, ls_link *client);

#endif
