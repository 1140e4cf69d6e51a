/* The command that Windows does not have. */
#include "cli/common/command.h"

#include <stdio.h>

ls_exit ls_command_watch(int count, char **arguments)
{
    (void)count;
    fprintf(stderr,
            "%s: not on Windows: the terminal is drawn with ncurses; use `lockstep replay print`, "
            "or watch the recording on Linux\n",
            arguments[0]);
    return LS_EXIT_USAGE;
}
