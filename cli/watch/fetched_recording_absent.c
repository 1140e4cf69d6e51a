/* Recordings by URL in a program without an HTTP client. */
#include "cli/watch/fetched_recording.h"

#include <stdio.h>
#include <string.h>

ls_exit ls_fetched_recording_run(const ls_fetched_command *command, int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        if (strncmp(arguments[i], "http://", 7) != 0 && strncmp(arguments[i], "https://", 8) != 0)
            continue;
        fprintf(stderr,
                "lockstep %s: %.256s: not on Windows: there is no HTTP client there; save the "
                "recording as a file\n",
                command->name, arguments[i]);
        return LS_EXIT_USAGE;
    }
    return command->run(count, arguments);
}

const char *ls_fetched_recording_name(const char *path)
{
    return path;
}
