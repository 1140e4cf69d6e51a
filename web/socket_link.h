/* The link of a client in a browser (docs/protocol.md, The WebSocket carrier). It knows no socket:
 * the page opens one WebSocket at a time, gives its messages to the link, and sends those that the
 * link has. */
#ifndef LS_SOCKET_LINK_H
#define LS_SOCKET_LINK_H

#include <lockstep/link.h>

/* Messages that wait for the client, and for the page. */
#define LS_SOCKET_LINK_QUEUE 256
/* How long after its ACCEPT a server takes the message CONNECT. */
#define LS_SOCKET_LINK_CONNECT_NS (5 * LS_SECOND_NS)

/* Creates a link that wants a WebSocket.
 *   owns  ls_link_destroy() by the caller */
ls_link *ls_socket_link_create(void) LS_MUST_USE;

/* Whether the page has to open a WebSocket, and to close an earlier one: a session begins on a new
 * one. False when called again, until another is needed. */
bool ls_socket_link_take_wish(ls_link *link);
void ls_socket_link_opened(ls_link *link);
/* The WebSocket is closed, or could not be opened. */
void ls_socket_link_closed(ls_link *link);
/* Whether the client has ended the connection: the page closes the WebSocket when all is sent. */
bool ls_socket_link_is_ended(const ls_link *link);

/* Takes a message of the WebSocket. False: the queue is full; the connection then counts as
 * closed, because a lost control packet would never be repeated. */
bool ls_socket_link_receive(ls_link *link, const ls_packet *message, uint64_t now_ns);
/* The next message to send, valid until the next call of this link; false: there is none. */
bool ls_socket_link_next(ls_link *link, ls_packet *message);

#endif
