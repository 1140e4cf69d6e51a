/* lockstep replay info: prints what a recording contains. Simulates nothing, so it works for any
 * file, even without its simulation. */
#include "cli/common/arguments.h"
#include "cli/common/match_playback.h"
#include "cli/common/output.h"
#include "cli/common/replay_file.h"
#include "cli/replay/replay_actions.h"
#include "core/base/json_writer.h"
#include "replays/evidence_record.h"
#include <lockstep/recording_series.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double seconds_per_minute = 60;

typedef struct info_options {
    const char *path;
    bool is_json;
} info_options;

/* The counts of one pass over all records. */
typedef struct info_counts {
    uint64_t inputs[LS_REPLAY_KINDS];
    uint64_t all;
    uint64_t keyframe_bytes;
    size_t evidence_bytes;
    uint32_t keyframes, columns;
    ls_recording_signed proved;
} info_counts;

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_FLAG("json", info_options, is_json, "Print one JSON object"),
    {0},
};
static const ls_arguments argument_table = {
    .list = argument_list,
    LS_ARGUMENTS_RECORDING(info_options, path),
    .doc = "Print what a recording holds: its match, its simulation, its length, and how it ends. "
           "Needs no simulation.\vExit codes:\n"
           "  0  good, also for a file with a torn end\n"
           "  2  wrong use, or no such file\n"
           "  3  another version of the format\n"
           "  4  the file is damaged; the part before the damage is printed\n"
           "  5  the file cannot be read"};

static info_counts count_all(const ls_replay_file *file)
{
    info_counts counts = {0};
    const ls_recording_tick *tick;
    ls_recording_rewind(file->recording);
    while (ls_recording_next(file->recording, &tick, NULL) == LS_OK && tick) {
        const ls_frame *frame = &tick->frame;
        counts.all += frame->count;
        for (uint32_t i = 0; i < frame->count; i++)
            counts.inputs[frame->inputs[i].kind]++;
    }
    const ls_recording_keyframe *keyframes;
    const ls_recording_columns *columns;
    counts.keyframes = ls_recording_keyframes(file->recording, &keyframes);
    for (uint32_t i = 0; i < counts.keyframes; i++)
        counts.keyframe_bytes += keyframes[i].bytes;
    counts.columns = ls_recording_columns_list(file->recording, &columns);
    (void)ls_recording_evidence(file->recording, &counts.evidence_bytes);
    return counts;
}

static double seconds_of(const ls_replay_file *file)
{
    return (double)file->end->tick_count / file->header->match.tick_rate;
}

static void add_date(ls_builder *text, int64_t unix_s)
{
    time_t when = (time_t)unix_s;
    struct tm parts;
    char date[64];
    if (gmtime_r(&when, &parts) && strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &parts))
        ls_builder_add(text, "%s", date);
    else
        ls_builder_add(text, "%" PRId64, unix_s);
}

static void add_origin(ls_builder *text, const ls_recording_header *header)
{
    ls_builder_add(text, "simulation  %s %s, fingerprint ", header->simulation.name,
                   header->simulation.version);
    ls_replay_add_hex(text, header->simulation.fingerprint, sizeof header->simulation.fingerprint);
    ls_builder_add(text, ", engine rules %" PRIu32 "\nrecorded    ",
                   header->simulation.rules_version);
    add_date(text, header->created_unix_s);
    ls_builder_add(text, " by %s\nserver key  ", header->build);
    char key[LS_PUBLIC_KEY_TEXT_BYTES];
    ls_builder_add(text, "%s", ls_replay_key_format(header, key) ? key : "none");
    if (header->room[0])
        ls_builder_add(text, "\nroom        %s", header->room);
    const ls_match *match = &header->match;
    ls_builder_add(text, "\nmatch       seed %" PRIu64 ", %u seats, %u ticks a second", match->seed,
                   match->player_count, match->tick_rate);
    for (uint32_t i = 0; i < match->option_count; i++)
        ls_builder_add(text, "%s%" PRId64, i ? " " : ", options ", match->options[i]);
}

static void add_evidence(ls_builder *text, const ls_replay_file *file, size_t bytes)
{
    size_t count;
    ls_evidence *evidence = ls_alloc(sizeof *evidence);
    const uint8_t *data = ls_recording_evidence(file->recording, &count);
    ls_builder_add(text, "\nevidence    ");
    if (!data)
        ls_builder_add(text, "none");
    else if (ls_evidence_decode(data, count, evidence, NULL) != LS_OK)
        ls_builder_add(text, "%zu bytes that cannot be decoded", bytes);
    else
        ls_builder_add(text,
                       "%zu bytes, of a client's desync at tick %" PRIu64
                       "; `lockstep explain` finds its cause",
                       bytes, evidence->tick);
    ls_free(evidence);
}

