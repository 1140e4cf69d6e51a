/* lockstep replay cut: writes a range of ticks as a new recording. Unless its first tick is 0, it
 * begins with a keyframe of the state before that tick, so it needs nothing earlier. */
#include "cli/common/arguments.h"
#include "cli/common/match_playback.h"
#include "cli/common/number.h"
#include "cli/common/replay_file.h"
#include "cli/replay/replay_actions.h"
#include "cli/replay/replay_output.h"

#include <inttypes.h>

typedef struct cut_options {
    ls_match_playback_options playback;
    const char *path, *output;
    uint64_t from, to, spacing;
    bool has_from, has_to;
} cut_options;

struct cut {
    const cut_options *options;
    uint64_t from, to;          /* frames from..to-1 */
    ls_replay_file file;        /* gives frames, roots, epochs and column hashes */
    ls_match_playback playback; /* gives states */
    ls_replay_output output;
    uint32_t epochs;
};

static void check_options(const ls_argument_state *state, void *input)
{
    const cut_options *options = input;
    if (!options->output)
        ls_argument_fail(state, "--output FILE is missing: the new recording");
    if (options->from > options->to)
        ls_argument_fail(state, "--from %" PRIu64 " is after --to %" PRIu64, options->from,
                         options->to);
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Ticks:"),
    LS_ARGUMENT_NUMBER("from", "TICK", cut_options, from, 0, UINT64_MAX,
                       "Begin with the state at this tick (default: the first)",
                       .has = offsetof(cut_options, has_from)),
    LS_ARGUMENT_NUMBER("to", "TICK", cut_options, to, 0, UINT64_MAX,
                       "End with the state at this tick (default: the last)",
                       .has = offsetof(cut_options, has_to)),
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_TEXT("output", "FILE", cut_options, output,
                     "Write the new recording to FILE, which must not exist", .letter = 'o'),
    LS_ARGUMENT_NUMBER(
        "keyframes", "TICKS", cut_options, spacing, 1, UINT32_MAX,
        "Store the whole state every TICKS ticks, which makes seeking fast (default: the first "
        "state only)"),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_match_playback_arguments, offsetof(cut_options, playback)}, {0}};
static const ls_arguments argument_table = {
    .list = argument_list,
    .parts = argument_parts,
    LS_ARGUMENTS_RECORDING(cut_options, path),
    .check = check_options,
    .doc =
        "Write a range of ticks as a recording of its own, which begins with the state of its "
        "first tick and keeps the inputs, hashes and column hashes of the old one. A match that a "
        "disk failure split into several files becomes one file. The new file is not signed. "
        "Without a range it is a copy, in which --keyframes makes seeking fast.\vExit codes:\n"
        "  0  good\n"
        "  1  a state on the way differs from the recording's hash; nothing is written\n"
        "  2  wrong use, no such file or tick, or the new file exists already\n"
        "  3  another version or simulation\n"
        "  4  the file is too damaged to be played\n"
        "  5  the file cannot be read, or the new one cannot be written"};

/* Finds the taken seats before the first tick: from the file's first keyframe, if it has one, and
 * all frames since then. */
static void read_up_to_start(struct cut *cut)
{
    const ls_recording_tick *tick;
    ls_replay_states_begin(&cut->output.states, cut->file.recording);
    ls_recording_rewind(cut->file.recording);
    for (uint64_t at = cut->file.header->first_tick; at < cut->from; at++) {
        LS_ASSERT(ls_recording_next(cut->file.recording, &tick, NULL) == LS_OK && tick);
        ls_replay_states_follow(&cut->output.states, &tick->frame);
    }
    cut->epochs = ls_recording_get_end(cut->file.recording)->epoch_count;
}

static ls_recording_header header_of(const struct cut *cut)
{
    ls_recording_header header = ls_replay_output_header(cut->file.header);
    header.first_tick = cut->from;
    if (ls_recording_get_end(cut->file.recording)->epoch_count)
        header.first_epoch = ls_recording_get_end(cut->file.recording)->epoch.epoch;
    return header;
}

/* Computes a root that the recording lacks. Where two files of a match join, the last root of the
 * first may be missing; the keyframe of the second proves the computed one. */
static ls_status replay_root(struct cut *cut, uint64_t tick, uint64_t *root, ls_error *error)
{
    ls_status status = ls_match_playback_seek(&cut->playback, tick, error);
    if (!status)
        *root = ls_world_root(ls_replay_player_world(cut->playback.player));
    return status;
}

/* Adds the root of the tick. If the old file lacks it at its end, it stays missing, because no
 * server vouches for a root that this program computes. */
static ls_status add_root(struct cut *cut, uint64_t tick, ls_error *error)
{
    uint64_t root;
    ls_status status = LS_OK;
    if (ls_recorder_root_tick(cut->output.recorder) != tick)
        return LS_OK;
    if (!ls_recording_find_root(cut->file.recording, tick, &root)) {
        if (tick >= cut->file.end->root_tick)
            return LS_OK;
        status = replay_root(cut, tick, &root, error);
    }
    if (status)
        return status;
    return ls_recorder_add_root(cut->output.recorder, root, error);
}

