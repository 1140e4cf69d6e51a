/* lockstep replay seek and print. */
#include "cli/common/arguments.h"
#include "cli/common/clock.h"
#include "cli/common/inspect.h"
#include "cli/common/number.h"
#include "cli/common/output.h"
#include "cli/common/playback.h"
#include "cli/replay/replay_actions.h"
#include "core/base/json_writer.h"
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
    "  5  the file cannot be read, or the output cannot be written"

typedef struct show_options {
    ls_playback_options playback;
    const char *path, *component, *entity, *output;
    uint64_t tick;
    bool has_tick, is_json;
} show_options;

enum { KEY_JSON = 0x220, KEY_COMPONENT, KEY_ENTITY };

static void take_argument(struct argp_state *state, show_options *options, char *text)
{
    if (!options->path)
        options->path = text;
    else if (options->has_tick)
        argp_error(state, "'%s' is one argument too many: FILE and TICK suffice", text);
    else if (!ls_parse_u64(text, 0, UINT64_MAX, &options->tick))
        argp_error(state, "'%s' is no tick", text);
    else
        options->has_tick = true;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    show_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->playback;
        return 0;
    case KEY_JSON:
        options->is_json = true;
        return 0;
    case KEY_COMPONENT:
        options->component = text;
        return 0;
    case KEY_ENTITY:
        options->entity = text;
        return 0;
    case 'o':
        options->output = text;
        return 0;
    case ARGP_KEY_ARG:
        take_argument(state, options, text);
        return 0;
    case ARGP_KEY_END:
        if (!options->path)
            argp_error(state, "FILE is missing: the recording");
        if (!options->has_tick)
            argp_error(state, "TICK is missing");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&ls_playback_argp, 0, NULL, 0}, {0}};
static const struct argp seek_argp = {
    .parser = parse,
    .children = children,
    .args_doc = "FILE TICK",
    .doc = "Go to a tick: from the nearest keyframe, or else from the start, by simulating again. "
           "Prints how long that took, reading the file excluded, and the hash of the "
           "state." EXIT_CODES};

static const struct argp_option print_arguments[] = {
    {NULL, 0, NULL, 0, "Selection:", 2},
    {"component", KEY_COMPONENT, "NAME", 0, "Print this component only", 2},
    {"entity", KEY_ENTITY, "LANE/SLOT:GENERATION", 0, "Print this entity only", 2},
    {NULL, 0, NULL, 0, "Output:", 3},
    {"json", KEY_JSON, NULL, 0, "Print JSON; the JSON of a whole state can be read back", 3},
    {"output", 'o', "FILE", 0, "Write to FILE instead of stdout", 3},
    {0},
};
static const struct argp print_argp = {
    .options = print_arguments,
    .parser = parse,
    .children = children,
    .args_doc = "FILE TICK",
    .doc = "Print the state before a tick: a line for each component of each entity." EXIT_CODES};

static ls_status seek(show_options *options, ls_playback *playback, ls_error *error)
{
    ls_status status = ls_playback_open(options->path, &options->playback, playback, error);
    if (status)
        return status;
    uint64_t start_ns = ls_clock_now_ns();
    status = ls_playback_seek(playback, options->tick, error);
    if (status)
        return status;
    uint64_t elapsed_ns = ls_clock_now_ns() - start_ns;
    ls_replay_player_stats stats = ls_replay_player_get_stats(playback->player);
    printf("tick=%" PRIu64 " root=%016" PRIx64 " seek_ms=%.3f simulated_ticks=%" PRIu64
           " keyframes=%" PRIu64 "\n",
           options->tick, ls_world_root(ls_replay_player_world(playback->player)),
           (double)elapsed_ns / (double)LS_NS_PER_MS, stats.simulated_ticks, stats.keyframes);
    return LS_OK;
}

ls_exit ls_replay_seek(int count, char **arguments)
{
    show_options options = {0};
    ls_playback playback = {0};
    ls_error error;
    ls_arguments_parse(&seek_argp, count, arguments, &options);
    ls_status status = seek(&options, &playback, &error);
    ls_playback_close(&playback);
    return status ? ls_command_fail("replay seek", status, &error) : LS_EXIT_GOOD;
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

static ls_status print(show_options *options, ls_playback *playback, ls_error *error)
{
    ls_inspect inspect;
    ls_builder text = {0};
    ls_status status = ls_playback_open(options->path, &options->playback, playback, error);
    if (!status)
        status = ls_inspect_find(playback->loaded.program, options->component, options->entity,
                                 &inspect, error);
    if (!status)
        status = ls_playback_seek(playback, options->tick, error);
    if (status)
        return status;
    add_state(options, &inspect, ls_replay_player_world(playback->player), &text);
    status = ls_output_write(options->output, &text, error);
    ls_free(text.data);
    return status;
}

ls_exit ls_replay_print(int count, char **arguments)
{
    show_options options = {0};
    ls_playback playback = {0};
    ls_error error;
    ls_arguments_parse(&print_argp, count, arguments, &options);
    ls_status status = print(&options, &playback, &error);
    ls_playback_close(&playback);
    return status ? ls_command_fail("replay print", status, &error) : LS_EXIT_GOOD;
}
