/* Enters a match, for the first time or again: HELLO, trust, AUTH, ACCEPT, the carrier, CONFIRM.
 *
 * Until an ACCEPT is authenticated, any received byte may be forged. So a COOKIE decides nothing:
 * each one is tried with its own AUTH, HELLO is repeated beside them, and the ACCEPT shows which
 * COOKIE was the server's. A refusal, or an untrusted server key, is only remembered: it takes
 * effect if no better answer comes within LS_CLIENT_REJECT_NS. A server that puts the client off is
 * asked again every LS_CLIENT_REPEAT_NS. After LS_CLIENT_AUTH_TRIES without an ACCEPT the attempt
 * begins again with new keys: answers to the old keys can no longer be opened. */
#ifndef LS_CONNECT_H
#define LS_CONNECT_H

#include "client/connection.h"
#include "proto/handshake_client.h"
#include <lockstep/client_config.h>

/* The message or event that an attempt waits for. */
typedef enum ls_connect_step {
    LS_CONNECT_NONE = 0, /* no attempt: the client is in a session, or in a final state */
    LS_CONNECT_HELLO,    /* a COOKIE */
    LS_CONNECT_AUTH,     /* the ACCEPT; further COOKIEs may come */
    LS_CONNECT_CARRIER,  /* the connection of the link */
} ls_connect_step;

/* Holds secrets: ls_connect_reset() wipes them. */
typedef struct ls_connect {
    ls_connection *connection;
    ls_handshake_client_config config; /* its pointers refer to the copies below */
    ls_public_key pin;
    char password[LS_PASSWORD_BYTES];
    uint8_t psk[32];
    ls_pass pass;
    uint8_t secrets[2][LS_RESUME_BYTES]; /* resume secrets, the newest first */
    uint32_t secret_count, secret_index; /* index: the secret that this attempt shows */
    uint64_t unix_s, first_ns;           /* wall-clock time and monotonic time of the first step */

    ls_connect_step step;
    ls_handshake_client handshake;
    ls_public_key server_key;
    bool has_server_key;
    bool was_accepted;           /* an ACCEPT came */
    uint64_t sent_ns, repeat_ns; /* when datagrams were last sent; their timeout */
    uint32_t sent_count;         /* how often this step has sent its datagrams */
    uint64_t auths_ns;           /* begin of the second in which `auths` counts */
    uint32_t auths;              /* AUTHs sent in that second for further COOKIEs of this attempt */
    ls_handshake_accept candidate; /* the grant of the session that the carrier is for */

    /* An unauthenticated refusal; it takes effect if no better answer comes. */
    ls_status refusal; /* LS_OK: none */
    uint64_t refused_ns;
    char refused[LS_ERROR_TEXT_BYTES / 2];
    /* The server's text when it last put the client off; also unauthenticated. */
    uint64_t put_off_ns, auth_ns; /* times of that answer and of the last AUTH */
    char put_off[LS_ERROR_TEXT_BYTES / 2];
} ls_connect;

/* Copies the members of the config that the handshake needs. */
void ls_connect_init(ls_connect *connect, ls_connection *connection,
                     const ls_client_config *config);
void ls_connect_reset(ls_connect *connect);

/* Begins to connect. An existing session stays usable until the new carrier is opened. */
void ls_connect_begin(ls_connect *connect);
/* From now on the client asks for the room that it is in: a server that has just taken the match
 * over may not know this client's resume secret yet, but finds the room by its name. */
void ls_connect_name_room(ls_connect *connect);
/* Stops connecting, because the existing session turned out to be alive. */
void ls_connect_cancel(ls_connect *connect);
/* Takes one datagram of hostile bytes. True for a valid ACCEPT, then in `candidate`: the caller
 * checks that the match suits and calls ls_connect_open_carrier(). */
bool ls_connect_receive(ls_connect *connect, const ls_packet *packet) LS_MUST_USE;
void ls_connect_open_carrier(ls_connect *connect);
/* Called when the link has connected. True when a session begins; connection->accept is then its
 * grant. */
bool ls_connect_connected(ls_connect *connect, ls_peer peer) LS_MUST_USE;
/* Called when the link could not connect: begins another attempt. */
void ls_connect_disconnected(ls_connect *connect);
/* The server's text when it put the client off. NULL when it did not, or no longer answers AUTHs.
 */
const char *ls_connect_put_off(const ls_connect *connect);
/* Repeats unanswered datagrams. Enters REFUSED LS_CLIENT_REJECT_NS after a remembered refusal, if
 * nothing better has come. */
void ls_connect_run(ls_connect *connect);

#endif