static ls_status add_columns(struct cut *cut, uint64_t tick, ls_error *error)
{
    const ls_recording_columns *columns =
        ls_replay_output_columns(&cut->output, cut->file.recording, tick);
    uint64_t hashes[LS_RECORD_COLUMNS_MAX];
    if (!columns)
        return LS_OK;
    for (uint32_t column = 0; column < columns->count; column++)
        hashes[column] = ls_recording_column(columns, column);
    return ls_recorder_append_columns(cut->output.recorder, tick, hashes, columns->count, error);
}

static ls_status add_keyframe(struct cut *cut, uint64_t tick, ls_error *error)
{
    const cut_options *options = cut->options;
    if (!options->spacing || tick < ls_recorder_next_keyframe(cut->output.recorder) ||
        (tick - cut->from) % options->spacing)
        return LS_OK;
    ls_status status = ls_match_playback_seek(&cut->playback, tick, error);
    if (status)
        return status;
    return ls_replay_output_add_keyframe(&cut->output, ls_replay_player_world(cut->playback.player),
                                         error);
}

static ls_status add_epoch(struct cut *cut, ls_error *error)
{
    const ls_recording_end *end = ls_recording_get_end(cut->file.recording);
    if (end->epoch_count == cut->epochs)
        return LS_OK;
    cut->epochs = end->epoch_count;
    return ls_recorder_begin_epoch(cut->output.recorder, end->epoch.epoch, end->epoch.unix_s,
                                   error);
}

static ls_status copy_tick(struct cut *cut, uint64_t tick, ls_error *error)
{
    const ls_recording_tick *next;
    ls_status status = add_keyframe(cut, tick, error);
    LS_ASSERT(ls_recording_next(cut->file.recording, &next, NULL) == LS_OK && next);
    if (!status)
        status = add_epoch(cut, error);
    if (!status)
        status = add_columns(cut, tick, error);
    if (!status)
        status = add_root(cut, tick, error);
    if (!status)
        status = ls_recorder_append(cut->output.recorder, &next->frame, error);
    ls_replay_states_follow(&cut->output.states, &next->frame);
    return status;
}

static ls_status copy(struct cut *cut, ls_error *error)
{
    const ls_recording_end *end = cut->file.end;
    const ls_recording_header header = header_of(cut);
    ls_status status = ls_replay_output_begin(&cut->output, &header,
                                              ls_replay_player_world(cut->playback.player), error);
    for (uint64_t tick = cut->from; !status && tick < cut->to; tick++)
        status = copy_tick(cut, tick, error);
    if (!status)
        status = add_root(cut, cut->to, error);
    if (status)
        return status;
    bool is_whole_end = cut->to == cut->file.end_tick && end->is_closed;
    return ls_replay_output_finish(
        &cut->output, "cut", is_whole_end ? (ls_closing_reason)end->closing.reason : LS_CLOSING_CUT,
        error);
}

static ls_status check(struct cut *cut, ls_error *error)
{
    const cut_options *options = cut->options;
    uint64_t first = cut->file.header->first_tick, last = cut->file.end_tick;
    cut->from = options->has_from ? options->from : first;
    cut->to = options->has_to ? options->to : last;
    if (cut->from < first || cut->from > cut->to || cut->to > last)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s has no such ticks: it has %" PRIu64 " to %" PRIu64 "%s%.600s",
                            options->path, first, last, cut->file.rest.text[0] ? "; " : "",
                            cut->file.rest.text);
    return ls_replay_output_check(options->output, error);
}

static ls_status run(struct cut *cut, ls_error *error)
{
    const cut_options *options = cut->options;
    ls_status status = ls_replay_file_open_match(options->path, &cut->file, error);
    if (!status)
        status = check(cut, error);
    if (!status)
        status = ls_match_playback_open(options->path, &options->playback, &cut->playback, error);
    if (!status)
        status = ls_match_playback_seek_shown(&cut->playback, cut->from, error);
    if (status)
        return status;
    read_up_to_start(cut);
    ls_replay_file_warn_of_gap(&cut->file, options->to);
    return copy(cut, error);
}

ls_exit ls_replay_cut(int count, char **arguments)
{
    cut_options options = {.to = UINT64_MAX};
    ls_error error;
    ls_arguments_parse(&argument_table, count, arguments, &options);
    struct cut cut = {.options = &options, .output.path = options.output};
    ls_status status = run(&cut, &error);
    ls_replay_output_close(&cut.output, status);
    ls_match_playback_close(&cut.playback);
    ls_replay_file_close(&cut.file);
    return status ? ls_command_fail("replay cut", status, &error) : LS_EXIT_GOOD;
}
