/* lockstep replay: finds the action that the first argument names. */
#include "cli/replay/replay_actions.h"

#include "cli/common/menu.h"
#include "cli/watch/fetched_recording.h"

static const ls_command actions[] = {
    {"info", "print what a recording holds, and how it ends", ls_replay_info},
    {"seek", "go to a tick, print how long that took and the hash of the state", ls_replay_seek},
    {"print", "print the state at a tick, or an entity or component of it", ls_replay_print},
    {"export", "write inputs and hashes as lines of JSON", ls_replay_export},
    {"diff", "compare two ticks, or two recordings", ls_replay_diff},
    {"cut", "write a range of ticks as a recording", ls_replay_cut},
    {"rerun", "play the match again with this build, and record it", ls_replay_rerun},
    {"repair", "write what a damaged file still holds to a new one", ls_replay_repair},
};

static const ls_menu menu = {
    .noun = "action",
    .before = "Usage: lockstep replay ACTION FILE... [OPTION...]\n\n"
              "Inspect and rewrite recordings (.lsr). TICK means the state before that tick:\n"
              "tick 0 is the first state, the tick after the last frame is the last one.\n"
              "FILE may be http://HOST:PORT/NAME.lsr, or http://HOST:PORT/live/ROOM/ for what\n"
              "is published of a match so far.\n\n",
    .after = "\n`lockstep replay ACTION --help` lists the options of an action.\n"
             "`lockstep verify` simulates whole recordings again, `lockstep watch` shows one\n"
             "in the terminal.\n",
    .entries = actions,
    .count = LS_COUNT_OF(actions),
};

static ls_exit run(int count, char **arguments)
{
    return ls_menu_run(&menu, count, arguments);
}

ls_exit ls_command_replay(int count, char **arguments)
{
    static const ls_fetched_command command = {"replay", run, false, false};
    return ls_fetched_recording_run(&command, count, arguments);
}
