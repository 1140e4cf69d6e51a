/* The addresses at which a client's server may be: one of each family (IPv4, IPv6) that its name
 * has. The first HELLO goes to the last known address, a repeated HELLO to all of them. An AUTH
 * goes only to the addresses that have answered, because a cookie is valid from only one address of
 * this machine. The address that sent the ACCEPT is the server's, until another handshake finds the
 * server elsewhere. Private to proto/. */
#ifndef LS_LINK_ENET_CANDIDATES_H
#define LS_LINK_ENET_CANDIDATES_H

#include <lockstep/address.h>

#define LS_ENET_CANDIDATES_MAX 2

typedef struct ls_enet_candidates {
    ls_remote items[LS_ENET_CANDIDATES_MAX];
    bool has_answered[LS_ENET_CANDIDATES_MAX]; /* in this handshake */
    uint32_t count;
    uint32_t hellos; /* posted in this handshake */
    uint32_t heard;  /* index of the sender of the datagram that was reported last */
} ls_enet_candidates;

void ls_enet_candidates_init(ls_enet_candidates *candidates, const ls_address *addresses,
                             uint32_t count);
/* True when a handshake datagram may come from there. */
bool ls_enet_candidates_has(const ls_enet_candidates *candidates, const ls_remote *from);
/* Whether the server may direct its client to `next`: the address of one host, of a family that the
 * candidates have, and at least as public as each of them. So a server on the internet cannot
 * direct a client to the client's own machine or private network. */
bool ls_enet_candidates_may_lead_to(const ls_enet_candidates *candidates, const ls_address *next);
/* Notes the sender of a datagram that is reported to the caller. */
void ls_enet_candidates_hear(ls_enet_candidates *candidates, const ls_remote *from);
/* Ends the handshake: the caller has just taken the ACCEPT. Returns the remote that sent it. */
ls_remote ls_enet_candidates_settle(ls_enet_candidates *candidates);

#endif
