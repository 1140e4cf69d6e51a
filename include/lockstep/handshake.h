/* The handshake: four datagrams, before there is a connection, that give both sides the same keys,
 * prove the server's identity to the client, and refuse another version or simulation before any
 * state exists. Pure functions over the caller's structs: no socket, clock or file. Bytes and key
 * schedule: docs/protocol.md; Noise NKpsk0 in spirit. The first byte of every message has bit 6
 * set, which no ENet datagram has (LS_LINK_DATAGRAM of include/lockstep/link.h). No answer is
 * larger than its question.
 *
 *   client                                       server
 *   client_hello  -- HELLO, 1200 bytes -->       server_hello: stateless, answers COOKIE or REJECT
 *   client_cookie <-- COOKIE --                  (certificate of the session key by the identity)
 *   client_auth   -- AUTH, 1100 bytes -->        server_auth: the client's name; server_accept
 *   client_accept <-- ACCEPT --                  or ls_handshake_reject
 *   Then the link connects with the carrier that both have. The sealed CONFIRM of proto/message.h
 *   follows; the server sends nothing else before it. */
#ifndef LS_HANDSHAKE_H
#define LS_HANDSHAKE_H

#include <lockstep/identity.h>
#include <lockstep/link.h>
#include <lockstep/match.h>
#include <lockstep/seal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The description of one side. Version and fingerprint must be equal on both; the texts are only
 * reported, and a character that is not printable UTF-8 becomes '?'. */
typedef struct ls_handshake_local {
    uint32_t engine_version; /* of the tick rules */
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
    char simulation[LS_SIMULATION_TEXT_BYTES]; /* name and version */
    char build[LS_BUILD_TEXT_BYTES];           /* compiler, CPU, system */
} ls_handshake_local;

/* A message that came in. The client looks at data and bytes only. */
typedef struct ls_handshake_message {
    const uint8_t *data;
    size_t bytes;
    ls_address address; /* the sender's */
    uint64_t now_ns;    /* the server's monotonic clock */
    uint64_t unix_s;    /* wall clock, for the life of tokens only */
} ls_handshake_message;

enum { LS_HANDSHAKE_SPECTATE = 1, LS_HANDSHAKE_BOT = 2 }; /* flags of a client */
#define LS_HANDSHAKE_PLAYER_NONE 255

/* The reason of a refusal. */
typedef enum ls_reject_code {
    LS_REJECT_VERSION = 1, /* protocol or engine */
    LS_REJECT_SIMULATION,
    LS_REJECT_FULL,
    LS_REJECT_POLICY, /* not wanted now: the match is over */
    LS_REJECT_TOKEN,  /* none though one is needed, or by a key that this server does not know */
    LS_REJECT_BUSY,   /* not at this moment: the client goes on asking */
    LS_REJECT_CODE_COUNT,
} ls_reject_code;

/* The grant of a server to a client. */
typedef struct ls_handshake_accept {
    uint8_t player;      /* seat, or LS_HANDSHAKE_PLAYER_NONE */
    uint32_t connect_id; /* not 0; goes into the carriers */
    uint32_t epoch;      /* of the room: rises when a server resumes its recording */
    uint64_t tick;       /* the next tick that the server will close */
    ls_match match;
    char room[LS_ROOM_BYTES];
    char build[LS_BUILD_TEXT_BYTES];        /* the server's; server_accept fills it in */
    uint8_t resume_secret[LS_RESUME_BYTES]; /* drawn by server_accept, which also hands it back */
} ls_handshake_accept;

/* Running key material; secret. */
typedef struct ls_handshake_state {
    uint8_t secret[32];
    uint8_t transcript[32];
} ls_handshake_state;

/* The psk of a password at one server: Argon2id, about a tenth of a second and 64 MiB.
 *   errors  LS_ERROR_LIMIT: longer than LS_PASSWORD_BYTES - 1; LS_ERROR_IO: no memory for it */
LS_API ls_status ls_handshake_password(const char *password, const ls_public_key *identity,
                                       uint8_t psk[32]) LS_MUST_USE;

/* Writes a REJECT. A longer reason is cut. */
LS_API void ls_handshake_reject(ls_reject_code code, const char *reason, ls_writer *reply);

#ifdef __cplusplus
}
#endif

#endif
