#include "cli/common/command.h"

#include <stdio.h>

ls_exit ls_exit_of(ls_status status)
{
    switch (status) {
    case LS_OK:
        return LS_EXIT_GOOD;
    case LS_ERROR_USAGE:
    case LS_ERROR_LIMIT:
    case LS_ERROR_NOT_FOUND:
        return LS_EXIT_USAGE;
    case LS_ERROR_INCOMPATIBLE:
        return LS_EXIT_INCOMPATIBLE;
    case LS_ERROR_CORRUPT:
        return LS_EXIT_CORRUPT;
    case LS_ERROR_REFUSED:
        return LS_EXIT_REFUSED;
    case LS_ERROR_DIVERGED:
        return LS_EXIT_DIVERGED;
    case LS_ERROR_IO:
        return LS_EXIT_MACHINE;
    case LS_ERROR_FAILED:
        return LS_EXIT_FAILED;
    }
    return LS_EXIT_MACHINE;
}

ls_exit ls_command_fail(const char *command, ls_status status, const ls_error *error)
{
    fflush(stdout);
    fprintf(stderr, "lockstep %s: %s\n", command, error->text);
    return ls_exit_of(status);
}
