/* lockstep replay export: prints a recording as lines of JSON, for scripts. Simulates nothing. */
#include "cli/common/arguments.h"
#include "cli/common/match_playback.h"
#include "cli/common/number.h"
#include "cli/common/output.h"
#include "cli/common/replay_file.h"
#include "cli/replay/replay_actions.h"
#include "core/base/json_writer.h"

#include <inttypes.h>
#include <string.h>

typedef struct export_options {
    const char *path, *output;
    uint64_t from, to;
} export_options;

static void check_options(const ls_argument_state *state, void *input)
{
    const export_options *options = input;
    if (options->from > options->to)
        ls_argument_fail(state, "--from %" PRIu64 " is after --to %" PRIu64, options->from,
                         options->to);
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Ticks:"),
    LS_ARGUMENT_NUMBER("from", "TICK", export_options, from, 0, UINT64_MAX,
                       "Begin with this tick (default: the first)"),
    LS_ARGUMENT_NUMBER("to", "TICK", export_options, to, 0, UINT64_MAX,
                       "End with this tick (default: the last)"),
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_TEXT("output", "FILE", export_options, output, "Write to FILE instead of stdout",
                     .letter = 'o'),
    {0},
};
static const ls_arguments argument_table = {
    .list = argument_list,
    LS_ARGUMENTS_RECORDING(export_options, path),
    .check = check_options,
    .doc = "Write a recording as lines of JSON: one for the header; one for each tick, with the "
           "hash of the state before it and its inputs in hexadecimal; one for how the file ends. "
           "Further lines before that of a tick: \"epoch\", when the match was resumed there; "
           "\"keyframe\", with the size of the state and the tick of the keyframe that it builds "
           "on; \"columns\", the hash of each component. Needs no simulation. A match that a "
           "disk failure split into several files is written whole.\vExit codes:\n"
           "  0  good, also for a file with a torn end\n"
           "  2  wrong use, no such file or ticks\n"
           "  3  another version of the format\n"
           "  4  the file is damaged; the part before the damage is written\n"
           "  5  the file cannot be read, or the output cannot be written"};

static void open_line(ls_builder *text, const char *type)
{
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "type", type);
}

static void open_tick(ls_builder *text, const char *type, uint64_t tick)
{
    open_line(text, type);
    ls_json_u64_string(text, "tick", tick);
}

static void close_line(ls_builder *text)
{
    ls_json_close(text, '}');
    ls_builder_add(text, "\n");
}

static void add_input(ls_builder *text, const ls_input *input)
{
    ls_json_open(text, NULL, '{');
    ls_json_u64(text, "player", input->player);
    ls_json_string(text, "kind", ls_replay_kind_name(input->kind));
    if (input->bytes)
        ls_replay_json_hex(text, "data", input->data, input->bytes);
    ls_json_close(text, '}');
}

/* The keyframes and column hashes that are not written yet. */
struct lists {
    const ls_replay_file *file;
    const ls_recording_keyframe *keyframes;
    const ls_recording_columns *columns;
    uint32_t keyframe_count, column_count;
};

/* Skips entries before the tick: they belong to ticks that are not exported. */
static void skip_to(struct lists *lists, uint64_t tick)
{
    for (; lists->keyframe_count && lists->keyframes->tick < tick; lists->keyframe_count--)
        lists->keyframes++;
    for (; lists->column_count && lists->columns->tick < tick; lists->column_count--)
        lists->columns++;
}

/* Adds the resumption before the tick; of several, the last. */
static void add_epoch(ls_builder *text, const ls_replay_file *file, uint64_t tick)
{
    const ls_recording_end *end = ls_recording_get_end(file->recording);
    if (!end->epoch_count || end->epoch.tick != tick)
        return;
    open_tick(text, "epoch", tick);
    ls_json_u64(text, "epoch", end->epoch.epoch);
    ls_json_i64_string(text, "unix_s", end->epoch.unix_s);
    close_line(text);
}

static void add_keyframes(ls_builder *text, struct lists *lists, uint64_t tick)
{
    while (lists->keyframe_count && lists->keyframes->tick == tick) {
        const ls_recording_keyframe *keyframe = lists->keyframes++;
        lists->keyframe_count--;
        open_tick(text, "keyframe", tick);
        ls_json_u64_string(text, "base_tick", keyframe->base_tick);
        ls_json_u64(text, "bytes", keyframe->bytes);
        close_line(text);
    }
}

