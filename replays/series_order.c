#include "replays/series_order.h"

#include <string.h>

static uint64_t first_of(const ls_series_order *sequence, uint32_t file)
{
    return ls_recording_get_header(sequence->series->files[file])->first_tick;
}

static void add_keyframes(ls_series_order *sequence, const ls_recording *recording)
{
    const ls_recording_keyframe *list;
    uint32_t count = ls_recording_keyframes(recording, &list);
    if (count == 0)
        return;
    size_t all = (size_t)sequence->keyframe_count + count;
    sequence->keyframes = ls_realloc(sequence->keyframes, all * sizeof *list);
    memcpy(sequence->keyframes + sequence->keyframe_count, list, count * sizeof *list);
    sequence->keyframe_count += count;
}

void ls_series_order_init(ls_series_order *sequence, ls_series *series)
{
    *sequence = (ls_series_order){.series = series};
    sequence->first_tick = sequence->end_tick = first_of(sequence, 0);
    while (sequence->count < series->count &&
           first_of(sequence, sequence->count) == sequence->end_tick) {
        add_keyframes(sequence, series->files[sequence->count]);
        sequence->end_tick = ls_series_end_tick(series, sequence->count++);
    }
    sequence->next_tick = UINT64_MAX;
}

void ls_series_order_reset(ls_series_order *sequence)
{
    ls_series_close(sequence->series);
    ls_free(sequence->keyframes);
    *sequence = (ls_series_order){0};
}

/* The file was read completely when it was opened, so this cannot fail. */
const ls_frame *ls_series_order_frame(ls_series_order *sequence, uint64_t tick)
{
    const ls_recording_tick *found;
    uint32_t file = sequence->count - 1;
    LS_ASSERT(tick >= sequence->first_tick && tick < sequence->end_tick);
    while (first_of(sequence, file) > tick)
        file--;
    ls_recording *recording = sequence->series->files[file];
    if (file != sequence->file || tick != sequence->next_tick)
        LS_ASSERT(ls_recording_seek(recording, tick, NULL) == LS_OK);
    LS_ASSERT(ls_recording_next(recording, &found, NULL) == LS_OK && found);
    sequence->file = file;
    sequence->next_tick = tick + 1;
    return &found->frame;
}

bool ls_series_order_root(const ls_series_order *sequence, uint64_t tick, uint64_t *root)
{
    return tick <= sequence->end_tick && ls_series_find_root(sequence->series, tick, root);
}

const char *ls_series_order_rest(const ls_series_order *sequence, uint64_t *first_tick)
{
    if (sequence->count == sequence->series->count)
        return NULL;
    *first_tick = first_of(sequence, sequence->count);
    return sequence->series->names[sequence->count];
}
