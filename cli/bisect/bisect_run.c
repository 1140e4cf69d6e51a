#include "cli/bisect/bisect_run.h"

#include "cli/bisect/bisect_print.h"
#include "cli/common/child_process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The words of a process that runs one side up to a tick. */
#define TRY      "try %" PRIu32 " %" PRIu64
#define TRY_SCAN "try %" SCNu32 " %" SCNu64

static const char *const letters[] = {"A", "B"};

static ls_recording *recording_of(const ls_bisect_pair *pair, uint32_t side)
{
    return pair->recordings[1] ? pair->recordings[side] : pair->recordings[0];
}

static void print(const ls_bisect_pair *pair, const ls_bisect *found, ls_builder *text)
{
    ls_result_writer result;
    ls_result_begin(&result, "");
    for (uint32_t i = 0; i < 2; i++)
        ls_result_line(&result, letters[i], "%s", pair->names[i]);
    ls_bisect_print(found, pair->is_json ? pair->names : letters, &result);
    ls_result_end(&result);
    if (pair->is_json)
        ls_builder_add(text, "%s\n", result.json.data);
    else
        ls_builder_put(text, result.lines.data, result.lines.count);
    ls_result_reset(&result);
}

static void begin_search(void *argument)
{
    ((ls_child *)argument)->report->has_no_steps = true;
}

/* If the builds, each in its own process, differ earlier than they do in one process, the earlier
 * tick is reported. If the run in one process has examined its difference down to the cell, that
 * finding stays, and the earlier tick is only noted (`apart_tick`). */
static void note_apart(const ls_bisect_pair *pair, ls_bisect *found)
{
    const ls_bisect_alone *alone = pair->alone;
    uint64_t first = ls_recording_get_header(pair->recordings[0])->first_tick, i = 0;
    uint64_t count = alone[0].count < alone[1].count ? alone[0].count : alone[1].count;
    while (i < count && alone[0].roots[i] == alone[1].roots[i])
        i++;
    bool is_first = i < count && (found->kind == LS_BISECT_SAME || found->tick + 1 > first + i);
    if (!is_first || (i == 0 && found->kind == LS_BISECT_START))
        return;
    uint64_t ticks = i ? i - 1 : 0;
    if (!found->has_difference) {
        ls_bisect_reset(found);
        found->kind = i ? LS_BISECT_STATE : LS_BISECT_START;
        found->ticks = ticks;
        found->tick = first + ticks;
        found->has_roots = true;
        found->roots[0] = alone[0].roots[i];
        found->roots[1] = alone[1].roots[i];
    }
    found->is_apart = true;
    found->apart_tick = first + ticks;
}

static void add_builds(const ls_bisect_pair *pair, ls_bisect *found)
{
    uint64_t first = ls_recording_get_header(pair->recordings[0])->first_tick, index;
    for (uint32_t i = 0; pair->alone && i < 2; i++) {
        const ls_bisect_alone *alone = &pair->alone[i];
        found->floats[i] = alone->floats;
        if (!alone->count)
            continue;
        bool diverges = ls_bisect_alone_diverges(alone, pair->recordings[0], &index);
        found->recorded[i] = !diverges ? LS_BISECT_AGREES
                             : index   ? LS_BISECT_DIVERGES
                                       : LS_BISECT_DIVERGES_AT_START;
        found->recorded_ticks[i] = first + index - (index > 0);
    }
}

static ls_status search_pair(ls_child *child, const ls_bisect_pair *pair, ls_error *error)
{
    const ls_run_watch watch = {child, ls_bisect_report_tick, begin_search};
    ls_bisect found;
    /* Both recordings are read before any tick runs. */
    child->report->has_no_steps = pair->recordings[1];
    ls_status status =
        pair->recordings[1]
            ? ls_bisect_recordings(pair->recordings, pair->programs, &watch, &found, error)
            : ls_bisect_builds(pair->recordings[0], pair->programs, &watch, &found, error);
    if (status)
        return status;
    if (pair->alone)
        note_apart(pair, &found);
    add_builds(pair, &found);
    ls_builder text = {0};
    ls_builder_put(&text, &(char){(char)found.kind}, 1);
    print(pair, &found, &text);
    status = ls_child_give(child, text.data, text.count, error);
    ls_free(text.data);
    ls_bisect_reset(&found);
    return status;
}

/* A fork has `pair.alone`, the results of each build alone. A child that is another run of the
 * command reads them from `extra_file`. */
static ls_status search(ls_child *child, void *argument, ls_error *error)
{
    ls_bisect_pair pair = *(const ls_bisect_pair *)argument;
    ls_bisect_alone alone[2] = {0};
    uint8_t *bytes;
    size_t count;
    if (!child->extra_file)
        return search_pair(child, &pair, error);
    ls_status status = ls_file_take(child->extra_file, &bytes, &count, error);
    if (status)
        return status;
    ls_reader reader;
    ls_reader_init(&reader, bytes, count);
    if (ls_bisect_alone_decode(&reader, &alone[0]) && ls_bisect_alone_decode(&reader, &alone[1]))
        pair.alone = alone;
    ls_free(bytes);
    status = search_pair(child, &pair, error);
    ls_bisect_alone_reset(&alone[0]);
    ls_bisect_alone_reset(&alone[1]);
    return status;
}

