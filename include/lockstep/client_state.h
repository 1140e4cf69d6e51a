/* The states of a client. */
#ifndef LS_CLIENT_STATE_H
#define LS_CLIENT_STATE_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_client_state {
    LS_CLIENT_HANDSHAKE = 0, /* handshake datagrams are exchanged */
    LS_CLIENT_CONNECTING,    /* the server has accepted; the carrier connects */
    LS_CLIENT_LOADING,       /* the snapshot comes in */
    LS_CLIENT_PLAYING,       /* ticks come in; a player or a spectator */
    LS_CLIENT_RESUMING,      /* the session is lost and being resumed; no tick runs */
    /* Final, each with a reason: */
    LS_CLIENT_ENDED,   /* the match is over, or the client has left */
    LS_CLIENT_REFUSED, /* by the server, by our own trust in it, or kicked */
    LS_CLIENT_LOST,    /* never reached, or silent for too long, or it broke the protocol */
    LS_CLIENT_FAILED,  /* the match has failed: a tick cannot be run, here or at the server */
} ls_client_state;

LS_API bool ls_client_state_is_final(ls_client_state state);
/* The lowercase word for a state. */
LS_API const char *ls_client_state_name(ls_client_state state);

#ifdef __cplusplus
}
#endif

#endif
