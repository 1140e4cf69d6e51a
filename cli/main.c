/* The `lockstep` program: one binary with a file for each subcommand. This file only finds the
 * subcommand. */
#include "cli/common/build.h"
#include "cli/common/build_parts.h"
#include "cli/common/candidates.h"
#include "cli/common/menu.h"
#include "cli/common/startup.h"
#include "cli/help_topics.h"
#include "core/base/json_writer.h"
#include <lockstep/limits.h>
#include <lockstep/recording_format.h>
#include <lockstep/sim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const ls_command commands[] = {
    {NULL, "Play:", NULL},
    {"serve", "run a match that others join over the network", ls_command_serve},
    {"join", "join a match with bots or as a spectator", ls_command_join},
    {"relay", "forward a match's packets as a bad network would", ls_command_relay},
    {"run", "run a match on this machine, without a network", ls_command_run},
    {NULL, "Look:", NULL},
    {"watch", "show a recording in the terminal, forward and back", ls_command_watch},
    {"replay", "look into a recording: any tick, differences, parts of it", ls_command_replay},
    {"sims", "list the built-in simulations and their options", ls_command_sims},
    {"schedule", "list, check, draw and time a simulation's systems", ls_command_schedule},
    {NULL, "Operate:", NULL},
    {"admin", "ask a running server, and tell it what to do", ls_command_admin},
    {"lobby", "list and open the rooms of many servers, by HTTP", ls_command_lobby},
    {"top", "show a running server in the terminal", ls_command_top},
    {NULL, "Prove:", NULL},
    {"check", "test whether a simulation is deterministic", ls_command_check},
    {"verify", "simulate recordings again and compare the hash of every tick", ls_command_verify},
    {"bisect", "find the first tick, system and store in which two runs differ", ls_command_bisect},
    {"explain", "find the cause of a desync", ls_command_explain},
    {"source-hash", "print the hash of a simulation's sources, for builds without CMake",
     ls_command_source_hash},
    {NULL, "Keys:", NULL},
    {"keygen", "make a server's identity or a matchmaker's key", ls_command_keygen},
    {"token", "issue a connect token for a player, or print one", ls_command_token},
    {NULL, "Shell:", NULL},
    {"completion", "print the completion of bash, zsh or fish", ls_command_completion},
};

static const ls_menu menu = {
    .noun = "command",
    .before = "Usage: lockstep COMMAND [OPTION...]\n\n"
              "Deterministic lockstep: only inputs cross the network, every machine simulates,\n"
              "and a hash of every tick proves that all machines agree.\n\n",
    .after = "\n`lockstep COMMAND --help` lists the options of a command. `lockstep --version`\n"
             "prints the version and how it was built, with --json also the numbers that\n"
             "two builds must share, the features and the libraries.\n\n"
             "`lockstep help TOPIC` explains a topic: start, addresses, configuration,\n"
             "environment, files, operations, metrics, signals, exit-codes.\n\n"
             "Exit codes:\n" LS_HELP_EXIT_CODES,
    .entries = commands,
    .count = LS_COUNT_OF(commands),
    .topics = ls_help_topics,
    .topic_count = LS_HELP_TOPICS,
    .has_version = true,
};

static bool has_failed; /* the command has failed, and its exit code stays */

/* Makes an output that could not be written an error, unless its reader is gone. Called when the
 * process ends, also by --help in cli/common/arguments.c, and turns a good end into a failure. */
static void check_output(void)
{
    int flushed = fflush(stdout);
    if ((flushed == 0 && !ferror(stdout)) || has_failed || ls_startup_has_lost_reader())
        return;
    fputs("lockstep: the output is incomplete: stdout cannot be written (is the disk full?)\n",
          stderr);
    _exit(LS_EXIT_MACHINE);
}

/* Prints the version. The JSON has the numbers that two builds must share, for modules, on the wire
 * and in files, and what is built in. */
static void print_version(bool is_json)
{
    ls_builder text = {0};
    if (!is_json) {
        puts(LS_BUILD_TEXT);
        return;
    }
    ls_json_open(&text, NULL, '{');
    ls_json_string(&text, "version", LS_BUILD_VERSION);
    ls_json_string(&text, "compiler", LS_BUILD_COMPILER);
    ls_json_string(&text, "cpu", LS_CPU_NAME);
    ls_json_u64(&text, "rules", LS_ENGINE_RULES);
    ls_json_u64(&text, "library_abi", LS_ABI);
    ls_json_u64(&text, "module_abi", LS_SIM_ABI >> 16);
    ls_json_u64(&text, "protocol", LS_PROTOCOL_VERSION);
    ls_json_u64(&text, "recording_format", LS_RECORDING_FORMAT_VERSION);
    ls_json_raw(&text, "features", ls_build_features);
    ls_json_raw(&text, "libraries", ls_build_libraries);
    ls_json_close(&text, '}');
    puts(text.data);
    ls_free(text.data);
}

int main(int count, char **arguments)
{
    arguments = ls_startup_begin(&count, arguments);
    LS_ASSERT(atexit(check_output) == 0);
    if (count > 1 && (strcmp(arguments[1], "--version") == 0 || strcmp(arguments[1], "-V") == 0)) {
        print_version(count > 2 && strcmp(arguments[2], "--json") == 0);
        return LS_EXIT_GOOD;
    }
    char name[] = "lockstep";
    if (count > 2 && strcmp(arguments[1], "completion") == 0 &&
        strcmp(arguments[2], "words") == 0) { /* cli/common/candidates.h */
        ls_candidates_begin();
        count -= 2;
        arguments += 2;
    }
    if (count > 0)
        arguments[0] = name;
    ls_exit code = ls_menu_run(&menu, count, arguments);
    has_failed = code != LS_EXIT_GOOD;
    return code;
}
