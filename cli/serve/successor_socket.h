/* The socket between a server and the process that takes its matches over: FOLDER/.successor, in
 * the folder of their recordings, for the user of both. Each side sends lines:
 *
 *   successor                          server that is drained
 *   successor FINGERPRINT KEY SIM -->  at once; SIM is the name of its simulation
 *                                <--   take NAME.lsr: its recording is released
 *   taken NAME.lsr               -->   it is restored; or: failed NAME.lsr REASON
 *                                <--   done: no match follows; or: stop: not now, but maybe later
 *
 * No call waits. */
#ifndef LS_SUCCESSOR_SOCKET_H
#define LS_SUCCESSOR_SOCKET_H

#include <lockstep/base.h>

#define LS_SUCCESSOR_LINE_BYTES 1024

typedef struct ls_successor_socket {
    int file; /* -1: none */
    size_t used;
    char bytes[LS_SUCCESSOR_LINE_BYTES];
} ls_successor_socket;

/* Opens the socket in a folder, and replaces one that a dead process has left.
 *   errors  REFUSED: another process waits there; USAGE: the name is that of another file; LIMIT:
 *           the path is too long; IO
 *   owns    *listener: ls_successor_unlisten() */
ls_status ls_successor_listen(const char *folder, int *listener, ls_error *error) LS_MUST_USE;
void ls_successor_unlisten(const char *folder, int listener);
/* Takes the connection of a process of the same user or of root. False: none has come. */
bool ls_successor_accept(int listener, ls_successor_socket *socket) LS_MUST_USE;

/* Connects to the process that waits in a folder.
 *   errors  REFUSED: none does, or the connection fails; LIMIT: the path is too long */
ls_status ls_successor_connect(const char *folder, ls_successor_socket *socket,
                               ls_error *error) LS_MUST_USE;
void ls_successor_close(ls_successor_socket *socket);

/* Sends a line. A failure closes the socket: a line is so short that it only fails if the other
 * side does not read. If the other side has closed, ls_successor_receive() finds out after the last
 * line from there. */
void ls_successor_send(ls_successor_socket *socket, const char *format, ...) LS_PRINTF(2, 3);
/* Takes the next line without its end; false: none has come. Closes the socket when the other side
 * has closed it or sends no lines. */
bool ls_successor_receive(ls_successor_socket *socket,
                          char line[LS_SUCCESSOR_LINE_BYTES]) LS_MUST_USE;

#endif
