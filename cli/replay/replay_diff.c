/* lockstep replay diff: shows the differences between two ticks of one recording, or the tick where
 * two recordings begin to differ. */
#include "cli/common/arguments.h"
#include "cli/common/match_playback.h"
#include "cli/common/number.h"
#include "cli/common/output.h"
#include "cli/common/replay_file.h"
#include "cli/common/shell_word.h"
#include "cli/replay/replay_actions.h"
#include "core/base/json_writer.h"
#include "core/schedule/value_text.h"
#include "core/schema/match_equal.h"
#include "desync/recording_divergence.h"
#include <lockstep/diff.h>

#include <inttypes.h>

enum { LINES_DEFAULT = 20 };

typedef struct diff_options {
    ls_match_playback_options playback;
    const char *paths[2], *output;
    uint64_t ticks[2];
    uint32_t path_count, tick_count;
    uint64_t lines_max;
    bool is_json;
} diff_options;

/* The output. Side 0 is the state before ticks[0], side 1 that before ticks[1]. */
typedef struct diff_report {
    const diff_options *options;
    const ls_program *program;
    uint64_t ticks[2];
    ls_builder text;
    uint64_t lines, left_out;
} diff_report;

static void take_argument(const ls_argument_state *state, const ls_argument *argument, void *input,
                          char *text)
{
    diff_options *options = input;
    (void)argument;
    uint64_t tick;
    bool is_tick = ls_parse_u64(text, 0, UINT64_MAX, &tick);
    if (is_tick && options->path_count && options->tick_count < 2)
        options->ticks[options->tick_count++] = tick;
    else if (!is_tick && options->path_count < 2 && !options->tick_count)
        options->paths[options->path_count++] = text;
    else
        ls_argument_fail(
            state, "'%s' is one argument too many: FILE TICK TICK, or FILE FILE [TICK]", text);
}

static void check_options(const ls_argument_state *state, void *input)
{
    const diff_options *options = input;
    if (!options->path_count)
        ls_argument_fail(state, "FILE is missing: the recording");
    if (options->path_count == 1 && options->tick_count != 2)
        ls_argument_fail(state,
                         "a tick or a second FILE is missing: FILE TICK TICK, or FILE FILE [TICK]");
    if (options->path_count == 2 && options->tick_count == 2)
        ls_argument_fail(state, "two files are compared at one tick: FILE FILE [TICK]");
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_FLAG("json", diff_options, is_json, "Print a JSON object for each difference"),
    LS_ARGUMENT_NUMBER("lines", "N", diff_options, lines_max, 1, UINT64_MAX,
                       "Print at most N differences (default 20), and how many are left out"),
    LS_ARGUMENT_TEXT("output", "FILE", diff_options, output, "Write to FILE instead of stdout",
                     .letter = 'o'),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_match_playback_arguments, offsetof(diff_options, playback)}, {0}};
static const ls_arguments argument_table = {
    .list = argument_list,
    .parts = argument_parts,
    .usage = "FILE TICK TICK\nFILE FILE [TICK]",
    .file_ending = "lsr",
    .take = take_argument,
    .check = check_options,
    .doc = "Compare the states before two ticks of a recording, or of two recordings before the "
           "same tick; without a tick, before the first one at which they differ. Each line names "
           "component, field and entity, and both values. The inputs of the tick that led there "
           "are compared too.\vExit codes:\n"
           "  0  no difference\n"
           "  1  a difference, or a state on the way differs from the recording's hash\n"
           "  2  wrong use, no such file or tick\n"
           "  3  another version or simulation\n"
           "  4  a file is too damaged to be played\n"
           "  5  a file cannot be read, or the output cannot be written"};

static bool may_print(diff_report *report)
{
    bool has = report->lines < report->options->lines_max;
    report->lines += has;
    report->left_out += !has;
    return has;
}

static void open_json(ls_builder *text, const char *kind)
{
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "kind", kind);
}

static void close_json(ls_builder *text, const char *a, const char *b)
{
    ls_json_string(text, "a", a);
    ls_json_string(text, "b", b);
    ls_json_close(text, '}');
    ls_builder_add(text, "\n");
}

