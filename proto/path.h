/* The address that a connection is at. A router may give a client another port at any time; the
 * client does not notice. Its datagrams are then authentic and come from elsewhere, but so does a
 * copy that an eavesdropper sends from an address of its own before the original arrives. So such
 * a datagram moves nothing: both addresses are asked, the one in use and the new one, each with a
 * random token of its own. An answer counts only from the address that was asked:
 *   - from the one in use: the peer is where it was, and no other is asked for a while;
 *   - from another: the peer moves there. The question to the former address stays open, so when
 *     an attacker has relayed the new one, the peer's own answer brings the connection back.
 * The questions are few, and none is longer than the datagram that caused it. Private to proto/.
 *   source  RFC 9000, section 9.3.3 has the attack and the idea of asking the old path, too */
#ifndef LS_PATH_H
#define LS_PATH_H

#include "proto/carrier_mac.h"

/* Outside of ENet, as the handshake: bit 6 of the first byte.
 *   CHALLENGE  type 1 | counter 4 | token 8 | code 8     server to client; the counter is the next
 *              of its datagrams, so a repeated one has no answer
 *   RESPONSE   type 1 | connect id 4 | token 8 | code 8  client to server; the token counts once,
 * so that a copy from elsewhere takes nothing away */
enum { LS_PATH_CHALLENGE = 0x46, LS_PATH_RESPONSE = 0x47 };
enum { LS_PATH_TOKEN_BYTES = 8, LS_PATH_TRIES = 3 };

/* An address that was asked and has not answered. */
typedef struct ls_path_try {
    ls_address address;
    uint8_t token[LS_PATH_TOKEN_BYTES];
    uint64_t until_ns; /* 0: free */
} ls_path_try;

/* The questions of one connection; zeros are a new one. */
typedef struct ls_path {
    uint64_t rest_until_ns; /* none is asked before */
    ls_path_try tries[LS_PATH_TRIES];
} ls_path;

typedef enum ls_path_answer {
    LS_PATH_UNKNOWN = 0, /* of no question: nothing changes */
    LS_PATH_KEPT,        /* the peer receives at the address in use */
    LS_PATH_MOVED,       /* the peer receives at the address that it answered from */
} ls_path_answer;

/* Whether addresses may be asked now. */
static inline bool ls_path_may_ask(const ls_path *path, uint64_t now_ns)
{
    return now_ns >= path->rest_until_ns;
}

/* Asks an address; first the one in use, then the new one. Returns the token to send: `fresh`,
 * random, or the one of an open question to this address, which is repeated. */
const uint8_t *ls_path_ask(ls_path *path, const ls_address *address, uint64_t now_ns,
                           const uint8_t fresh[LS_PATH_TOKEN_BYTES]);
/* An authentic answer; `used` is the address in use. */
ls_path_answer ls_path_hear(ls_path *path, const ls_address *used, const ls_address *from,
                            const uint8_t token[LS_PATH_TOKEN_BYTES], uint64_t now_ns) LS_MUST_USE;

/* A CHALLENGE with the next counter; the key is that of the server's direction. False: no counter
 * is left. */
bool ls_path_challenge_encode(uint8_t bytes[LS_PATH_BYTES], const uint8_t *token,
                              ls_carrier_counters *counters,
                              const uint8_t key[LS_CARRIER_KEY_BYTES]) LS_MUST_USE;
/* The client: checks a CHALLENGE, takes its counter, and writes the RESPONSE in its place. Any
 * other bytes, also repeated ones, stay as they are: false. */
bool ls_path_respond(uint8_t bytes[LS_PATH_BYTES], const ls_carrier *carrier,
                     ls_carrier_counters *counters) LS_MUST_USE;
/* The connect id in a RESPONSE, before it is authenticated. */
uint32_t ls_path_response_id(const uint8_t bytes[LS_PATH_BYTES]);
/* The token of an authentic RESPONSE, NULL for other bytes; the key is that of the client's
 * direction. */
const uint8_t *ls_path_response_token(const uint8_t bytes[LS_PATH_BYTES],
                                      const uint8_t key[LS_CARRIER_KEY_BYTES]);

#endif
