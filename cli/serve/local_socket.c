#include "cli/serve/local_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int ls_local_socket_open(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* True when the path is free, or had the socket of a process that has ended. */
static bool make_room(const struct sockaddr_un *address, ls_local_socket_failure *failure)
{
    struct stat facts;
    if (lstat(address->sun_path, &facts) != 0)
        return true;
    *failure = LS_LOCAL_SOCKET_FOREIGN;
    if (!S_ISSOCK(facts.st_mode))
        return false;
    *failure = LS_LOCAL_SOCKET_IN_USE;
    int file = ls_local_socket_open();
    bool answers =
        file >= 0 && (connect(file, (const struct sockaddr *)address, sizeof *address) == 0 ||
                      errno != ECONNREFUSED);
    if (file >= 0)
        close(file);
    if (!answers)
        (void)unlink(address->sun_path);
    return !answers;
}

int ls_local_socket_bind(const char *path, ls_local_socket_failure *failure)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    LS_ASSERT(strlen(path) < sizeof address.sun_path);
    memcpy(address.sun_path, path, strlen(path));
    if (!make_room(&address, failure))
        return -1;
    *failure = LS_LOCAL_SOCKET_ERRNO;
    int file = ls_local_socket_open();
    /* fchmod() before bind() decides the mode of the file, without a moment in which others may
     * connect. */
    if (file >= 0 && fchmod(file, S_IRUSR | S_IWUSR) == 0 &&
        bind(file, (const struct sockaddr *)&address, sizeof address) == 0)
        return file;
    int reason = errno;
    if (file >= 0)
        close(file);
    errno = reason;
    return -1;
}