/* Adds the later files, in which the match continues after a disk failure. */
static void add_later_files(ls_builder *text, const ls_series *series)
{
    for (uint32_t i = 1; series && i < series->count; i++) {
        uint64_t first = ls_recording_get_header(series->files[i])->first_tick;
        ls_builder_add(text, "continues   ticks %" PRIu64 " to %" PRIu64 " in %s\n", first,
                       ls_series_end_tick(series, i), series->names[i]);
    }
}

static void add_later_files_json(ls_builder *text, const ls_series *series)
{
    ls_json_open(text, "later_files", '[');
    for (uint32_t i = 1; series && i < series->count; i++)
        ls_json_string(text, NULL, series->names[i]);
    ls_json_close(text, ']');
}

static void add_text(ls_builder *text, const ls_replay_file *file, const info_counts *counts)
{
    const ls_recording_end *end = file->end;
    double seconds = seconds_of(file);
    uint64_t bytes = end->valid_bytes + end->ignored_bytes;
    add_origin(text, file->header);
    ls_builder_add(text,
                   "\nticks       %" PRIu64 " to %" PRIu64 ", %.1f s\nroots       %" PRIu64
                   " of %" PRIu64 "\nkeyframes   %" PRIu32 ", %" PRIu64
                   " bytes\ncolumns     %" PRIu32,
                   file->header->first_tick, file->end_tick, seconds, file->root_count,
                   end->tick_count + 1, counts->keyframes, counts->keyframe_bytes, counts->columns);
    add_evidence(text, file, counts->evidence_bytes);
    ls_builder_add(text, "\ninputs      %" PRIu64, counts->all);
    for (uint32_t kind = 0; kind < LS_REPLAY_KINDS; kind++) {
        if (counts->inputs[kind])
            ls_builder_add(text, ", %s %" PRIu64, ls_replay_kind_name(kind), counts->inputs[kind]);
    }
    ls_builder_add(text, "\nbytes       %" PRIu64, bytes);
    if (seconds > 0)
        ls_builder_add(text, ", %.1f KiB a minute",
                       (double)bytes / 1024 * seconds_per_minute / seconds);
    if (counts->proved.has_key && counts->proved.tick > file->header->first_tick)
        ls_builder_add(text, "\nsigned      through tick %" PRIu64 ", %" PRIu64 " unsigned",
                       counts->proved.tick - 1, file->end_tick - counts->proved.tick);
    else if (counts->proved.has_key)
        ls_builder_add(text, "\nsigned      no tick, %" PRIu64 " unsigned",
                       file->end_tick - counts->proved.tick);
    else
        ls_builder_add(text, "\nsigned      by no server");
    ls_builder_add(text, "\nepochs      %" PRIu32 "\nend         %s\n", end->epoch_count,
                   file->end_text.text);
}

static void add_json(ls_builder *text, const ls_replay_file *file, const info_counts *counts,
                     const ls_series *series)
{
    ls_json_open(text, NULL, '{');
    ls_replay_add_header(text, file->header);
    ls_json_u64(text, "keyframes", counts->keyframes);
    ls_json_u64_string(text, "keyframe_bytes", counts->keyframe_bytes);
    ls_json_u64(text, "columns", counts->columns);
    ls_json_u64(text, "evidence_bytes", counts->evidence_bytes);
    ls_json_u64_string(text, "signed_tick", counts->proved.tick);
    ls_json_u64(text, "epochs", file->end->epoch_count);
    ls_json_open(text, "inputs", '{');
    for (uint32_t kind = 0; kind < LS_REPLAY_KINDS; kind++)
        ls_json_u64(text, ls_replay_kind_name(kind), counts->inputs[kind]);
    ls_json_close(text, '}');
    ls_replay_add_end(text, file);
    add_later_files_json(text, series);
    ls_json_close(text, '}');
    ls_builder_add(text, "\n");
}

static ls_status print_info(const info_options *options, const ls_replay_file *file,
                            ls_error *error)
{
    ls_builder text = {0};
    info_counts counts = count_all(file);
    ls_status status = ls_recording_check_signatures(file->recording, &counts.proved, error);
    ls_series *series;
    ls_error other;
    ls_status others = ls_series_open(options->path, &series, &other);
    if (options->is_json) {
        add_json(&text, file, &counts, series);
    } else {
        add_text(&text, file, &counts);
        add_later_files(&text, series);
        if (others)
            ls_builder_add(&text, "continues   %s\n", other.text);
    }
    ls_series_close(series);
    ls_status written = ls_output_write(NULL, &text, &other);
    ls_free(text.data);
    if (status || !written)
        return ls_replay_file_answer(file, status, error);
    *error = other;
    return written;
}

ls_exit ls_replay_info(int count, char **arguments)
{
    info_options options = {0};
    ls_replay_file file;
    ls_error error;
    ls_arguments_parse(&argument_table, count, arguments, &options);
    ls_status status = ls_replay_file_open(options.path, &file, &error);
    if (!status)
        status = print_info(&options, &file, &error);
    ls_replay_file_close(&file);
    return status ? ls_command_fail("replay info", status, &error) : LS_EXIT_GOOD;
}