static void add_json(diff_report *report, const ls_difference *difference)
{
    static const char *const kinds[] = {"match", "tick", "counter", "life", "presence", "field"};
    ls_builder *text = &report->text;
    open_json(text, kinds[difference->kind]);
    ls_json_u64_string(text, "tick", report->ticks[0]);
    if (report->ticks[1] != report->ticks[0])
        ls_json_u64_string(text, "other_tick", report->ticks[1]);
    if (difference->name)
        ls_json_string(text, "name", difference->name);
    if (difference->component)
        ls_json_string(text, "component", difference->component->name);
    if (difference->entity != LS_ENTITY_NULL) {
        ls_builder entity = {0};
        ls_entity_print(&entity, report->program, difference->entity);
        ls_json_string(text, "entity", entity.data);
        ls_free(entity.data);
    }
    if (difference->field) {
        ls_json_string(text, "field", difference->field->name);
        ls_json_u64(text, "item", difference->item);
    }
    close_json(text, difference->a, difference->b);
}

static bool visit(void *argument, const ls_difference *difference)
{
    diff_report *report = argument;
    if (!may_print(report))
        return true;
    if (report->options->is_json)
        add_json(report, difference);
    else
        ls_builder_add(&report->text, "  %s: %s | %s\n", difference->place,
                       difference->a ? difference->a : "-", difference->b ? difference->b : "-");
    return true;
}

static void add_frame(ls_builder *text, const ls_frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        ls_builder_add(text, "%splayer %u %s%s", i ? ", " : "", input->player,
                       ls_replay_kind_name(input->kind), input->bytes ? " " : "");
        ls_replay_add_hex(text, input->data, input->bytes);
    }
    if (frame->count == 0)
        ls_builder_add(text, "nothing");
}

/* Compares the inputs of two frames. Each frame comes from its own ls_replay_player, so both are
 * valid at the same time. */
static void compare_inputs(diff_report *report, const ls_frame *a, const ls_frame *b)
{
    if (ls_frame_equal(a, b) || !may_print(report))
        return;
    ls_builder texts[2] = {{0}};
    add_frame(&texts[0], a);
    add_frame(&texts[1], b);
    if (report->options->is_json) {
        open_json(&report->text, "inputs");
        ls_json_u64_string(&report->text, "tick", a->tick);
        close_json(&report->text, texts[0].data, texts[1].data);
    } else {
        ls_builder_add(&report->text, "  inputs of tick %" PRIu64 ": %s | %s\n", a->tick,
                       texts[0].data, texts[1].data);
    }
    ls_free(texts[0].data);
    ls_free(texts[1].data);
}

static void finish(diff_report *report)
{
    if (!report->options->is_json && report->left_out)
        ls_builder_add(&report->text, "and %" PRIu64 " more\n", report->left_out);
}

/* Compares two states of one recording. `before` shares its pages with the player's world, and
 * keeps the state of the first tick while the player seeks. */
static ls_status diff_ticks(diff_report *report, ls_match_playback *playback, ls_error *error)
{
    const diff_options *options = report->options;
    ls_status status = ls_match_playback_seek_shown(playback, options->ticks[0], error);
    if (status)
        return status;
    ls_world *before = ls_world_create_sibling(ls_replay_player_world(playback->player));
    status = ls_match_playback_seek_shown(playback, options->ticks[1], error);
    if (!status) {
        ls_world *after = ls_replay_player_world(playback->player);
        if (!options->is_json)
            ls_builder_add(&report->text,
                           "%s: a is tick %" PRIu64 ", root %016" PRIx64 "; b is tick %" PRIu64
                           ", root %016" PRIx64 "\n",
                           options->paths[0], options->ticks[0], ls_world_root(before),
                           options->ticks[1], ls_world_root(after));
        ls_world_diff(before, after, visit, report);
        finish(report);
    }
    ls_world_destroy(before);
    return status;
}

