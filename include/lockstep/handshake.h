/* The handshake: four datagrams before the connection. It gives both sides the same keys, proves
 * the server's identity to the client, and refuses another version or simulation before the server
 * keeps state. Pure functions over the caller's structs: no socket, clock or file. Bytes and key
 * schedule: docs/protocol.md; the design follows Noise NKpsk0. The first byte of every message has
 * bit 6 set, which no ENet datagram has (LS_LINK_DATAGRAM of include/lockstep/link.h). No answer is
 * larger than its question.
 *
 *   client                                       server
 *   client_hello  -- HELLO, 1200 bytes -->       server_hello: stateless, answers COOKIE or REJECT
 *   client_cookie <-- COOKIE --                  (certificate of the session key by the identity)
 *   client_auth   -- AUTH, 1100 bytes -->        server_auth: the client's name; server_accept
 *   client_accept <-- ACCEPT --                  or ls_handshake_reject
 *   Then the link connects with the carrier that both sides have. The client sends the sealed
 *   CONFIRM of proto/message.h; the server sends nothing else before it arrives. */
#ifndef LS_HANDSHAKE_H
#define LS_HANDSHAKE_H

#include <lockstep/identity.h>
#include <lockstep/link.h>
#include <lockstep/match.h>
#include <lockstep/remote.h>
#include <lockstep/seal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The description of one side. Version and fingerprint must be equal on both sides; the texts are
 * only reported, with '?' for characters that are not printable UTF-8. */
typedef struct ls_handshake_local {
    uint32_t engine_version; /* version of the tick rules */
    uint32_t capabilities;   /* LS_CAPABILITY_ bits that this side offers */
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
    char simulation[LS_SIMULATION_TEXT_BYTES]; /* name and version */
    char build[LS_BUILD_TEXT_BYTES];           /* compiler, CPU, system */
} ls_handshake_local;

/* A received message. The client uses only data and bytes. */
typedef struct ls_handshake_message {
    const uint8_t *data;
    size_t bytes;
    ls_remote remote; /* the sender: a cookie is good for it alone */
    uint64_t now_ns;  /* the server's monotonic clock */
    uint64_t unix_s;  /* wall clock, only to check the validity of tokens */
} ls_handshake_message;

/* Flags of a client, combined with |. */
enum { LS_HANDSHAKE_SPECTATE = 1, LS_HANDSHAKE_BOT = 2, LS_HANDSHAKE_LIGHT = 4 };
#define LS_HANDSHAKE_FLAGS       (LS_HANDSHAKE_SPECTATE | LS_HANDSHAKE_BOT | LS_HANDSHAKE_LIGHT)
#define LS_HANDSHAKE_PLAYER_NONE 255

/* The reason of a refusal. */
typedef enum ls_reject_code {
    LS_REJECT_VERSION = 1, /* another version of protocol or engine */
    LS_REJECT_SIMULATION,
    LS_REJECT_FULL,
    LS_REJECT_POLICY, /* not now: the match is over */
    LS_REJECT_TOKEN,  /* a required token is missing, or its key is unknown to this server */
    LS_REJECT_BUSY,   /* the server is busy: the client keeps trying */
    LS_REJECT_CODE_COUNT,
} ls_reject_code;

/* The server's answer to an accepted client. */
typedef struct ls_handshake_accept {
    uint8_t player;      /* seat, or LS_HANDSHAKE_PLAYER_NONE */
    uint32_t connect_id; /* not 0; the connect_id of the carrier on both sides */
    uint32_t epoch;      /* of the room: rises each time a server resumes its recording */
    uint64_t tick;       /* the next tick that the server will close */
    ls_match match;
    char room[LS_ROOM_BYTES];
    char build[LS_BUILD_TEXT_BYTES];        /* the server's; server_accept fills it in */
    uint8_t resume_secret[LS_RESUME_BYTES]; /* drawn and returned by server_accept */
    /* With LS_CAPABILITY_FOLLOW: the client is not let in here, and asks at this address of the
     * same server. Zeros: it is let in. */
    ls_remote forward;
} ls_handshake_accept;

/* The running keys of a handshake; secret. */
typedef struct ls_handshake_state {
    uint8_t secret[32];
    uint8_t transcript[32];
} ls_handshake_state;

/* Derives the psk of a password at one server with Argon2id: takes about 0.1 s and 64 MiB.
 *   errors  LS_ERROR_LIMIT: longer than LS_PASSWORD_BYTES - 1; LS_ERROR_IO: not enough memory */
LS_API ls_status ls_handshake_password(const char *password, const ls_public_key *identity,
                                       uint8_t psk[32]) LS_MUST_USE;

/* Writes a REJECT; cuts a reason that is too long. */
LS_API void ls_handshake_reject(ls_reject_code code, const char *reason, ls_writer *reply);

#ifdef __cplusplus
}
#endif

#endif
