#include "cli/common/admin_client.h"

#include "cli/common/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* A request has at most two tasks of LS_ADMIN_TASK_TIMEOUT_NS in the server. */
#define ANSWER_S       20
#define HEAD_BYTES_MAX 64

/* A container that has the variable of `serve` needs no option here. */
static void check_socket(const ls_argument_state *state, void *input)
{
    ls_admin_socket *options = input;
    if (!options->path)
        options->path = getenv("LOCKSTEP_SERVE_ADMIN");
    if (!options->path || !options->path[0])
        ls_argument_fail(state, "--socket is missing: the PATH of `lockstep serve --admin PATH`");
}

static const ls_argument socket_list[] = {
    LS_ARGUMENT_TITLE("Server:"),
    LS_ARGUMENT_TEXT("socket", "PATH", ls_admin_socket, path,
                     "Ask the server that has this path in --admin (default: the variable "
                     "LOCKSTEP_SERVE_ADMIN)"),
    {0},
};
const ls_arguments ls_admin_socket_arguments = {.list = socket_list, .check = check_socket};

static ls_status fail_connect(const char *path, int code, ls_error *error)
{
    if (code == ENOENT)
        return ls_error_set(error, LS_ERROR_NOT_FOUND,
                            "%.300s: there is no such socket; `lockstep serve --admin PATH` makes "
                            "one",
                            path);
    if (code == ECONNREFUSED)
        return ls_error_set(error, LS_ERROR_IO, "%.300s: the server has ended", path);
    if (code == EACCES)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "%.300s: run this as root, or as the user of the server", path);
    return ls_error_set(error, LS_ERROR_IO, "%.300s: %s", path, strerror(code));
}

ls_status ls_admin_connect(const char *path, int *file, ls_error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timeval timeout = {.tv_sec = ANSWER_S};
    *file = -1;
    if (strlen(path) >= sizeof address.sun_path)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%.120s: the path of a socket has at most %zu "
                            "bytes",
                            path, sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path));
    *file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*file >= 0 && setsockopt(*file, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0 &&
        connect(*file, (const struct sockaddr *)&address, sizeof address) == 0)
        return LS_OK;
    int code = errno;
    if (*file >= 0)
        close(*file);
    *file = -1;
    return fail_connect(path, code, error);
}

/* Receives `count` bytes; an end of the connection before them is an error. */
static ls_status receive(int file, char *data, size_t count, ls_error *error)
{
    for (size_t used = 0; used < count;) {
        ssize_t got = recv(file, data + used, count - used, 0);
        if (got > 0)
            used += (size_t)got;
        else if (got == 0)
            return ls_error_set(error, LS_ERROR_IO, "the server has closed the connection");
        else if (errno == EAGAIN)
            return ls_error_set(error, LS_ERROR_IO, "the server has not answered for %d seconds",
                                ANSWER_S);
        else if (errno != EINTR)
            return ls_error_set(error, LS_ERROR_IO, "the server: %s", strerror(errno));
    }
    return LS_OK;
}

static ls_status refuse_answer(ls_error *error)
{
    return ls_error_set(error, LS_ERROR_CORRUPT,
                        "the answer cannot be read; is the server another version of lockstep?");
}

/* Receives the first line of the answer, byte by byte: what follows is the body. */
static ls_status receive_head(int file, char head[HEAD_BYTES_MAX], ls_error *error)
{
    for (size_t used = 0; used + 1 < HEAD_BYTES_MAX; used++) {
        ls_status status = receive(file, head + used, 1, error);
        if (status)
            return status;
        if (head[used] != '\n')
            continue;
        head[used] = 0;
        return LS_OK;
    }
    return refuse_answer(error);
}

static bool parse_head(const char *head, ls_admin_reply *reply)
{
    int end = 0;
    if (sscanf(head, "table %zu%n", &reply->bytes, &end) == 1 && !head[end])
        reply->is_table = true;
    else if (!(sscanf(head, "text %zu%n", &reply->bytes, &end) == 1 && !head[end]) &&
             !(sscanf(head, "error %d %zu%n", &reply->failed, &reply->bytes, &end) == 2 &&
               !head[end] && reply->failed > 0))
        return false;
    return reply->bytes <= LS_ADMIN_ANSWER_BYTES_MAX;
}

ls_status ls_admin_ask(int file, ls_admin_verb verb, const char *const *arguments, uint32_t count,
                       ls_admin_reply *reply, ls_error *error)
{
    char line[LS_ADMIN_LINE_BYTES_MAX], head[HEAD_BYTES_MAX];
    *reply = (ls_admin_reply){0};
    ls_status status = ls_admin_request_format(verb, arguments, count, line, error);
    if (status)
        return status;
    size_t bytes = strlen(line);
    /* A failed send is no error: a server that refuses this user answers and closes without
     * reading. */
    (void)(send(file, line, bytes, MSG_NOSIGNAL) == (ssize_t)bytes);
    status = receive_head(file, head, error);
    if (!status && !parse_head(head, reply))
        status = refuse_answer(error);
    if (status)
        return status;
    reply->body = ls_alloc(reply->bytes + 1);
    return receive(file, reply->body, reply->bytes, error);
}
