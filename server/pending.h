/* Answered AUTHs that wait for their connection, and the hosts that have used connect tokens. The
 * tables have a fixed size and refuse further entries when full. */
#ifndef LS_PENDING_H
#define LS_PENDING_H

#include "proto/handshake_server.h"
#include <lockstep/limits.h>

struct ls_room;

/* A client that enters a room. Wipe it with ls_wipe(). */
typedef struct ls_entrant {
    char name[LS_NAME_BYTES];
    char client[LS_CLIENT_ID_BYTES]; /* id in its token; "": no token */
    char build[LS_BUILD_TEXT_BYTES];
    bool is_bot;
    bool is_light;    /* it does not simulate, so it reports no roots */
    bool takes_over;  /* another session still has its seat; it takes over at CONFIRM */
    bool is_newcomer; /* a new player: its seat was free and open to any client */
    uint32_t seat;    /* LS_SEAT_NONE: a spectator */
    uint32_t capabilities;
    ls_remote remote;
    ls_remote_key host;                  /* the host of `remote` */
    uint32_t bucket;                     /* bucket of its host, 0..LS_SERVER_BUCKETS-1 */
    uint8_t new_secret[LS_RESUME_BYTES]; /* hash of its new secret */
    uint8_t old_secret[LS_RESUME_BYTES]; /* hash of the secret that takes the seat over, or zeros */
} ls_entrant;

/* The reason to put a client off: the thing for which the client waits. */
typedef enum ls_put_off {
    LS_PUT_OFF_NOT = 0,
    LS_PUT_OFF_SHARE,      /* its host's share of seats without CONFIRM, or of snapshots */
    LS_PUT_OFF_SEAT,       /* a seat that another client has reserved */
    LS_PUT_OFF_CONNECTION, /* its own former connection, or another one */
    LS_PUT_OFF_OPENING,    /* its room, which is being restored or opened, or moves */
    LS_PUT_OFF_TAKEOVER,   /* its match, which the server is about to take over */
    LS_PUT_OFF_ADMISSIONS, /* the link, which awaits many connections */
} ls_put_off;

/* One answered AUTH. Its key is the client's remote and ephemeral key. */
typedef struct ls_pending {
    uint64_t since_ns, until_ns; /* when it was added; when it expires */
    uint32_t connect_id;         /* 0: no grant; only the answer is kept */
    bool is_brief;               /* its grant is not extended: its remote has a session */
    ls_put_off put_off;          /* rejected as busy: the same AUTH may be judged again */
    uint64_t judged_ns;          /* when an AUTH that is put off was last judged */
    struct ls_room *room;        /* NULL: none was found */
    uint8_t ephemeral[32];
    ls_entrant entrant;
    ls_seal_keys keys;
    ls_carrier carrier;
    uint32_t answer_bytes;
    uint8_t answer[LS_ACCEPT_BYTES_MAX];
} ls_pending;

/* LS_SERVER_PENDING entries. The hashes have a separate array, because every search reads all of
 * them. */
typedef struct ls_pending_table {
    ls_pending *items;
    uint64_t *keys; /* hashes of remote and ephemeral key; 0: free */
} ls_pending_table;

void ls_pending_init(ls_pending_table *table);
/* Wipes all keys and frees the table. */
void ls_pending_reset(ls_pending_table *table);
ls_pending *ls_pending_find(ls_pending_table *table, const ls_remote *remote,
                            const uint8_t ephemeral[32]);
ls_pending *ls_pending_find_id(ls_pending_table *table, uint32_t connect_id);
/* Adds an entry for this remote and ephemeral key, valid for LS_SERVER_HANDSHAKE_NS and otherwise
 * zeros: the caller sets the entrant's host and bucket. NULL when the table is full. */
ls_pending *ls_pending_add(ls_pending_table *table, const ls_remote *remote,
                           const uint8_t ephemeral[32], uint64_t now_ns);
void ls_pending_release(ls_pending_table *table, ls_pending *pending);

/* The host that used each token, by token id. */
typedef struct ls_used_token {
    uint8_t id[LS_TOKEN_ID_BYTES];
    ls_remote_key host;
    uint64_t expiry_s; /* 0: free */
} ls_used_token;
typedef struct ls_used_tokens {
    ls_used_token *items; /* LS_SERVER_USED_TOKENS, open addressing */
} ls_used_tokens;

void ls_used_tokens_init(ls_used_tokens *tokens);
void ls_used_tokens_reset(ls_used_tokens *tokens);
/* Records that a host uses a token. False when another host used it before, or when all slots that
 * may hold the token are used by unexpired ones. */
bool ls_used_tokens_add(ls_used_tokens *tokens, const ls_token *token, const ls_remote_key *host,
                        uint64_t unix_s) LS_MUST_USE;

#endif
