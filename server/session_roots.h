/* Handles the roots that a client reports: compares them, lets the player join, requests more,
 * announces the verdict. */
#ifndef LS_SESSION_ROOTS_H
#define LS_SESSION_ROOTS_H

#include "server/server_session.h"

/* Takes the roots of an update. */
void ls_session_roots_receive(ls_server_session *session, const ls_update *update, uint64_t now_ns);
/* Checks held reports against new roots. May end the session. */
void ls_session_roots_check_held(ls_server_session *session, uint64_t now_ns);
/* Applies the desync policy to a client that sends messages but no roots: a diverged client could
 * hide by omitting them. This and the next function return false when they have ended the
 * session. */
bool ls_session_roots_check_mute(ls_server_session *session, uint64_t now_ns);
/* Announces a session's verdict once, when it falls, and applies the room's desync policy. */
bool ls_session_roots_check_verdict(ls_server_session *session, uint64_t now_ns);
/* Tells the client to load a snapshot of this tick or later. False when that has ended the
 * session. */
bool ls_session_roots_tell_reload(ls_server_session *session, const char *why, uint64_t now_ns);
/* Whether the client was told to load a snapshot and has not asked for it. */
bool ls_session_roots_is_reloading(const ls_server_session *session);

#endif
