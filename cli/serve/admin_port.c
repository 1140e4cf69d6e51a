#include "cli/serve/admin_port.h"

#include "cli/common/clock.h"
#include "cli/serve/local_socket.h"
#include "core/base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* One connection: it sends a line, takes the answer, and may then send the next line. */
struct connection {
    int file; /* -1: none */
    ls_admin_caller caller;
    /* When it began, or its last answer was made or sent: the timeout counts from then. */
    uint64_t since_ns;
    size_t used; /* bytes of `line` */
    char line[LS_ADMIN_LINE_BYTES_MAX];
    ls_builder answer;
    size_t sent;
    bool ends; /* after the answer */
};

struct ls_admin_port {
    ls_admin_facts facts;
    struct sockaddr_un address;
    int listener, wakes[2]; /* wakes: a pipe that ends the thread */
    ls_thread thread;
    struct connection connections[LS_ADMIN_CONNECTIONS_MAX];
};

static void drop(struct connection *connection)
{
    close(connection->file);
    ls_free(connection->answer.data);
    *connection = (struct connection){.file = -1};
}

/* Refuses users other than root and that of the server. */
static void check_user(struct connection *connection, const ls_admin_facts *facts)
{
    struct ucred other = {0};
    socklen_t bytes = sizeof other;
    char line[160];
    if (getsockopt(connection->file, SOL_SOCKET, SO_PEERCRED, &other, &bytes) != 0) {
        connection->ends = true;
        ls_admin_answer_error(&connection->answer, LS_ERROR_REFUSED, strerror(errno));
        return;
    }
    connection->caller = (ls_admin_caller){.user = other.uid, .process = (uint32_t)other.pid};
    if (other.uid == 0 || other.uid == geteuid())
        return;
    ls_log_print(facts->log, "admin_refused user=%u process=%d", other.uid, (int)other.pid);
    snprintf(line, sizeof line, "user %u may not: ask as root or as the user of the server, %u",
             other.uid, geteuid());
    ls_admin_answer_error(&connection->answer, LS_ERROR_REFUSED, line);
    connection->ends = true;
}

