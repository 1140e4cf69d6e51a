#include "cli/serve/successor_socket.h"

#include "cli/serve/local_socket.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static ls_status make_address(const char *folder, struct sockaddr_un *address, ls_error *error)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int used = snprintf(address->sun_path, sizeof address->sun_path, "%s/.successor", folder);
    if (used >= 0 && (size_t)used < sizeof address->sun_path)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_LIMIT,
                        "%.300s/.successor: the path of a socket has at most %zu bytes", folder,
                        sizeof address->sun_path - 1);
}

ls_status ls_successor_listen(const char *folder, int *listener, ls_error *error)
{
    struct sockaddr_un address;
    *listener = -1;
    ls_status status = make_address(folder, &address, error);
    if (status)
        return status;
    ls_local_socket_failure failure;
    *listener = ls_local_socket_bind(address.sun_path, &failure);
    if (*listener < 0 && failure == LS_LOCAL_SOCKET_FOREIGN)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s: this is a file that is no socket; remove it", address.sun_path);
    if (*listener < 0 && failure == LS_LOCAL_SOCKET_IN_USE)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "%s: another server waits already for the matches of this folder",
                            address.sun_path);
    if (*listener >= 0 && listen(*listener, SOMAXCONN) == 0)
        return LS_OK;
    status = ls_error_set(error, LS_ERROR_IO, "%s: %s", address.sun_path, strerror(errno));
    if (*listener >= 0)
        close(*listener);
    *listener = -1;
    return status;
}

void ls_successor_unlisten(const char *folder, int listener)
{
    struct sockaddr_un address;
    if (listener < 0 || make_address(folder, &address, NULL))
        return;
    (void)unlink(address.sun_path);
    close(listener);
}

/* Whether the other side is of this user or of root. */
static bool is_trusted(int file)
{
    struct ucred other = {0};
    socklen_t bytes = sizeof other;
    return getsockopt(file, SOL_SOCKET, SO_PEERCRED, &other, &bytes) == 0 &&
           (other.uid == 0 || other.uid == geteuid());
}

bool ls_successor_accept(int listener, ls_successor_socket *socket)
{
    *socket =
        (ls_successor_socket){.file = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (socket->file >= 0 && !is_trusted(socket->file))
        ls_successor_close(socket);
    return socket->file >= 0;
}

ls_status ls_successor_connect(const char *folder, ls_successor_socket *socket, ls_error *error)
{
    struct sockaddr_un address;
    *socket = (ls_successor_socket){.file = -1};
    ls_status status = make_address(folder, &address, error);
    if (status)
        return status;
    socket->file = ls_local_socket_open();
    if (socket->file >= 0 &&
        connect(socket->file, (struct sockaddr *)&address, sizeof address) == 0 &&
        is_trusted(socket->file))
        return LS_OK;
    ls_successor_close(socket);
    return ls_error_set(error, LS_ERROR_REFUSED,
                        "no server waits in %.300s for the matches of this one: start it with "
                        "`serve --take-over --resume` and this folder",
                        folder);
}

void ls_successor_close(ls_successor_socket *socket)
{
    if (socket->file >= 0)
        close(socket->file);
    socket->file = -1;
    socket->used = 0;
}

void ls_successor_send(ls_successor_socket *socket, const char *format, ...)
{
    char line[LS_SUCCESSOR_LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (socket->file < 0)
        return;
    size_t count = bytes < 0 ? 0 : (size_t)bytes;
    if (count > sizeof line - 2)
        count = sizeof line - 2;
    line[count++] = '\n';
    /* When the other side has closed, what it said before can still be read. */
    if (send(socket->file, line, count, MSG_NOSIGNAL) != (ssize_t)count && errno != EPIPE)
        ls_successor_close(socket);
}

static bool take_line(ls_successor_socket *socket, char line[LS_SUCCESSOR_LINE_BYTES])
{
    char *end = memchr(socket->bytes, '\n', socket->used);
    if (!end)
        return false;
    size_t bytes = (size_t)(end - socket->bytes);
    memcpy(line, socket->bytes, bytes);
    line[bytes] = 0;
    socket->used -= bytes + 1;
    memmove(socket->bytes, end + 1, socket->used);
    return strlen(line) == bytes;
}

bool ls_successor_receive(ls_successor_socket *socket, char line[LS_SUCCESSOR_LINE_BYTES])
{
    if (socket->file < 0)
        return false;
    if (take_line(socket, line))
        return true;
    ssize_t got =
        recv(socket->file, socket->bytes + socket->used, sizeof socket->bytes - socket->used, 0);
    if (got > 0)
        socket->used += (size_t)got;
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        ls_successor_close(socket);
    return socket->file >= 0 && take_line(socket, line);
}
