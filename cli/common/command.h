/* The subcommands of `lockstep` and how a process ends: every status becomes an exit code here and
 * nowhere else. */
#ifndef LS_COMMAND_H
#define LS_COMMAND_H

#include <lockstep/base.h>

/* Promised in `lockstep --help`; scripts and container checks rely on them. */
typedef enum ls_exit {
    LS_EXIT_GOOD = 0,
    LS_EXIT_DIVERGED = 1, /* two machines, two runs or a recording disagree */
    LS_EXIT_USAGE = 2,
    LS_EXIT_INCOMPATIBLE = 3,
    LS_EXIT_CORRUPT = 4,
    LS_EXIT_MACHINE = 5, /* file, socket, memory, network */
    LS_EXIT_REFUSED = 6, /* a schedule that does not build, a peer that may not enter */
    LS_EXIT_CRASHED = 7, /* the simulation took its process with it */
    LS_EXIT_STUCK = 8,   /* asked to stop, and something did not let it */
    LS_EXIT_FAILED = 9,  /* a match that could not go on */
} ls_exit;

ls_exit ls_exit_of(ls_status status);

/* One subcommand. `run` gets its own argument vector: arguments[0] is "lockstep NAME", and
 * arguments[count] is NULL, as main has it. */
typedef struct ls_command {
    const char *name;
    const char *summary;
    ls_exit (*run)(int count, char **arguments);
} ls_command;

/* Prints "lockstep NAME: text" on stderr and gives the exit code that belongs to the status. */
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

#endif
