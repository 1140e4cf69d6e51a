/* The commands that Windows does not have. */
#include "cli/common/command.h"

#include <stdio.h>

ls_exit ls_command_watch(int count, char **arguments)
{
    (void)count;
    fprintf(stderr,
            "%s: not on Windows: there is no terminal (ncurses) and no web page (libwebsockets) "
            "there; use `lockstep replay print`, or watch the recording on Linux\n",
            arguments[0]);
    return LS_EXIT_USAGE;
}

static ls_exit refuse_admin(const char *command)
{
    fprintf(stderr, "%s: not on Windows: a server has no admin socket there; run it on Linux\n",
            command);
    return LS_EXIT_USAGE;
}

ls_exit ls_command_admin(int count, char **arguments)
{
    (void)count;
    return refuse_admin(arguments[0]);
}

ls_exit ls_command_top(int count, char **arguments)
{
    (void)count;
    return refuse_admin(arguments[0]);
}
