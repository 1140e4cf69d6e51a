/* Recordings that a command line names by URL instead of by file: what `serve
 * --broadcast-dir` has published of a match so far, or a file that any web server has. Each is
 * copied to a file of its own, and its URL in the command line becomes that file. The server is not
 * trusted: the command checks the file as any other. fetched_recording.c,
 * fetched_recording_absent.c. */
#ifndef LS_FETCHED_RECORDING_H
#define LS_FETCHED_RECORDING_H

#include "cli/common/command.h"

/* A command that reads recordings. */
typedef struct ls_fetched_command {
    const char *name;
    ls_exit (*run)(int count, char **arguments);
    bool follows_matches; /* it fetches running matches itself */
    bool keeps_bad;       /* files stay when one of them diverges or is damaged */
} ls_fetched_command;

/* Runs the command, with files in the place of URLs in `arguments`, and removes these files at the
 * end of the process, or prints the names of those that stay on stderr. If a URL cannot be fetched,
 * the command does not run, and the error is the result. Without URLs this only runs the command.
 * It is called once in a process. */
ls_exit ls_fetched_recording_run(const ls_fetched_command *command, int count, char **arguments);

/* The URL from which a file was fetched; for other files `path` itself. */
const char *ls_fetched_recording_name(const char *path);

#endif
