/* The subcommands of `lockstep`, and their exit codes: only this module turns a status into an exit
 * code. */
#ifndef LS_COMMAND_H
#define LS_COMMAND_H

#include <lockstep/base.h>

/* The exit codes. `lockstep --help` documents them; scripts and container checks rely on them. */
typedef enum ls_exit {
    LS_EXIT_GOOD = 0,
    LS_EXIT_DIVERGED = 1, /* two machines, two runs or a recording disagree */
    LS_EXIT_USAGE = 2,
    LS_EXIT_INCOMPATIBLE = 3,
    LS_EXIT_CORRUPT = 4,
    LS_EXIT_MACHINE = 5, /* a file, a socket, memory or the network failed */
    LS_EXIT_REFUSED = 6, /* a schedule does not build, or a peer may not enter */
    LS_EXIT_CRASHED = 7, /* the simulation crashed its process */
    LS_EXIT_STUCK = 8,   /* the process was asked to stop, and something kept it */
    LS_EXIT_FAILED = 9,  /* a match could not continue */
} ls_exit;

ls_exit ls_exit_of(ls_status status);

/* One subcommand. `run` gets an argument vector as main() does: arguments[0] is "lockstep NAME",
 * and arguments[count] is NULL. */
typedef struct ls_command {
    const char *name;
    const char *summary;
    ls_exit (*run)(int count, char **arguments);
} ls_command;

/* Prints "lockstep NAME: text" on stderr and returns the exit code for the status. */
ls_exit ls_command_fail(const char *command, ls_status status, const ls_error *error);

ls_exit ls_command_source_hash(int count, char **arguments);
ls_exit ls_command_serve(int count, char **arguments);
ls_exit ls_command_join(int count, char **arguments);
ls_exit ls_command_replay(int count, char **arguments);
ls_exit ls_command_verify(int count, char **arguments);
ls_exit ls_command_watch(int count, char **arguments);
ls_exit ls_command_run(int count, char **arguments);
ls_exit ls_command_sims(int count, char **arguments);
ls_exit ls_command_relay(int count, char **arguments);
ls_exit ls_command_keygen(int count, char **arguments);
ls_exit ls_command_token(int count, char **arguments);
ls_exit ls_command_schedule(int count, char **arguments);
ls_exit ls_command_bisect(int count, char **arguments);
ls_exit ls_command_check(int count, char **arguments);
ls_exit ls_command_explain(int count, char **arguments);
ls_exit ls_command_admin(int count, char **arguments);
ls_exit ls_command_lobby(int count, char **arguments);
ls_exit ls_command_top(int count, char **arguments);
ls_exit ls_command_completion(int count, char **arguments);

#endif
