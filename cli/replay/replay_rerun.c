/* lockstep replay rerun: runs a match again and records it. Only its inputs and events come from
 * the old file; roots, column hashes and states are those of this build. */
#include "cli/common/arguments.h"
#include "cli/common/build.h"
#include "cli/common/match_playback.h"
#include "cli/common/number.h"
#include "cli/common/progress_bar.h"
#include "cli/common/shell_word.h"
#include "cli/replay/replay_actions.h"
#include "cli/replay/replay_output.h"
#include "desync/start_state.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct rerun_options {
    ls_match_playback_options playback;
    const char *path, *output;
    uint64_t spacing;
} rerun_options;

struct rerun {
    const rerun_options *options;
    ls_recording *recording; /* the match: all files that follow each other without a gap */
    ls_loaded_sim loaded;
    ls_executor *executor;
    ls_world *world;
    ls_replay_output output;
    uint32_t keyframes; /* index of the next keyframe of the match */
    uint64_t first;     /* the first tick */
    ls_tick_progress progress;
    bool has_difference;
};

static void check_options(const ls_argument_state *state, void *input)
{
    const rerun_options *options = input;
    if (!options->output)
        ls_argument_fail(state, "--output FILE is missing: the new recording");
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_TEXT("output", "FILE", rerun_options, output,
                     "Write the new recording to FILE, which must not exist", .letter = 'o'),
    LS_ARGUMENT_NUMBER(
        "keyframes", "TICKS", rerun_options, spacing, 1, UINT32_MAX,
        "Store the whole state every TICKS ticks (default: where the old file has it)"),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_match_playback_arguments, offsetof(rerun_options, playback)}, {0}};
static const ls_arguments argument_table = {
    .list = argument_list,
    .parts = argument_parts,
    LS_ARGUMENTS_RECORDING(rerun_options, path),
    .check = check_options,
    .doc = "Play a whole match again with this build of the simulation, also a match with several "
           "files, and record it: the inputs and events of the old file, the hashes and states of "
           "this run. The new file is not signed. When hashes differ from the old file's, the run "
           "continues to the end and prints the first tick; `lockstep bisect OLD NEW` then finds "
           "the cause. In this way two machines, or two builds, are compared without exchanging "
           "the builds.\vExit codes:\n"
           "  0  every hash equals that of the old file\n"
           "  1  a hash differs; the new file is complete\n"
           "  2  wrong use, no such file, or the new file exists already\n"
           "  3  another version or simulation\n"
           "  4  the file is too damaged to be played, or this build refuses an input\n"
           "  5  the file cannot be read, or the new one cannot be written\n"
           "  6  a tick fails in this build, as in `lockstep run`"};

/* Creates the first state: by this build's setup, or from the file if it begins in the middle of a
 * match. */
static ls_status make_world(struct rerun *rerun, ls_error *error)
{
    const ls_recording_header *header = ls_recording_get_header(rerun->recording);
    if (header->first_tick)
        return ls_start_state_make(rerun->recording, rerun->loaded.program, header->first_tick,
                                   &rerun->world, error);
    /* The header's checksum was right, so a match that is refused here comes from another build. */
    if (ls_world_create(rerun->loaded.program, &header->match, &rerun->world, error))
        return LS_ERROR_INCOMPATIBLE;
    return LS_OK;
}

static ls_status prepare(struct rerun *rerun, ls_error *error)
{
    const rerun_options *options = rerun->options;
    ls_status status = ls_replay_output_check(options->output, error);
    if (status)
        return status;
    status = ls_match_playback_load(options->path, &options->playback, &rerun->loaded,
                                    &rerun->recording, error);
    if (status)
        return status;
    ls_match_playback_warn_of_forgery("replay rerun", rerun->recording);
    rerun->first = ls_recording_get_header(rerun->recording)->first_tick;
    ls_error warning;
    status = ls_match_playback_check_build(rerun->recording, &rerun->loaded,
                                           options->playback.allows_any_build, &warning, error);
    if (status)
        return status;
    ls_match_playback_warn_of_build("replay rerun", &warning);
    status = ls_match_options_executor(&options->playback.match, &rerun->executor, error);
    if (!status)
        status = make_world(rerun, error);
    if (status)
        return status;
    ls_replay_states_begin(&rerun->output.states, rerun->recording);
    return LS_OK;
}

static ls_recording_header header_of(const struct rerun *rerun)
{
    ls_recording_header header = ls_replay_output_header(ls_recording_get_header(rerun->recording));
    header.simulation = ls_recording_simulation_of(rerun->loaded.program);
    header.segment = 0;
    snprintf(header.build, sizeof header.build, "%s", LS_BUILD_TEXT);
    return header;
}

static bool wants_keyframe(struct rerun *rerun, uint64_t tick)
{
    const ls_recording_keyframe *list;
    uint32_t count = ls_recording_keyframes(rerun->recording, &list);
    uint64_t spacing = rerun->options->spacing;
    if (tick < ls_recorder_next_keyframe(rerun->output.recorder))
        return false;
    if (spacing)
        return (tick - rerun->first) % spacing == 0;
    while (rerun->keyframes < count && list[rerun->keyframes].tick < tick)
        rerun->keyframes++;
    return rerun->keyframes < count && list[rerun->keyframes].tick == tick;
}

static ls_status add_columns(struct rerun *rerun, uint64_t tick, ls_error *error)
{
    uint32_t own = ls_program_column_count(rerun->loaded.program);
    uint64_t hashes[LS_RECORD_COLUMNS_MAX];
    if (own > LS_RECORD_COLUMNS_MAX ||
        !ls_replay_output_columns(&rerun->output, rerun->recording, tick))
        return LS_OK;
    ls_world_column_hashes(rerun->world, hashes);
    return ls_recorder_append_columns(rerun->output.recorder, tick, hashes, own, error);
}