/* Steps both recordings until their states differ or one of them ends. */
static ls_status find_divergence(ls_match_playback pair[2], ls_error *error)
{
    uint64_t tick = ls_replay_player_first(pair[0].player);
    uint64_t last = ls_replay_player_last(pair[0].player);
    if (ls_replay_player_first(pair[1].player) > tick)
        tick = ls_replay_player_first(pair[1].player);
    if (ls_replay_player_last(pair[1].player) < last)
        last = ls_replay_player_last(pair[1].player);
    if (tick > last)
        return ls_error_set(error, LS_ERROR_USAGE, "%s and %s have no tick in common", pair[0].path,
                            pair[1].path);
    ls_status status = LS_OK;
    ls_tick_progress progress;
    ls_tick_progress_begin(&progress);
    for (;; tick++) {
        for (uint32_t i = 0; !status && i < 2; i++)
            status = ls_match_playback_seek(&pair[i], tick, error);
        if (status || tick == last ||
            ls_world_root(ls_replay_player_world(pair[0].player)) !=
                ls_world_root(ls_replay_player_world(pair[1].player)))
            break;
        ls_tick_progress_show(&progress, tick, last);
    }
    ls_tick_progress_end(&progress);
    return status;
}

static void add_lengths(diff_report *report, ls_match_playback pair[2])
{
    uint64_t lasts[2] = {ls_replay_player_last(pair[0].player),
                         ls_replay_player_last(pair[1].player)};
    if (lasts[0] == lasts[1] || report->options->tick_count || !may_print(report))
        return;
    char texts[2][24];
    for (uint32_t i = 0; i < 2; i++)
        snprintf(texts[i], sizeof texts[i], "%" PRIu64, lasts[i]);
    if (report->options->is_json) {
        open_json(&report->text, "length");
        close_json(&report->text, texts[0], texts[1]);
    } else {
        ls_builder_add(&report->text, "  last tick: %s | %s\n", texts[0], texts[1]);
    }
}

static void compare_files(diff_report *report, ls_match_playback pair[2])
{
    ls_world *a = ls_replay_player_world(pair[0].player),
             *b = ls_replay_player_world(pair[1].player);
    uint64_t tick = ls_world_tick(a);
    report->ticks[0] = report->ticks[1] = tick;
    bool differs = ls_world_root(a) != ls_world_root(b);
    if (!report->options->is_json)
        ls_builder_add(&report->text,
                       "a is %s, b is %s\n%stick %" PRIu64 ": root %016" PRIx64 " | %016" PRIx64
                       "\n",
                       pair[0].path, pair[1].path, differs ? "" : "equal up to ", tick,
                       ls_world_root(a), ls_world_root(b));
    if (differs && tick > ls_replay_player_first(pair[0].player) &&
        tick > ls_replay_player_first(pair[1].player))
        compare_inputs(report, ls_replay_player_frame(pair[0].player, tick - 1),
                       ls_replay_player_frame(pair[1].player, tick - 1));
    ls_world_diff(a, b, visit, report);
    if (!differs)
        add_lengths(report, pair);
    finish(report);
}

static void add_divergence_json(ls_builder *text, const ls_recording_divergence *divergence)
{
    static const char *const kinds[] = {"none", "inputs", "start", "state"};
    static const char *const names[] = {"a", "b"};
    open_json(text, "divergence");
    ls_json_string(text, "of", kinds[divergence->kind]);
    ls_json_u64_string(text, "tick", divergence->tick);
    for (uint32_t i = 0; i < 2 && divergence->kind != LS_RECORDING_DIVERGENCE_NONE; i++) {
        if (divergence->kind == LS_RECORDING_DIVERGENCE_INPUTS)
            ls_json_string(text, names[i], divergence->inputs[i]);
        else
            ls_json_root(text, names[i], divergence->roots[i]);
    }
    ls_json_close(text, '}');
    ls_builder_add(text, "\n");
}