static ls_status start_search(const ls_bisect_pair *pair, ls_child *child, ls_error *error)
{
    ls_child_again again = {.timeout_ns = pair->timeout_ns, .words = "search"};
    ls_bisect_pair own = *pair;
    ls_builder bytes = {0};
    for (uint32_t i = 0; pair->alone && i < 2; i++)
        ls_bisect_alone_encode(&pair->alone[i], &bytes);
    if (pair->alone)
        again.file = ls_file_make((const uint8_t *)bytes.data, bytes.count);
    ls_free(bytes.data);
    if (again.file < 0)
        return ls_error_set(error, LS_ERROR_IO, "cannot keep the roots of the builds");
    ls_status status = ls_child_start_again(child, &again, search, &own, error);
    if (again.file)
        close(again.file);
    return status;
}

/* Waits with a progress bar of both whole matches, because it is not known which part is
 * replayed. */
static void wait_for(const ls_bisect_pair *pair, ls_child *child)
{
    uint64_t total = 2 * ls_recording_find_end(pair->recordings[0])->tick_count;
    ls_bisect_wait(child, pair->shows_progress ? total + 1 : 0);
}

static void take_alone(const ls_bisect_alone *alone, uint32_t side, ls_bisect *found)
{
    found->texts[side] = ls_text_duplicate(alone->end);
    if (alone->end && alone->tick < found->tick)
        found->tick = alone->tick;
}

/* Finds how one side ends in a process of its own: from `pair->alone`, or by running it up to the
 * tick. In the process that died both sides ran, and one may have damaged the other's memory. */
static ls_status try_alone(const ls_bisect_pair *pair, uint32_t side, uint64_t tick,
                           ls_bisect *found, ls_error *error)
{
    char words[48];
    snprintf(words, sizeof words, TRY, side, tick);
    const ls_bisect_alone_config config = {.recording = recording_of(pair, side),
                                           .program = pair->programs[side],
                                           .side = side,
                                           .words = words,
                                           .end_tick = tick + 1,
                                           .timeout_ns = pair->timeout_ns,
                                           .shows_progress = pair->shows_progress};
    ls_bisect_alone alone = {0};
    ls_status status = LS_OK;
    if (!pair->alone)
        status = ls_bisect_alone_run(&config, &alone, error);
    if (!status)
        take_alone(pair->alone ? &pair->alone[side] : &alone, side, found);
    ls_bisect_alone_reset(&alone);
    return status;
}

static ls_status find_crash(const ls_bisect_pair *pair, uint64_t tick, const ls_error *how,
                            ls_error *error)
{
    uint64_t first = ls_recording_get_header(pair->recordings[0])->first_tick;
    ls_bisect found = {.kind = LS_BISECT_CRASH, .tick = tick};
    ls_status status = LS_OK;
    for (uint32_t i = 0; !status && i < 2; i++)
        status = try_alone(pair, i, tick, &found, error);
    /* Neither side crashes in a process of its own: report the crash for the side that was
     * running. */
    uint32_t side = strstr(how->text, "side B") ? 1 : 0;
    if (!status && !found.texts[0] && !found.texts[1])
        found.texts[side] = ls_text_duplicate(how->text);
    found.ticks = found.tick - first;
    add_builds(pair, &found);
    ls_builder text = {0};
    if (!status) {
        print(pair, &found, &text);
        fputs(text.data, stdout);
    }
    ls_free(text.data);
    ls_bisect_reset(&found);
    return status;
}

static ls_status take(const ls_bisect_pair *pair, ls_child *child, ls_bisect_kind *kind,
                      ls_error *error)
{
    uint8_t *bytes;
    size_t count;
    ls_status status = ls_child_status(child, error);
    if (!child->report->is_done) {
        ls_error how = *error;
        *kind = LS_BISECT_CRASH;
        return find_crash(pair, child->report->tick, &how, error);
    }
    if (!status)
        status = ls_child_take(child, &bytes, &count, error);
    if (status)
        return status;
    *kind = count ? (ls_bisect_kind)bytes[0] : LS_BISECT_SAME;
    if (count)
        (void)fwrite(bytes + 1, 1, count - 1, stdout);
    ls_free(bytes);
    return LS_OK;
}

ls_status ls_bisect_run(const ls_bisect_pair *pair, ls_bisect_kind *kind, ls_error *error)
{
    ls_child child;
    ls_bisect found = {0};
    const char *words = ls_child_words();
    uint32_t side;
    uint64_t tick;
    if (words && sscanf(words, TRY_SCAN, &side, &tick) == 2)
        return try_alone(pair, side & 1, tick, &found, error);
    ls_status status = start_search(pair, &child, error);
    if (status)
        return status;
    wait_for(pair, &child);
    status = take(pair, &child, kind, error);
    ls_child_reset(&child);
    return status;
}
