#include "replays/recording_index.h"

#include "core/base/grow.h"
#include "replays/tail.h"

#include <string.h>

static void add_keyframe(ls_recording_index *index, const ls_recording_keyframe *keyframe)
{
    index->keyframes =
        ls_grow_counted(index->keyframes, index->keyframe_count, sizeof index->keyframes[0]);
    index->keyframes[index->keyframe_count++] = *keyframe;
}

static void add_columns(ls_recording_index *index, const ls_recording_columns *columns)
{
    index->columns =
        ls_grow_counted(index->columns, index->columns_count, sizeof index->columns[0]);
    index->columns[index->columns_count++] = *columns;
}

static void add_signature(ls_recording_index *index, size_t offset)
{
    index->signatures =
        ls_grow_counted(index->signatures, index->signature_count, sizeof index->signatures[0]);
    index->signatures[index->signature_count++] = offset;
}

static void add_place(ls_recording_index *index, const ls_cursor *cursor)
{
    index->places = ls_grow_counted(index->places, index->place_count, sizeof index->places[0]);
    index->places[index->place_count++] = cursor->place;
}

/* Adds the roots of the last record, before the cursor drops them with the next frame. */
static void add_roots(ls_recording_index *index, const ls_cursor *cursor)
{
    uint32_t known = (uint32_t)(cursor->place.end.root_tick - cursor->header->first_tick);
    ls_recording_roots roots = ls_cursor_roots(cursor);
    uint32_t old = roots.count - (known - index->root_count);
    for (uint32_t i = old; i < roots.count; i++) {
        index->roots = ls_grow_counted(index->roots, index->root_count, sizeof index->roots[0]);
        index->roots[index->root_count++] = roots.values[i];
    }
}

static void note(ls_recording_index *index, ls_cursor *cursor, const ls_record *record,
                 size_t offset)
{
    switch (record->type) {
    case LS_RECORD_KEYFRAME:
        add_keyframe(index, &cursor->keyframe);
        break;
    case LS_RECORD_COLUMNS:
        add_columns(index, &cursor->columns);
        break;
    case LS_RECORD_SIGNATURE:
        add_signature(index, offset);
        break;
    case LS_RECORD_EVIDENCE:
        if (!index->evidence) {
            index->evidence = record->payload;
            index->evidence_bytes = record->payload_bytes;
        }
        break;
    case LS_RECORD_LINK:
        if (!index->has_link)
            index->has_link = ls_record_decode_link(record, &index->link);
        break;
    default:
        add_roots(index, cursor);
        break;
    }
    if (record->type != LS_RECORD_FRAME)
        return;
    cursor->root_count = 0;
    if (ls_cursor_tick(cursor) % LS_RECORDING_FRESH_TICKS == 0)
        add_place(index, cursor);
}

void ls_recording_index_make(ls_recording_index *index, ls_cursor *cursor)
{
    ls_record record;
    *index = (ls_recording_index){0};
    add_place(index, cursor);
    for (size_t offset = cursor->file.offset; ls_cursor_step(cursor, &record);
         offset = cursor->file.offset)
        note(index, cursor, &record, offset);
    index->last = cursor->place;
    index->states = cursor->states;
    index->end = cursor->place.end;
    index->end.ignored_bytes = cursor->file.count - index->end.valid_bytes;
    ls_tail tail = {.file = cursor->file,
                    .header = cursor->header,
                    .offset = (size_t)index->end.valid_bytes,
                    .next_tick = ls_cursor_tick(cursor)};
    if (index->end.kind == LS_RECORDING_RUNNING)
        index->end.kind = ls_tail_classify(&tail);
    if (index->end.kind == LS_RECORDING_OPEN && index->end.is_closed)
        index->end.kind = LS_RECORDING_CLEAN;
    if (index->end.kind == LS_RECORDING_DAMAGED)
        index->end.later_keyframes = ls_tail_keyframes(&tail, index->last.full_tick);
}

void ls_recording_index_reset(ls_recording_index *index)
{
    ls_free(index->keyframes);
    ls_free(index->columns);
    ls_free(index->places);
    ls_free(index->roots);
    ls_free(index->signatures);
    *index = (ls_recording_index){0};
}

const ls_cursor_place *ls_recording_index_place(const ls_recording_index *index, uint64_t tick,
                                                uint64_t first_tick)
{
    LS_ASSERT(tick >= first_tick && tick - first_tick <= index->end.tick_count);
    /* Entry 0 is for the first tick; one follows for each later multiple of
     * LS_RECORDING_FRESH_TICKS. */
    uint64_t at = tick / LS_RECORDING_FRESH_TICKS - first_tick / LS_RECORDING_FRESH_TICKS;
    return &index->places[at < index->place_count ? at : index->place_count - 1];
}