static void add_divergence_text(ls_builder *text, const ls_recording_divergence *divergence)
{
    ls_builder_add(text, "according to the files: ");
    switch (divergence->kind) {
    case LS_RECORDING_DIVERGENCE_NONE:
        ls_builder_add(text, "no difference up to the end of the shorter one\n");
        break;
    case LS_RECORDING_DIVERGENCE_INPUTS:
        ls_builder_add(text, "inputs of tick %" PRIu64 ": %s | %s\n", divergence->tick,
                       divergence->inputs[0], divergence->inputs[1]);
        break;
    case LS_RECORDING_DIVERGENCE_START:
        ls_builder_add(text, "root before the first tick: %016" PRIx64 " | %016" PRIx64 "\n",
                       divergence->roots[0], divergence->roots[1]);
        break;
    case LS_RECORDING_DIVERGENCE_STATE:
        ls_builder_add(text, "root after tick %" PRIu64 ": %016" PRIx64 " | %016" PRIx64 "\n",
                       divergence->tick, divergence->roots[0], divergence->roots[1]);
        break;
    }
}

/* Adds the difference of inputs and roots in the files, for the case that this machine cannot
 * compute the states. */
static void add_divergence(diff_report *report, ls_error *error)
{
    const diff_options *options = report->options;
    ls_recording *pair[2] = {NULL, NULL};
    ls_recording_divergence divergence;
    ls_status status = LS_OK;
    for (uint32_t i = 0; !status && i < 2; i++)
        status = ls_recording_open(options->paths[i], &pair[i], NULL);
    if (!status && ls_recording_divergence_find(pair, &divergence, NULL) == LS_OK) {
        if (options->is_json)
            add_divergence_json(&report->text, &divergence);
        else
            add_divergence_text(&report->text, &divergence);
        ls_recording_divergence_reset(&divergence);
        ls_builder names = {0};
        ls_shell_word_add(&names, options->paths[0]);
        ls_shell_word_add(&names, options->paths[1]);
        ls_error_set(error, LS_ERROR_DIVERGED, "%s; `lockstep bisect%s` finds the cause",
                     error->text, names.data);
        ls_free(names.data);
    }
    ls_recording_close(pair[0]);
    ls_recording_close(pair[1]);
}

static ls_status diff_files(diff_report *report, ls_match_playback pair[2], ls_error *error)
{
    const diff_options *options = report->options;
    ls_status status = ls_match_playback_open_beside(options->paths[1], &options->playback,
                                                     &pair[0], &pair[1], error);
    if (!status && !options->tick_count)
        status = find_divergence(pair, error);
    for (uint32_t i = 0; !status && options->tick_count && i < 2; i++)
        status = ls_match_playback_seek_shown(&pair[i], options->ticks[0], error);
    if (!status)
        compare_files(report, pair);
    if (status == LS_ERROR_DIVERGED)
        add_divergence(report, error);
    return status;
}

static ls_status diff(diff_report *report, ls_error *error)
{
    const diff_options *options = report->options;
    ls_match_playback pair[2] = {{0}};
    ls_status status =
        ls_match_playback_open(options->paths[0], &options->playback, &pair[0], error);
    report->ticks[0] = options->ticks[0];
    report->ticks[1] = options->ticks[1];
    if (!status) {
        report->program = pair[0].loaded.program;
        status = options->path_count == 2 ? diff_files(report, pair, error)
                                          : diff_ticks(report, &pair[0], error);
    }
    ls_error other;
    ls_status written = !status || report->text.count
                            ? ls_output_write(options->output, &report->text, &other)
                            : LS_OK;
    if (!status && written) {
        status = written;
        *error = other;
    }
    ls_match_playback_close(&pair[1]);
    ls_match_playback_close(&pair[0]);
    return status;
}

ls_exit ls_replay_diff(int count, char **arguments)
{
    diff_options options = {.lines_max = LINES_DEFAULT};
    ls_error error;
    ls_arguments_parse(&argument_table, count, arguments, &options);
    diff_report report = {.options = &options};
    ls_builder_add(&report.text, "%s", "");
    ls_status status = diff(&report, &error);
    ls_free(report.text.data);
    if (status)
        return ls_command_fail("replay diff", status, &error);
    return report.lines ? LS_EXIT_DIVERGED : LS_EXIT_GOOD;
}
