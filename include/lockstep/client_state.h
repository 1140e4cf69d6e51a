/* The states of a client. */
#ifndef LS_CLIENT_STATE_H
#define LS_CLIENT_STATE_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_client_state {
    LS_CLIENT_HANDSHAKE = 0, /* handshake datagrams are exchanged */
    LS_CLIENT_CONNECTING,    /* the server has accepted; ENet connects */
    LS_CLIENT_LOADING,       /* the client fetches the snapshot */
    LS_CLIENT_PLAYING,       /* ticks arrive; for players and spectators */
    LS_CLIENT_RESUMING,      /* the session is lost and is being resumed; no tick runs */
    /* Final states, each with a reason (ls_client_reason): */
    LS_CLIENT_ENDED,   /* the match is over, or the client has left */
    LS_CLIENT_REFUSED, /* by the server, by this client's trust check, or kicked */
    LS_CLIENT_LOST,    /* the server never answered, was silent too long, or broke the protocol */
    LS_CLIENT_FAILED,  /* the match failed: this client or the server cannot run a tick */
} ls_client_state;

LS_API bool ls_client_state_is_final(ls_client_state state);
/* The name of the state as a lowercase word. */
LS_API const char *ls_client_state_name(ls_client_state state);

#ifdef __cplusplus
}
#endif

#endif
