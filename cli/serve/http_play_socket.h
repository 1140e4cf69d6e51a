/* The socket of a player by WebSocket. */
#ifndef LS_HTTP_PLAY_SOCKET_H
#define LS_HTTP_PLAY_SOCKET_H

/* Asks the system to take few bytes that are not sent yet, so that ticks wait where old ones can be
 * dropped. A system without the option only sends older ticks. */
void ls_http_play_socket_prepare(int file);

#endif
