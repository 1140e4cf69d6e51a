/* lockstep replay: finds the action, as main() finds the command. */
#include "cli/replay.h"

#include "cli/suggest.h"

#include <stdio.h>
#include <string.h>

static const ls_command actions[] = {
    {"info", "what a recording holds, and how it ends", ls_replay_info},
    {"seek", "go to a tick: how long it takes, and the hash of its state", ls_replay_seek},
    {"print", "the state before a tick, or an entity or component of it", ls_replay_print},
    {"export", "inputs and hashes as lines of JSON", ls_replay_export},
    {"diff", "in what two ticks, or two recordings, differ", ls_replay_diff},
    {"cut", "a range of ticks as a recording of its own", ls_replay_cut},
    {"rerun", "the whole match run again with this build, as a recording to compare with",
     ls_replay_rerun},
    {"repair", "what can be saved of a damaged file, as a new one", ls_replay_repair},
};

static void print_help(FILE *stream)
{
    fputs(
        "Usage: lockstep replay ACTION FILE... [OPTION...]\n\n"
        "Looks into recordings (.lsr). A tick is the moment before it is simulated: tick 0 is the\n"
        "first state, and one behind the last frame the last.\n\n",
        stream);
    for (size_t i = 0; i < LS_COUNT_OF(actions); i++)
        fprintf(stream, "  %-7s %s\n", actions[i].name, actions[i].summary);
    fputs("\n`lockstep replay ACTION --help` lists the options of one. `lockstep verify` "
          "re-simulates\n"
          "a whole recording, `lockstep watch` shows it in the terminal.\n",
          stream);
}

static ls_exit fail_unknown(const char *typed)
{
    const char *names[LS_COUNT_OF(actions)];
    for (size_t i = 0; i < LS_COUNT_OF(actions); i++)
        names[i] = actions[i].name;
    const char *nearest = ls_suggest(typed, names, LS_COUNT_OF(names));
    if (nearest)
        fprintf(stderr, "lockstep replay: unknown action '%s', did you mean '%s'?\n", typed,
                nearest);
    else
        fprintf(stderr, "lockstep replay: unknown action '%s'; see `lockstep replay --help`\n",
                typed);
    return LS_EXIT_USAGE;
}

ls_exit ls_command_replay(int count, char **arguments)
{
    if (count < 2) {
        print_help(stderr);
        return LS_EXIT_USAGE;
    }
    if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-?") == 0 ||
        strcmp(arguments[1], "-h") == 0 || strcmp(arguments[1], "help") == 0) {
        print_help(stdout);
        return LS_EXIT_GOOD;
    }
    for (size_t i = 0; i < LS_COUNT_OF(actions); i++) {
        if (strcmp(actions[i].name, arguments[1]) != 0)
            continue;
        char name[48];
        snprintf(name, sizeof name, "lockstep replay %s", actions[i].name);
        arguments[1] = name;
        return actions[i].run(count - 1, arguments + 1);
    }
    return fail_unknown(arguments[1]);
}