static void accept_one(ls_admin_port *port)
{
    struct connection *free_one = NULL;
    for (uint32_t i = 0; !free_one && i < LS_ADMIN_CONNECTIONS_MAX; i++)
        if (port->connections[i].file < 0)
            free_one = &port->connections[i];
    if (!free_one)
        return;
    int file = accept4(port->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (file < 0)
        return;
    *free_one = (struct connection){.file = file, .since_ns = ls_monotonic_ns()};
    check_user(free_one, &port->facts);
}

/* Answers the first line that is whole. */
static void answer_line(const ls_admin_port *port, struct connection *connection)
{
    char *end = memchr(connection->line, '\n', connection->used);
    if (connection->answer.count)
        return;
    if (!end && connection->used == sizeof connection->line) {
        ls_admin_answer_error(&connection->answer, LS_ERROR_USAGE, "the line is too long");
        connection->ends = true;
        return;
    }
    if (!end)
        return;
    size_t bytes = (size_t)(end - connection->line);
    ls_admin_answer_line(&port->facts, &connection->caller, connection->line, bytes,
                         &connection->answer);
    connection->used -= bytes + 1;
    memmove(connection->line, end + 1, connection->used);
    connection->since_ns = ls_monotonic_ns();
}

static void receive(struct connection *connection)
{
    ssize_t got = recv(connection->file, connection->line + connection->used,
                       sizeof connection->line - connection->used, 0);
    if (got > 0)
        connection->used += (size_t)got;
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        drop(connection);
}

static void send_answer(struct connection *connection)
{
    ls_builder *answer = &connection->answer;
    ssize_t sent = send(connection->file, answer->data + connection->sent,
                        answer->count - connection->sent, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        drop(connection);
        return;
    }
    connection->sent += sent > 0 ? (size_t)sent : 0;
    if (connection->sent < answer->count)
        return;
    if (connection->ends) {
        drop(connection);
        return;
    }
    ls_free(answer->data);
    *answer = (ls_builder){0};
    connection->sent = 0;
    connection->since_ns = ls_monotonic_ns();
}

static void step_connection(const ls_admin_port *port, struct connection *connection, short revents)
{
    if (revents & POLLIN)
        receive(connection);
    else if (revents & POLLOUT)
        send_answer(connection);
    else if (revents & (POLLHUP | POLLERR))
        drop(connection);
    if (connection->file >= 0)
        answer_line(port, connection);
    if (connection->file >= 0 &&
        ls_monotonic_ns() - connection->since_ns > LS_ADMIN_TIMEOUT_S * LS_SECOND_NS)
        drop(connection);
}

static void run(void *argument)
{
    ls_admin_port *port = argument;
    struct pollfd files[2 + LS_ADMIN_CONNECTIONS_MAX];
    for (;;) {
        bool has_free = false;
        for (uint32_t i = 0; i < LS_ADMIN_CONNECTIONS_MAX; i++) {
            const struct connection *connection = &port->connections[i];
            has_free |= connection->file < 0;
            files[2 + i] = (struct pollfd){.fd = connection->file,
                                           .events = connection->answer.count ? POLLOUT : POLLIN};
        }
        files[0] = (struct pollfd){.fd = port->wakes[0], .events = POLLIN};
        files[1] = (struct pollfd){.fd = has_free ? port->listener : -1, .events = POLLIN};
        (void)poll(files, LS_COUNT_OF(files), 1000);
        if (files[0].revents)
            return;
        for (uint32_t i = 0; i < LS_ADMIN_CONNECTIONS_MAX; i++)
            if (port->connections[i].file >= 0)
                step_connection(port, &port->connections[i], files[2 + i].revents);
        if (files[1].revents)
            accept_one(port);
    }
}

static ls_status bind_socket(ls_admin_port *port, ls_error *error)
{
    const char *path = port->address.sun_path;
    ls_local_socket_failure failure;
    port->listener = ls_local_socket_bind(path, &failure);
    if (port->listener < 0 && failure == LS_LOCAL_SOCKET_FOREIGN)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "--admin %s: this is a file that is no socket; name another path",
                            path);
    if (port->listener < 0 && failure == LS_LOCAL_SOCKET_IN_USE)
        return ls_error_set(error, LS_ERROR_IO,
                            "--admin %s: another server answers there; name another path", path);
    if (port->listener < 0)
        return ls_error_set(error, LS_ERROR_IO, "--admin %s: %s%s", path, strerror(errno),
                            errno == ENOENT ? "; make its folder first" : "");
    if (listen(port->listener, SOMAXCONN) == 0 && pipe2(port->wakes, O_CLOEXEC) == 0 &&
        ls_thread_start(&port->thread, run, port))
        return LS_OK;
    unlink(path);
    return ls_error_set(error, LS_ERROR_IO, "--admin %s: no memory or no thread", path);
}

static void free_port(ls_admin_port *port)
{
    const int files[] = {port->listener, port->wakes[0], port->wakes[1]};
    for (size_t i = 0; i < LS_COUNT_OF(files); i++)
        if (files[i] >= 0)
            close(files[i]);
    for (uint32_t i = 0; i < LS_ADMIN_CONNECTIONS_MAX; i++)
        if (port->connections[i].file >= 0)
            drop(&port->connections[i]);
    ls_free(port);
}

ls_status ls_admin_port_open(const char *path, const ls_admin_facts *facts, ls_admin_port **port,
                             ls_error *error)
{
    *port = NULL;
    ls_admin_port *self = ls_alloc(sizeof *self);
    *self = (ls_admin_port){
        .facts = *facts, .address.sun_family = AF_UNIX, .listener = -1, .wakes = {-1, -1}};
    for (uint32_t i = 0; i < LS_ADMIN_CONNECTIONS_MAX; i++)
        self->connections[i].file = -1;
    ls_status status = LS_OK;
    if (!path[0] || strlen(path) >= sizeof self->address.sun_path)
        status = ls_error_set(error, LS_ERROR_USAGE,
                              "--admin %.120s: the path of a socket has 1 to %zu bytes", path,
                              sizeof self->address.sun_path - 1);
    else
        memcpy(self->address.sun_path, path, strlen(path));
    if (!status)
        status = bind_socket(self, error);
    if (status) {
        free_port(self);
        return status;
    }
    *port = self;
    return LS_OK;
}

void ls_admin_port_close(ls_admin_port *port)
{
    if (!port)
        return;
    unlink(port->address.sun_path);
    close(port->wakes[1]);
    port->wakes[1] = -1;
    ls_thread_join(&port->thread);
    free_port(port);
}
