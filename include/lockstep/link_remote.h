/* Two questions to a link about a remote: the budgets that count it, and a word for the log. And
 * one request: to turn to it. */
#ifndef LS_LINK_REMOTE_H
#define LS_LINK_REMOTE_H

#include <lockstep/link.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the host and network to whose budgets a remote is charged. Every remote that an event had
 * is allowed; one that is gone may count as a host of its own. */
LS_API ls_remote_origin ls_link_locate(const ls_link *link, const ls_remote *remote);

/* Writes the remote as one word for logs, e.g. "192.0.2.1:40001", in printable ASCII: '?' replaces
 * spaces, quotes and everything else that the link may have written. */
LS_API void ls_link_describe(const ls_link *link, const ls_remote *remote,
                             char text[LS_REMOTE_TEXT_BYTES]);

/* Client: its server is at another remote from now on, as the server itself has said. An earlier
 * connection is dropped without an event. Over IP, a server elsewhere may not name an address of
 * this machine: the client would knock at services that trust their own host.
 *   errors  LS_ERROR_REFUSED: the link may not or cannot reach that remote; nothing has changed */
LS_API ls_status ls_link_redirect(ls_link *link, const ls_remote *to) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
