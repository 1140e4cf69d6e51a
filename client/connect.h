/* Entering a match, for the first time and again: HELLO, trust, AUTH, ACCEPT, the carrier, CONFIRM.
 *
 * Until the ACCEPT opens, no received byte is proven to be the server's. A refusal, or a server
 * that is not trusted, is therefore only remembered: it counts when nothing better comes within
 * LS_CLIENT_REJECT_NS. An AUTH without an answer may have followed a forged COOKIE: after some
 * tries the attempt begins anew. */
#ifndef LS_CONNECT_H
#define LS_CONNECT_H

#include "client/connection.h"
#include "proto/handshake_client.h"
#include <lockstep/client_config.h>

/* The event that an attempt waits for. */
typedef enum ls_connect_step {
    LS_CONNECT_NONE = 0, /* no attempt: in a session, or over */
    LS_CONNECT_HELLO,    /* the COOKIE */
    LS_CONNECT_AUTH,     /* the ACCEPT */
    LS_CONNECT_CARRIER,  /* the link */
} ls_connect_step;

/* Holds secrets. */
typedef struct ls_connect {
    ls_connection *connection;
    ls_handshake_client_config config; /* points into the copies below */
    ls_public_key pin;
    char password[LS_PASSWORD_BYTES];
    uint8_t psk[32];
    ls_pass pass;
    uint8_t secrets[2][LS_RESUME_BYTES]; /* resume secrets, the newest first */
    uint32_t secret_count, secret_index; /* the one that this attempt shows */
    ls_status (*trust)(void *context, const ls_public_key *shown, ls_error *error);
    void *trust_context;
    bool has_pin;
    uint64_t unix_s, first_ns; /* the wall clock at the first step, and that step */

    ls_connect_step step;
    ls_handshake_client handshake;
    ls_public_key server_key;
    bool has_server_key;
    bool was_accepted;             /* an ACCEPT came */
    uint64_t sent_ns, repeat_ns;   /* the last datagram; the time until it is repeated */
    uint32_t sent_count;           /* of this step's datagram */
    ls_handshake_accept candidate; /* of the session that the carrier connects for */

    /* A refusal that came without proof; it counts when nothing better comes. */
    ls_status refusal; /* LS_OK: none */
    uint64_t refused_ns;
    char refused[LS_ERROR_TEXT_BYTES / 2];
} ls_connect;

/* Copies the members of the config that the handshake needs. */
void ls_connect_init(ls_connect *connect, ls_connection *connection,
                     const ls_client_config *config);
void ls_connect_reset(ls_connect *connect);

/* Begins; an existing session stays until the carrier is to connect. */
void ls_connect_begin(ls_connect *connect);
/* Breaks off: the existing session is alive. */
void ls_connect_cancel(ls_connect *connect);
/* One datagram, from hostile bytes. True when it is an ACCEPT, now in `candidate`: the caller
 * decides whether the match suits, and goes on with ls_connect_open_carrier(). */
bool ls_connect_receive(ls_connect *connect, const ls_packet *packet) LS_MUST_USE;
void ls_connect_open_carrier(ls_connect *connect);
/* The link has connected: true when a session begins; connection->accept is then its grant. */
bool ls_connect_connected(ls_connect *connect, ls_peer peer) LS_MUST_USE;
/* The link could not connect. */
void ls_connect_disconnected(ls_connect *connect);
/* Repeats unanswered datagrams, and ends in REFUSED when a refusal counts. */
void ls_connect_run(ls_connect *connect);

#endif
