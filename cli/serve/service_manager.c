#include "cli/serve/service_manager.h"

#include "cli/common/clock.h"
#include "server/room_table.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A name that begins with '@' is of the abstract namespace of Linux: its first byte is zero. */
static int connect_to(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t bytes = strlen(name);
    if ((name[0] != '/' && name[0] != '@') || bytes >= sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path, name, bytes);
    if (name[0] == '@')
        address.sun_path[0] = 0;
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + bytes);
    if (fd >= 0 && !fcntl(fd, F_SETFD, FD_CLOEXEC) && !fcntl(fd, F_SETFL, O_NONBLOCK) &&
        !connect(fd, (const struct sockaddr *)&address, size))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Half of the time after which the manager gives the server up, as its manual advises. */
static uint64_t watchdog_of(const char *us, const char *pid)
{
    if (!us || (pid && strtoll(pid, NULL, 10) != getpid()))
        return 0;
    return strtoull(us, NULL, 10) * 1000 / 2;
}

void ls_service_manager_find(ls_service_manager *manager)
{
    const char *name = getenv("NOTIFY_SOCKET");
    *manager = (ls_service_manager){.socket = name ? connect_to(name) : -1};
    manager->watchdog_ns = watchdog_of(getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID"));
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}

/* Sends a line. False: the manager does not take the line now. */
static bool say(const ls_service_manager *manager, const char *line)
{
    return send(manager->socket, line, strlen(line), MSG_NOSIGNAL) >= 0;
}

void ls_service_manager_say_stopping(ls_service_manager *manager)
{
    if (manager->socket >= 0 && !manager->is_stopping)
        (void)say(manager, "STOPPING=1"); /* if it is not taken, the manager sees the end */
    manager->is_stopping = true;
}

static void say_status(ls_service_manager *manager, const ls_server *server)
{
    ls_server_stats stats = ls_server_get_stats(server);
    char status[sizeof manager->status];
    snprintf(status, sizeof status, "STATUS=rooms: %" PRIu32 ", sessions: %" PRIu32, stats.rooms,
             stats.sessions);
    if (strcmp(status, manager->status) != 0 && say(manager, status))
        memcpy(manager->status, status, sizeof status);
}

void ls_service_manager_step(ls_service_manager *manager, const ls_server *server, uint64_t now_ns)
{
    if (manager->socket < 0)
        return;
    manager->is_ready = manager->is_ready || say(manager, "READY=1");
    if (now_ns >= manager->status_ns) {
        manager->status_ns = now_ns + LS_SECOND_NS;
        say_status(manager, server);
    }
    if (!manager->watchdog_ns || now_ns < manager->alive_ns)
        return;
    if (!ls_room_table_is_stalled(server) && say(manager, "WATCHDOG=1"))
        manager->alive_ns = now_ns + manager->watchdog_ns;
}

void ls_service_manager_close(ls_service_manager *manager)
{
    if (manager->socket >= 0)
        close(manager->socket);
    manager->socket = -1;
}