/* Adds a root. Reports the first root that differs from the file's at once, because the rest may
 * take long. */
static ls_status add_root(struct rerun *rerun, uint64_t tick, ls_error *error)
{
    uint64_t expected, root = ls_world_root_on(rerun->world, rerun->executor);
    if (!rerun->has_difference && ls_recording_find_root(rerun->recording, tick, &expected) &&
        root != expected) {
        char place[64] = "before the first tick";
        if (tick)
            snprintf(place, sizeof place, "in tick %" PRIu64, tick - 1);
        if (rerun->progress.is_shown)
            ls_progress_bar_clear();
        ls_builder names = {0};
        ls_shell_word_add(&names, rerun->options->path);
        ls_shell_word_add(&names, rerun->options->output);
        fprintf(stderr,
                "lockstep replay rerun: %s: this run differs %s: expected root %016" PRIx64
                ", found %016" PRIx64 "; `lockstep bisect%s` finds the cause\n",
                rerun->options->path, place, expected, root, names.data);
        ls_free(names.data);
        rerun->has_difference = true;
    }
    return ls_recorder_add_root(rerun->output.recorder, root, error);
}

static ls_status add_epoch(struct rerun *rerun, const ls_recording_tick *tick, ls_error *error)
{
    if (tick->epoch <= ls_recorder_epoch(rerun->output.recorder))
        return LS_OK;
    int64_t unix_s = ls_recording_get_end(rerun->recording)->epoch.unix_s;
    return ls_recorder_begin_epoch(rerun->output.recorder, tick->epoch, unix_s, error);
}

/* Adds the root of the present state, and before it keyframe and column hashes where they are
 * due. */
static ls_status add_state(struct rerun *rerun, ls_error *error)
{
    uint64_t tick = ls_world_tick(rerun->world);
    ls_status status = LS_OK;
    if (wants_keyframe(rerun, tick))
        status = ls_replay_output_add_keyframe(&rerun->output, rerun->world, error);
    if (!status)
        status = add_columns(rerun, tick, error);
    return status ? status : add_root(rerun, tick, error);
}

static ls_status run_tick(struct rerun *rerun, const ls_recording_tick *tick, ls_error *error)
{
    const ls_frame *frame = &tick->frame;
    ls_status status = add_epoch(rerun, tick, error);
    if (!status)
        status = add_state(rerun, error);
    if (!status)
        status = ls_recorder_append(rerun->output.recorder, frame, error);
    if (status)
        return status;
    ls_replay_states_follow(&rerun->output.states, frame);
    status = ls_world_advance(rerun->world, frame, rerun->executor, error);
    if (status)
        return ls_error_set(error, status, "%s, tick %" PRIu64 ": %.800s", rerun->options->path,
                            frame->tick, error->text);
    ls_tick_progress_show(&rerun->progress, frame->tick + 1,
                          rerun->first + ls_recording_find_end(rerun->recording)->tick_count);
    return LS_OK;
}

static void warn_of_end(struct rerun *rerun, const ls_error *end)
{
    uint64_t first;
    const char *rest = ls_recording_after_gap(rerun->recording, &first);
    ls_tick_progress_end(&rerun->progress);
    if (rest)
        fprintf(stderr,
                "lockstep: warning: the match continues at tick %" PRIu64 " in %s, but the ticks "
                "from %" PRIu64 " on are in no file; the new recording ends before them\n",
                first, rest, ls_world_tick(rerun->world));
    else if (end->text[0])
        fprintf(stderr, "lockstep: warning: %s\n", end->text);
}

static ls_status run_ticks(struct rerun *rerun, ls_error *error)
{
    const ls_recording_tick *tick;
    ls_error end = {0};
    ls_recording_rewind(rerun->recording);
    while (ls_recording_next(rerun->recording, &tick, &end) == LS_OK && tick) {
        ls_status status = run_tick(rerun, tick, error);
        if (status)
            return status;
    }
    warn_of_end(rerun, &end);
    return add_state(rerun, error);
}

static ls_closing_reason reason_of(const struct rerun *rerun)
{
    const ls_recording_end *end = ls_recording_find_end(rerun->recording);
    uint64_t first;
    bool is_whole = end->is_closed && end->kind < LS_RECORDING_DAMAGED &&
                    !ls_recording_after_gap(rerun->recording, &first);
    return is_whole ? (ls_closing_reason)end->closing.reason : LS_CLOSING_CUT;
}

static ls_status record(struct rerun *rerun, ls_error *error)
{
    const ls_recording_header header = header_of(rerun);
    ls_tick_progress_begin(&rerun->progress);
    ls_status status = ls_replay_output_begin(&rerun->output, &header, rerun->world, error);
    if (!status)
        status = run_ticks(rerun, error);
    ls_tick_progress_end(&rerun->progress);
    return status ? status
                  : ls_replay_output_finish(&rerun->output, "rerun", reason_of(rerun), error);
}

ls_exit ls_replay_rerun(int count, char **arguments)
{
    rerun_options options = {0};
    ls_error error;
    ls_arguments_parse(&argument_table, count, arguments, &options);
    struct rerun rerun = {.options = &options, .output.path = options.output};
    ls_status status = prepare(&rerun, &error);
    if (!status)
        status = record(&rerun, &error);
    ls_replay_output_close(&rerun.output, status);
    ls_world_destroy(rerun.world);
    ls_executor_destroy(rerun.executor);
    ls_sim_unload(&rerun.loaded);
    ls_recording_close(rerun.recording);
    if (status)
        return ls_command_fail("replay rerun", status, &error);
    return rerun.has_difference ? LS_EXIT_DIVERGED : LS_EXIT_GOOD;
}
