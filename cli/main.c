/* lockstep: one binary, a file for each subcommand. This one only finds the subcommand. */
#include "cli/build.h"
#include "cli/command.h"
#include "cli/suggest.h"

#include <argp.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const ls_command commands[] = {
    {"serve", "run a match that others join over the network", ls_command_serve},
    {"join", "join a match with bots or as a spectator", ls_command_join},
    {"relay", "pass a match's packets on as a bad network would", ls_command_relay},
    {"verify", "re-simulate a recording and compare the hash of every tick", ls_command_verify},
    {"replay", "look into a recording: any tick, differences, parts of it", ls_command_replay},
    {"watch", "look at a recording in the terminal, forward and back", ls_command_watch},
    {"run", "run a simulation here, without a network", ls_command_run},
    {"sims", "list the simulations that are built in and their options", ls_command_sims},
    {"keygen", "make a server's identity or a matchmaker's key", ls_command_keygen},
    {"token", "issue a connect pass for a player, or look into one", ls_command_token},
    {"schedule", "look at a simulation's systems: list, check, graph, times", ls_command_schedule},
    {"bisect", "find the first tick, system and store in which two runs differ", ls_command_bisect},
    {"check", "find out whether a simulation is deterministic", ls_command_check},
    {"explain", "find the cause of a desync", ls_command_explain},
};

static void print_help(FILE *stream)
{
    fputs("Usage: lockstep COMMAND [OPTION...]\n\n"
          "Deterministic lockstep: only inputs cross the network, every machine simulates, and a\n"
          "hash per tick proves that all agree.\n\n",
          stream);
    for (size_t i = 0; i < LS_COUNT_OF(commands); i++)
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n`lockstep COMMAND --help` lists the options of one; `lockstep --version` says which\n"
          "build this is.\n\n"
          "Exit codes: 0 good; 1 diverged (machines, runs or a recording disagree; a failed\n"
          "--healthcheck too); 2 wrong use: an option, a name, a file that is not there, a wrong\n"
          "description of a simulation; 3 incompatible: another version or simulation; 4 corrupt:\n"
          "a damaged file; 5 the machine: disk, port, network, memory; 6 refused: a schedule that\n"
          "is ambiguous, a server that says no or is not who it was; 7 crashed: the simulation,\n"
          "in a process that was made for it; 8 stuck: a server or a player that was told to stop\n"
          "and hung; 9 failed: a server of which a match could not go on; 130 or 143 for a second\n"
          "signal; 134 for an assertion, of ours or of the simulation.\n",
          stream);
}

static const ls_command *find(const char *name)
{
    for (size_t i = 0; i < LS_COUNT_OF(commands); i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static ls_exit fail_unknown(const char *typed)
{
    const char *names[LS_COUNT_OF(commands)];
    for (size_t i = 0; i < LS_COUNT_OF(commands); i++)
        names[i] = commands[i].name;
    const char *nearest = ls_suggest(typed, names, LS_COUNT_OF(names));
    if (nearest)
        fprintf(stderr, "lockstep: unknown command '%s', did you mean '%s'?\n", typed, nearest);
    else
        fprintf(stderr, "lockstep: unknown command '%s'; see `lockstep --help`\n", typed);
    return LS_EXIT_USAGE;
}

static bool is_one_of(const char *text, const char *a, const char *b)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

/* Started without them, the next file opened would get their numbers: our own prints would go into
 * a recording. */
static void keep_standard_streams(void)
{
    int file;
    do
        file = open("/dev/null", O_RDWR);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0)
        close(file);
}

/* Results that nobody could read are not good. A reader who went away has seen enough: `serve`
 * and `join` go on without one. argp ends the process for --help, hence at exit. */
static void check_output(int code, void *unused)
{
    (void)unused;
    int flushed = fflush(stdout);
    if ((flushed == 0 && !ferror(stdout)) || code != LS_EXIT_GOOD)
        return;
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (poll(&output, 1, 0) > 0 && (output.revents & POLLERR))
        return;
    fputs("lockstep: the output is incomplete: stdout cannot be written (is the disk full?)\n",
          stderr);
    _exit(LS_EXIT_MACHINE);
}

int main(int count, char **arguments)
{
    keep_standard_streams();
    LS_ASSERT(on_exit(check_output, NULL) == 0);
    if (count < 2) {
        print_help(stderr);
        return LS_EXIT_USAGE;
    }
    if (is_one_of(arguments[1], "--help", "-h") || is_one_of(arguments[1], "-?", "help")) {
        print_help(stdout);
        return LS_EXIT_GOOD;
    }
    if (is_one_of(arguments[1], "--version", "-V")) {
        puts(LS_BUILD_TEXT);
        return LS_EXIT_GOOD;
    }
    const ls_command *command = find(arguments[1]);
    if (!command)
        return fail_unknown(arguments[1]);

    /* argp names the program by its first argument and ends it with this code. */
    argp_err_exit_status = LS_EXIT_USAGE;
    char name[32];
    snprintf(name, sizeof name, "lockstep %s", command->name);
    arguments[1] = name;
    return command->run(count - 1, arguments + 1);
}
