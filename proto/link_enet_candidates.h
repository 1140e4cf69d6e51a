/* The addresses under which a client's server may be: one of each family that its name has. The
 * first is tried first. A HELLO that is repeated goes to both, an AUTH to those that have answered:
 * the cookie in it is good from one address of this machine alone. The address that sent the ACCEPT
 * is the server's, until another handshake finds it elsewhere. Private to proto/. */
#ifndef LS_LINK_ENET_CANDIDATES_H
#define LS_LINK_ENET_CANDIDATES_H

#include <lockstep/address.h>

#define LS_ENET_CANDIDATES_MAX 2

typedef struct ls_enet_candidates {
    ls_remote items[LS_ENET_CANDIDATES_MAX];
    bool has_answered[LS_ENET_CANDIDATES_MAX]; /* in this handshake */
    uint32_t count;
    uint32_t hellos; /* posted in this handshake */
    uint32_t heard;  /* the sender of the datagram that was reported last */
} ls_enet_candidates;

void ls_enet_candidates_init(ls_enet_candidates *candidates, const ls_address *addresses,
                             uint32_t count);
/* True when a handshake datagram may come from there. */
bool ls_enet_candidates_has(const ls_enet_candidates *candidates, const ls_remote *from);
/* Whether the server may direct its client at `next`: the address of one host, of a family that the
 * socket has, and no less public than the known addresses of the server. So a server in the
 * internet cannot direct a client at the client's own machine or private network. */
bool ls_enet_candidates_may_lead_to(const ls_enet_candidates *candidates, const ls_address *next);
/* Notes the sender of a datagram that is reported to the caller. */
void ls_enet_candidates_hear(ls_enet_candidates *candidates, const ls_remote *from);
/* Ends the handshake: the caller has just taken the ACCEPT. Returns the remote that sent it. */
ls_remote ls_enet_candidates_settle(ls_enet_candidates *candidates);

#endif
