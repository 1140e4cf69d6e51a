/* Tracks where a connection's peer is. A remote of include/lockstep/remote.h is called address
 * here, because only a link over IP needs this file. A router may give a client another port at any
 * time, and the client does not notice. Its authentic datagrams then come from elsewhere. But an
 * eavesdropper can cause the same: it sends a copy from its own address, before the original
 * arrives.
 *
 * Such a datagram therefore moves nothing. The server asks both addresses, the one in use and the
 * new one, each with its own random token. An answer counts only from the address that was asked:
 *   - from the address in use: the peer did not move, and no address is asked for a while;
 *   - from another address: the peer moves there. The question to the former address stays open.
 *     If an attacker relayed the answer, the peer's own answer then moves the connection back.
 * Questions are few, and none is longer than the datagram that caused it. Private to proto/.
 *   source  RFC 9000, section 9.3.3 describes the attack and suggests asking the old path, too */
#ifndef LS_PATH_H
#define LS_PATH_H

#include "proto/carrier_mac.h"
#include <lockstep/remote.h>

/* The messages, which like the handshake bypass ENet: bit 6 of the first byte is set.
 *   CHALLENGE  type 1 | counter 4 | token 8 | MAC 8, server to client; the counter is the next one
 *              of the server's datagrams, so the client does not answer a repeated one
 *   RESPONSE   type 1 | connect id 4 | token 8 | MAC 8, client to server; a token counts only once
 *              and only from the address asked, so a copy sent from elsewhere changes nothing */
enum { LS_PATH_CHALLENGE = 0x46, LS_PATH_RESPONSE = 0x47 };
enum { LS_PATH_TOKEN_BYTES = 8, LS_PATH_TRIES = 3 };

/* An open question to an address: it was asked and has not answered. */
typedef struct ls_path_try {
    ls_remote remote;
    uint8_t token[LS_PATH_TOKEN_BYTES];
    uint64_t until_ns; /* when the question closes; 0: the place is free */
} ls_path_try;

/* The open questions of one connection; a new connection has zeros. */
typedef struct ls_path {
    uint64_t cooldown_until_ns; /* no address is asked before this time */
    ls_path_try tries[LS_PATH_TRIES];
} ls_path;

typedef enum ls_path_answer {
    LS_PATH_UNKNOWN = 0, /* answers no open question: nothing changes */
    LS_PATH_KEPT,        /* the peer receives at the address in use */
    LS_PATH_MOVED,       /* the peer receives at the address that it answered from */
} ls_path_answer;

/* True when addresses may be asked now. */
static inline bool ls_path_may_ask(const ls_path *path, uint64_t now_ns)
{
    return now_ns >= path->cooldown_until_ns;
}

/* Opens a question to an address. Call it first for the address in use, then for the new one: the
 * new question replaces the oldest, which is then never the question to the address in use. Returns
 * the token to send: `fresh`, which is random, or the token of an open question to this address,
 * which is repeated. */
const uint8_t *ls_path_ask(ls_path *path, const ls_remote *remote, uint64_t now_ns,
                           const uint8_t fresh[LS_PATH_TOKEN_BYTES]);
/* Handles an authentic answer from `from`; `used` is the address in use. */
ls_path_answer ls_path_receive(ls_path *path, const ls_remote *used, const ls_remote *from,
                               const uint8_t token[LS_PATH_TOKEN_BYTES],
                               uint64_t now_ns) LS_MUST_USE;

/* Writes a CHALLENGE with the next counter; `key` is the key for datagrams of the server. False
 * when no counter is left. */
bool ls_path_challenge_encode(uint8_t bytes[LS_PATH_BYTES], const uint8_t *token,
                              ls_carrier_counters *counters,
                              const uint8_t key[LS_CARRIER_KEY_BYTES]) LS_MUST_USE;
/* Client: checks a CHALLENGE, marks its counter as used, and overwrites it with the RESPONSE.
 * False, and the bytes unchanged, for any other message and for a repeated CHALLENGE. */
bool ls_path_respond(uint8_t bytes[LS_PATH_BYTES], const ls_carrier *carrier,
                     ls_carrier_counters *counters) LS_MUST_USE;
/* Returns the connect id in a RESPONSE that is not authenticated yet. */
uint32_t ls_path_response_id(const uint8_t bytes[LS_PATH_BYTES]);
/* Returns the token of an authentic RESPONSE, NULL for other bytes; `key` is the key for datagrams
 * of the client. */
const uint8_t *ls_path_response_token(const uint8_t bytes[LS_PATH_BYTES],
                                      const uint8_t key[LS_CARRIER_KEY_BYTES]);

#endif
