/* A remote: the handle of who is at the other end of a link. Only the link can read it. A link over
 * IP puts an address into it; a link over WebSockets or data channels puts in whatever it finds the
 * channel by, such as a number. Everything above the link compares and stores remotes, and asks the
 * link for the rest (include/lockstep/link_remote.h). */
#ifndef LS_REMOTE_H
#define LS_REMOTE_H

#include <lockstep/base.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_REMOTE_BYTES      18
#define LS_REMOTE_KEY_BYTES  16
#define LS_REMOTE_TEXT_BYTES 64

/* Equal remotes have equal bytes: compare and hash the struct. Cookies and answered AUTHs are bound
 * to a remote, so while they are valid no other client may get an equal remote: a link that numbers
 * channels uses each number once. Zeros: none. */
typedef struct ls_remote {
    uint8_t bytes[LS_REMOTE_BYTES];
} ls_remote;

/* Names a host or a network. Remotes that share it share its budgets. */
typedef struct ls_remote_key {
    uint8_t bytes[LS_REMOTE_KEY_BYTES];
} ls_remote_key;

/* The budgets that a remote is charged to. The link decides what tells hosts apart: the address, or
 * what a trusted proxy says of its client. */
typedef struct ls_remote_origin {
    ls_remote_key host;    /* one customer: connections, seats, AUTHs, tokens, log lines */
    ls_remote_key network; /* what one customer may choose hosts from: HELLOs */
    bool is_local;         /* this machine: its HELLOs have a budget that no stranger can use up */
} ls_remote_origin;
LS_STATIC_ASSERT(sizeof(ls_remote) == LS_REMOTE_BYTES, "no padding: it is hashed as bytes");
LS_STATIC_ASSERT(sizeof(ls_remote_key) == LS_REMOTE_KEY_BYTES, "no padding: it is hashed as bytes");

static inline bool ls_remote_is_same(const ls_remote *a, const ls_remote *b)
{
    return memcmp(a->bytes, b->bytes, LS_REMOTE_BYTES) == 0;
}

static inline bool ls_remote_is_none(const ls_remote *remote)
{
    const ls_remote none = {{0}};
    return ls_remote_is_same(remote, &none);
}

static inline bool ls_remote_key_is_same(const ls_remote_key *a, const ls_remote_key *b)
{
    return memcmp(a->bytes, b->bytes, LS_REMOTE_KEY_BYTES) == 0;
}

#ifdef __cplusplus
}
#endif

#endif