static void add_columns(ls_builder *text, struct lists *lists, uint64_t tick)
{
    while (lists->column_count && lists->columns->tick == tick) {
        const ls_recording_columns *columns = lists->columns++;
        lists->column_count--;
        open_tick(text, "columns", tick);
        ls_json_open(text, "hashes", '[');
        for (uint32_t i = 0; i < columns->count; i++)
            ls_json_root(text, NULL, ls_recording_column(columns, i));
        ls_json_close(text, ']');
        close_line(text);
    }
}

static void add_inputs(ls_builder *text, const ls_frame *frame)
{
    ls_json_open(text, "inputs", '[');
    for (uint32_t i = 0; i < frame->count; i++)
        add_input(text, &frame->inputs[i]);
    ls_json_close(text, ']');
}

/* Adds the tick that is read next. The last tick has a state and no frame. */
static void add_tick(ls_builder *text, struct lists *lists, uint64_t tick)
{
    uint64_t root;
    ls_recording *recording = lists->file->recording;
    const ls_recording_tick *next;
    /* The call fails at the end of the file, which `has_frame` tells. */
    ls_status status = ls_recording_next(recording, &next, NULL);
    bool has_frame = tick < lists->file->end_tick;
    LS_ASSERT(!has_frame || (status == LS_OK && next));
    skip_to(lists, tick);
    add_epoch(text, lists->file, tick);
    add_keyframes(text, lists, tick);
    add_columns(text, lists, tick);
    open_tick(text, "tick", tick);
    if (ls_recording_find_root(recording, tick, &root))
        ls_json_root(text, "root", root);
    else
        ls_json_string(text, "root", NULL);
    if (has_frame)
        add_inputs(text, &next->frame);
    close_line(text);
}

/* Writes each line at once, because the text of a whole match can be large. */
static void write_lines(const export_options *options, const ls_replay_file *file, FILE *output)
{
    ls_builder line = {0};
    struct lists lists = {.file = file};
    lists.keyframe_count = ls_recording_keyframes(file->recording, &lists.keyframes);
    lists.column_count = ls_recording_columns_list(file->recording, &lists.columns);
    uint64_t first =
        options->from > file->header->first_tick ? options->from : file->header->first_tick;
    uint64_t last = options->to < file->end_tick ? options->to : file->end_tick;
    LS_ASSERT(ls_recording_seek(file->recording, first, NULL) == LS_OK); /* the range was checked */
    open_line(&line, "header");
    ls_replay_add_header(&line, file->header);
    close_line(&line);
    for (uint64_t tick = first; tick <= last; tick++) {
        fwrite(line.data, 1, line.count, output);
        line.count = 0;
        add_tick(&line, &lists, tick);
    }
    open_line(&line, "end");
    ls_replay_add_end(&line, file);
    close_line(&line);
    fwrite(line.data, 1, line.count, output);
    ls_free(line.data);
}

static ls_status check_range(const export_options *options, const ls_replay_file *file,
                             ls_error *error)
{
    if (options->from <= file->end_tick && options->to >= file->header->first_tick)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_USAGE,
                        "%s has no such ticks: it has %" PRIu64 " to %" PRIu64, options->path,
                        file->header->first_tick, file->end_tick);
}

static ls_status write_file(const export_options *options, const ls_replay_file *file,
                            ls_error *error)
{
    FILE *output;
    ls_status status = check_range(options, file, error);
    if (!status)
        status = ls_output_open(options->output, &output, error);
    if (status)
        return status;
    write_lines(options, file, output);
    ls_replay_file_warn_of_gap(file, options->to);
    status = ls_output_close(options->output, output, error);
    return ls_replay_file_answer(file, status, error);
}

ls_exit ls_replay_export(int count, char **arguments)
{
    export_options options = {.to = UINT64_MAX};
    ls_replay_file file;
    ls_error error;
    ls_arguments_parse(&argument_table, count, arguments, &options);
    ls_status status = ls_replay_file_open_match(options.path, &file, &error);
    if (!status)
        status = write_file(&options, &file, &error);
    ls_replay_file_close(&file);
    return status ? ls_command_fail("replay export", status, &error) : LS_EXIT_GOOD;
}
