/* Entering a match, for the first time and again: HELLO, trust, AUTH, ACCEPT, the carrier, CONFIRM.
 *
 * Until the ACCEPT opens, no received byte is proven to be the server's. So a COOKIE changes
 * nothing: each is tried with an AUTH of its own, HELLO is said again beside them, and the ACCEPT
 * tells which one was the server's. A refusal, or a server that is not trusted, is only remembered:
 * it counts when nothing better comes within LS_CLIENT_REJECT_NS. A server that puts the client off
 * is asked again every LS_CLIENT_REPEAT_NS. */
#ifndef LS_CONNECT_H
#define LS_CONNECT_H

#include "client/connection.h"
#include "proto/handshake_client.h"
#include <lockstep/client_config.h>

/* The event that an attempt waits for. */
typedef enum ls_connect_step {
    LS_CONNECT_NONE = 0, /* no attempt: in a session, or over */
    LS_CONNECT_HELLO,    /* a COOKIE */
    LS_CONNECT_AUTH,     /* the ACCEPT; other COOKIEs may come */
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
    uint64_t unix_s, first_ns;           /* the wall clock at the first step, and that step */

    ls_connect_step step;
    ls_handshake_client handshake;
    ls_public_key server_key;
    bool has_server_key;
    bool was_accepted;             /* an ACCEPT came */
    uint64_t sent_ns, repeat_ns;   /* the last datagrams; the time until they are repeated */
    uint32_t sent_count;           /* of this step's datagrams */
    uint64_t auths_ns;             /* the second that `auths` are counted in */
    uint32_t auths;                /* sent for a COOKIE at once */
    ls_handshake_accept candidate; /* of the session that the carrier connects for */

    /* A refusal that came without proof; it counts when nothing better comes. */
    ls_status refusal; /* LS_OK: none */
    uint64_t refused_ns;
    char refused[LS_ERROR_TEXT_BYTES / 2];
    /* The server's words when it last put the client off; without proof, too. */
    uint64_t put_off_ns, auth_ns; /* then, and the last AUTH */
    char put_off[LS_ERROR_TEXT_BYTES / 2];
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
/* Why the server put the client off; NULL: it did not, or later AUTHs were not answered. */
const char *ls_connect_put_off(const ls_connect *connect);
/* Repeats unanswered datagrams, and ends in REFUSED when a refusal counts. */
void ls_connect_run(ls_connect *connect);

#endif
