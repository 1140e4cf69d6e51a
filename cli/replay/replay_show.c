/* lockstep replay seek and print: show the state at a tick. */
#include "cli/common/arguments.h"
#include "cli/common/clock.h"
#include "cli/common/inspect.h"
#include "cli/common/match_playback.h"
#include "cli/common/number.h"
#include "cli/common/output.h"
#include "cli/replay/replay_actions.h"
#include "core/base/json_writer.h"
#include "core/base/platform.h"
#include <lockstep/json.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EXIT_CODES                                                                                 \
    "\vExit codes:\n"                                                                              \
    "  0  good\n"                                                                                  \
    "  1  a state on the way differs from the recording's hash\n"                                  \
    "  2  wrong use, no such file or tick\n"                                                       \
    "  3  another version or simulation\n"                                                         \
    "  4  the file is too damaged to be played\n"                                                  \
    "  5  the file cannot be read, or the output cannot be written\n"                              \
    "  6  a tick fails in this build, as in `lockstep run`"

typedef struct show_options {
    ls_match_playback_options playback;
    const char *path, *component, *entity, *output;
    uint64_t tick;
    bool has_tick, is_json;
} show_options;

static void take_argument(const ls_argument_state *state, const ls_argument *argument, void *input,
                          char *text)
{
    show_options *options = input;
    (void)argument;
    if (!options->path)
        options->path = text;
    else if (options->has_tick)
        ls_argument_fail(state, "'%s' is one argument too many: FILE TICK", text);
    else if (!ls_parse_u64(text, 0, UINT64_MAX, &options->tick))
        ls_argument_fail(state, "'%s' is not a tick: give a number, 0 for the first state", text);
    else
        options->has_tick = true;
}

static void check_options(const ls_argument_state *state, void *input)
{
    const show_options *options = input;
    if (!options->path)
        ls_argument_fail(state, "FILE is missing: the recording");
    if (!options->has_tick)
        ls_argument_fail(state, "TICK is missing: the state before which tick");
}

static const ls_arguments_part seek_parts[] = {
    {&ls_match_playback_arguments, offsetof(show_options, playback)}, {0}};
static const ls_arguments seek_table = {
    .parts = seek_parts,
    .usage = "FILE TICK",
    .file_ending = "lsr",
    .take = take_argument,
    .check = check_options,
    .doc = "Go to a tick: from the nearest keyframe, or else from the start, by simulating again. "
           "Prints how long that took, reading the file excluded, and the hash of the "
           "state." EXIT_CODES};

static const ls_argument print_arguments[] = {
    LS_ARGUMENT_TITLE("Selection:"),
    LS_ARGUMENT_TEXT("component", "NAME", show_options, component, "Print this component only"),
    LS_ARGUMENT_TEXT("entity", "LANE/SLOT:GENERATION", show_options, entity,
                     "Print this entity only"),
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_FLAG("json", show_options, is_json,
                     "Print JSON; the JSON of a whole state can be read back"),
    LS_ARGUMENT_TEXT("output", "FILE", show_options, output, "Write to FILE instead of stdout",
                     .letter = 'o'),
    {0},
};
static const ls_arguments_part print_parts[] = {
    {&ls_match_playback_arguments, offsetof(show_options, playback)}, {0}};
static const ls_arguments print_table = {
    .list = print_arguments,
    .parts = print_parts,
    .usage = "FILE TICK",
    .file_ending = "lsr",
    .take = take_argument,
    .check = check_options,
    .doc = "Print the state before a tick: a line for each component of each entity." EXIT_CODES};

static ls_status seek(show_options *options, ls_match_playback *playback, ls_error *error)
{
    uint64_t start_ns = ls_monotonic_ns();
    ls_status status = ls_match_playback_seek_shown(playback, options->tick, error);
    if (status)
        return status;
    uint64_t elapsed_ns = ls_monotonic_ns() - start_ns;
    ls_replay_player_stats stats = ls_replay_player_get_stats(playback->player);
    printf("tick=%" PRIu64 " root=%016" PRIx64 " seek_ms=%.3f simulated_ticks=%" PRIu64
           " keyframes=%" PRIu64 "\n",
           options->tick, ls_world_root(ls_replay_player_world(playback->player)),
           (double)elapsed_ns / (double)LS_NS_PER_MS, stats.simulated_ticks, stats.keyframes);
    return LS_OK;
}

static void add_state(const show_options *options, const ls_inspect *inspect, ls_world *world,
                      ls_builder *text)
{
    if (options->is_json && !options->component && !options->entity) {
        char *json = ls_world_json(world);
        ls_builder_add(text, "%s\n", json);
        ls_free(json);
        return;
    }
    uint64_t root = ls_world_root(world);
    if (options->is_json) {
        ls_json_open(text, NULL, '{');
        ls_json_u64_string(text, "tick", options->tick);
        ls_json_root(text, "root", root);
        if (options->entity)
            ls_json_bool(text, "lives", ls_world_is_alive(world, inspect->entity));
        ls_json_key(text, "components");
        ls_inspect_json(inspect, world, text);
        ls_json_close(text, '}');
        ls_builder_add(text, "\n");
    } else {
        ls_builder_add(text, "tick %" PRIu64 ", root %016" PRIx64 "\n", options->tick, root);
        ls_inspect_text(inspect, world, text);
    }
}

static ls_status print(show_options *options, ls_match_playback *playback, ls_error *error)
{
    ls_inspect inspect;
    ls_builder text = {0};
    ls_status status = ls_inspect_find(playback->loaded.program, options->component,
                                       options->entity, &inspect, error);
    if (!status)
        status = ls_match_playback_seek_shown(playback, options->tick, error);
    if (status)
        return status;
    add_state(options, &inspect, ls_replay_player_world(playback->player), &text);
    status = ls_output_write(options->output, &text, error);
    ls_free(text.data);
    return status;
}

typedef struct show_action {
    const char *name;
    const ls_arguments *table;
    ls_status (*run)(show_options *options, ls_match_playback *playback, ls_error *error);
} show_action;

static ls_exit run(const show_action *action, int count, char **arguments)
{
    show_options options = {0};
    ls_match_playback playback = {0};
    ls_error error;
    ls_arguments_parse(action->table, count, arguments, &options);
    ls_status status = ls_match_playback_open(options.path, &options.playback, &playback, &error);
    if (!status)
        status = action->run(&options, &playback, &error);
    ls_match_playback_close(&playback);
    return status ? ls_command_fail(action->name, status, &error) : LS_EXIT_GOOD;
}

ls_exit ls_replay_seek(int count, char **arguments)
{
    return run(&(show_action){"replay seek", &seek_table, seek}, count, arguments);
}

ls_exit ls_replay_print(int count, char **arguments)
{
    return run(&(show_action){"replay print", &print_table, print}, count, arguments);
}
