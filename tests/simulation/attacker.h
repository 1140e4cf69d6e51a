/* An attacker on one client's line, without any key: it reads everything, and puts into the line
 * what it likes, at bounded rates. It replays datagrams and sealed packets, also of other lines and
 * of past sessions, from the sender's and from foreign addresses, whole, damaged or cut, at once or
 * later; it reflects them; it answers HELLOs with COOKIEs and handshakes with REJECTs. */
#ifndef LS_SIMULATION_ATTACKER_H
#define LS_SIMULATION_ATTACKER_H

#include "dice.h"

#include "proto/handshake_server.h"
#include "tests/support/link_memory.h"

enum { ATTACKER_KEPT = 64 };

/* The reason in its REJECTs, by which they are told from the server's. */
#define ATTACKER_REASON "so says the attacker"

typedef struct attacker_kept {
    uint8_t channel;
    uint32_t bytes;
    uint8_t data[LS_MTU_BYTES];
} attacker_kept;

/* The newest ones. */
typedef struct attacker_tape {
    uint64_t count;
    attacker_kept kept[ATTACKER_KEPT];
} attacker_tape;

/* Shared by the attackers of all lines. */
struct attacker_store {
    ls_network *network;
    const uint64_t *now_ns;
    struct dice secrets;
    ls_handshake_server foreign;      /* of another identity, for the same simulation */
    attacker_tape datagrams, packets; /* of a handshake; of a connection */
};

/* Whose COOKIE answers a HELLO. */
enum attacker_cookie {
    ATTACKER_COOKIE_MIXED = 0,
    ATTACKER_COOKIE_FOREIGN,     /* of the attacker's own server */
    ATTACKER_COOKIE_OTHER_HELLO, /* the server's, for a HELLO of the attacker */
    ATTACKER_COOKIE_SAME_HELLO,  /* the server's, for the client's HELLO, at the attacker's address
                                  */
    ATTACKER_COOKIE_KINDS,
};

/* How it attacks; zeros: it only reads. */
struct attacker_rates {
    uint32_t cookies_percent; /* of HELLOs that it answers with COOKIEs */
    uint32_t cookies;         /* at a time */
    enum attacker_cookie kind;
    uint32_t rejects_percent; /* of datagrams of a handshake that it answers with a REJECT */
    uint64_t every_ns;        /* least time between two replays; 0: none */
};

struct attacker {
    struct attacker_store *store;
    ls_link *own; /* with an address of its own, at which the server answers it */
    struct dice dice;
    struct attacker_rates rates;
    uint64_t next_ns; /* of the next replay */
};

/* One packet or datagram on the line. */
struct attacker_sight {
    ls_link *client; /* the victim's end */
    ls_role sender;
    bool is_datagram;
    const ls_packet *packet;
};

/* `now_ns` is the clock of the network, `fingerprint` that of the simulation. */
void attacker_store_init(struct attacker_store *self, uint64_t seed, ls_network *network,
                         const uint64_t *now_ns, const uint8_t *fingerprint);
void attacker_store_reset(struct attacker_store *self);

void attacker_init(struct attacker *self, struct attacker_store *store, struct dice dice);
void attacker_reset(struct attacker *self);
/* Other rates, drawn: cookies and rejects within what docs/security.md says a client withstands. */
void attacker_strike(struct attacker *self);
void attacker_rest(struct attacker *self);

void attacker_see(struct attacker *self, const struct attacker_sight *sight);
/* Passes on what the server answered it; `client` NULL: there is no victim. */
void attacker_step(struct attacker *self, ls_link *client);

#endif
