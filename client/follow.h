/* Follows the match to another address of its server (NOTICE FOLLOW, or an ACCEPT that forwards).
 */
#ifndef LS_FOLLOW_H
#define LS_FOLLOW_H

#include "client/connect.h"

/* Redirects the link to the address that the server has named (`led_to`). The caller then resumes
 * there, where only a server with the same key can answer. False when the client does not follow:
 * the link refuses the address, or the client has followed LS_CLIENT_FOLLOWS times in a minute. The
 * session then goes on as if the server had named none. */
bool ls_follow(ls_connect *connect) LS_MUST_USE;

#endif
