/* The client's side of the handshake; include/lockstep/handshake.h has a diagram. Every call that
 * reads a message also understands a REJECT. It then returns LS_ERROR_INCOMPATIBLE or
 * LS_ERROR_REFUSED with the server's reason as the text, or LS_ERROR_LIMIT when the client may try
 * again later. */
#ifndef LS_HANDSHAKE_CLIENT_H
#define LS_HANDSHAKE_CLIENT_H

#include <lockstep/handshake.h>
#include <lockstep/pass.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copied by init. Set at most one of password, psk and pass. */
typedef struct ls_handshake_client_config {
    ls_handshake_local local;
    const ls_entropy *entropy; /* NULL: the system's */
    const char *password;      /* the server's, at most LS_PASSWORD_BYTES - 1; NULL: none */
    const uint8_t *psk;        /* 32 bytes: the password, already hashed; NULL: zeros */
    const ls_pass *pass;      /* its token is sent; its server key, if any, is pinned; NULL: none */
    const ls_public_key *pin; /* the only identity that the client accepts; NULL: ask `trust` */
    /* Decides whether the client trusts a server that showed this identity. Any status but LS_OK
     * refuses the server, with a text. NULL: trust any server
     * (include/lockstep/known_servers.h). */
    ls_status (*trust)(void *context, const ls_public_key *shown, ls_error *error);
    void *trust_context;
    char name[LS_NAME_BYTES];
    char room[LS_ROOM_BYTES];     /* "": any */
    uint8_t flags;                /* LS_HANDSHAKE_SPECTATE, _LIGHT, _BOT */
    const uint8_t *resume_secret; /* LS_RESUME_BYTES; NULL: a new player */
} ls_handshake_client_config;

/* A COOKIE that may come from the server. Its valid certificate does not prove that: an
 * eavesdropper can copy a genuine certificate and add a cookie of its own. */
typedef struct ls_handshake_cookie {
    uint16_t version_min, version_max;
    uint32_t capabilities; /* the server's */
    uint32_t bucket;
    uint8_t cookie[32];
    uint8_t server_static[32];
    ls_public_key identity;
    ls_handshake_state state; /* the key schedule with the psk mixed in */
} ls_handshake_cookie;

/* One attempt to join. The caller may read cookie_count, keys and carrier (after client_accept),
 * has_server_key and server_key. server_key is the identity in the last COOKIE that passed the
 * checks before `trust`; after client_accept it is the server's. */
typedef struct ls_handshake_client {
    ls_public_key server_key;
    ls_seal_keys keys;
    ls_carrier carrier;
    ls_handshake_local local;
    char name[LS_NAME_BYTES];
    char room[LS_ROOM_BYTES];
    uint8_t flags;
    bool has_pin, has_resume, has_pass, has_password;
    uint8_t step;
    ls_public_key pin;
    uint8_t psk[32];
    char password[LS_PASSWORD_BYTES];
    ls_pass pass;
    uint8_t resume_secret[LS_RESUME_BYTES];
    uint8_t ephemeral_secret[32], ephemeral_public[32], client_random[32];
    uint8_t hello_hash[32];
    ls_status (*trust)(void *context, const ls_public_key *shown, ls_error *error);
    void *trust_context;
    bool has_server_key;
    uint32_t cookie_count; /* different cookies so far; the newest LS_CLIENT_COOKIES are kept */
    uint32_t hashes_left;  /* how often the password may still be hashed */
    ls_handshake_cookie cookies[LS_CLIENT_COOKIES];
} ls_handshake_client;

/* Starts an attempt and draws its secrets. Bytes of name and room that are not printable UTF-8
 * become '?'. Asserts the password's length. */
LS_API void ls_handshake_client_init(ls_handshake_client *client,
                                     const ls_handshake_client_config *config);
/* Wipes everything. */
LS_API void ls_handshake_client_reset(ls_handshake_client *client);

/* Writes the HELLO (LS_HELLO_BYTES); every call writes the same bytes. */
LS_API void ls_handshake_client_hello(const ls_handshake_client *client, ls_writer *writer);

/* True for a COOKIE: only ls_handshake_client_cookie reads it. */
LS_API bool ls_handshake_is_cookie(const ls_handshake_message *message);

/* Reads an answer to the HELLO; answers may arrive until client_accept. A COOKIE that differs from
 * the kept ones is kept and raises cookie_count; when all places are used, it replaces the oldest.
 *
 * With a password, each new identity costs about a tenth of a second, for at most LS_CLIENT_COOKIES
 * identities. A caller that cannot wait and has a pin passes the psk instead.
 *   unit    unix_s: wall clock, compared with the certificate's expiry
 *   errors  LS_ERROR_REFUSED: the identity is not the pinned one (the text has both) or not trusted
 *           (server_key has it), the certificate or the token is expired, or the server rejects;
 *           LS_ERROR_INCOMPATIBLE: the server rejects our version or simulation; LS_ERROR_CORRUPT:
 *           no valid COOKIE for this HELLO, or one identity too many to hash the password for:
 *           ignore it; LS_ERROR_IO: no memory for the password's hash. Nothing else changes */
LS_API ls_status ls_handshake_client_cookie(ls_handshake_client *client,
                                            const ls_handshake_message *message, uint64_t unix_s,
                                            ls_error *error) LS_MUST_USE;

/* Whether a server's key is the pinned one.
 *   errors  LS_ERROR_REFUSED: it is another one; the text has both */
LS_API ls_status ls_handshake_check_pin(const ls_public_key *pin, const ls_public_key *shown,
                                        ls_error *error) LS_MUST_USE;
/* Returns the number of cookies kept. */
LS_API uint32_t ls_handshake_client_kept(const ls_handshake_client *client);
/* Writes the AUTH (LS_AUTH_BYTES) for the cookie of this age, 0 for the newest; every call writes
 * the same bytes. No earlier message contains the token. Asserts age < ls_handshake_client_kept().
 */
LS_API void ls_handshake_client_auth(const ls_handshake_client *client, uint32_t age,
                                     ls_writer *writer);

/* Reads the answer to an AUTH of any kept cookie, and fills client->keys, client->carrier and
 * client->server_key.
 *   errors  LS_ERROR_REFUSED, LS_ERROR_INCOMPATIBLE: rejected; LS_ERROR_CORRUPT: no valid ACCEPT,
 *           ignore it; *accept is then unspecified, nothing else changes */
LS_API ls_status ls_handshake_client_accept(ls_handshake_client *client,
                                            const ls_handshake_message *message,
                                            ls_handshake_accept *accept,
                                            ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
