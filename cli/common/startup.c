#include "cli/common/startup.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

/* Opens missing standard streams as /dev/null. Otherwise the next opened file would get such a
 * descriptor, and our own output would end in a recording. */
char **ls_startup_begin(int *count, char **arguments)
{
    int file;
    (void)count;
    do
        file = open("/dev/null", O_RDWR);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0)
        close(file);
    return arguments;
}

bool ls_startup_has_lost_reader(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) > 0 && (output.revents & POLLERR);
}
