/* The commands that Windows does not have yet. */
#include "cli/common/command.h"

#include <stdio.h>

static ls_exit refuse(const char *command, const char *reason)
{
    fprintf(stderr, "%s: not on Windows: %s\n", command, reason);
    return LS_EXIT_USAGE;
}

ls_exit ls_command_watch(int count, char **arguments)
{
    (void)count;
    return refuse(arguments[0],
                  "the terminal is drawn with ncurses; use `lockstep replay show`, or "
                  "watch the recording on Linux");
}

ls_exit ls_command_explain(int count, char **arguments)
{
    (void)count;
    return refuse(arguments[0],
                  "stores are watched on Linux only; run it there on the recording and "
                  "its evidence");
}
