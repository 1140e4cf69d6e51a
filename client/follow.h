/* Follows the match to another address of its server (NOTICE FOLLOW, or an ACCEPT that forwards).
 */
#ifndef LS_FOLLOW_H
#define LS_FOLLOW_H

#include "client/connect.h"

/* Turns the link to the address that the server at `from` has named. The caller then resumes there,
 * where only a server with the same key can answer. False when the client does not follow, and the
 * session goes on as if nothing had been said: the address is this machine's and the server's is
 * not, the link cannot reach it, or the client has followed LS_CLIENT_FOLLOWS times in a minute. */
bool ls_follow(ls_connect *connect, const ls_remote *from) LS_MUST_USE;

#endif
