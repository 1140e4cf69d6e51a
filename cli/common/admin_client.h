/* Asks a server over the socket of `serve --admin`. */
#ifndef LS_ADMIN_CLIENT_H
#define LS_ADMIN_CLIENT_H

#include "cli/common/admin_request.h"
#include "cli/common/admin_table.h"
#include "cli/common/argument_table.h"

/* --socket, for commands that ask a server. */
typedef struct ls_admin_socket {
    const char *path;
} ls_admin_socket;
extern const ls_arguments ls_admin_socket_arguments;

/* Longer answers are refused. */
#define LS_ADMIN_ANSWER_BYTES_MAX ((size_t)16 << 20)

typedef struct ls_admin_reply {
    bool is_table;
    int failed; /* 0, or the exit code of an error that the server tells */
    char *body; /* terminated */
    size_t bytes;
} ls_admin_reply;

/* Connects to the socket.
 *   errors  NOT_FOUND, REFUSED, IO, each with the remedy; USAGE: the path is too long
 *   owns    the caller closes *file, which is -1 after an error */
ls_status ls_admin_connect(const char *path, int *file, ls_error *error) LS_MUST_USE;
/* Sends a request and receives its answer. Waits at most 20 seconds for each part of the answer.
 *   errors  USAGE: no such request; IO; CORRUPT: an answer of another form
 *   owns    ls_free(reply->body) by the caller, also after an error */
ls_status ls_admin_ask(int file, ls_admin_verb verb, const char *const *arguments, uint32_t count,
                       ls_admin_reply *reply, ls_error *error) LS_MUST_USE;

#endif
