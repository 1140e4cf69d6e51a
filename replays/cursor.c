#include "replays/cursor.h"

#include <string.h>

void ls_cursor_init(ls_cursor *cursor, const ls_reader *file, size_t offset,
                    const ls_recording_header *header)
{
    cursor->file = *file;
    cursor->header = header;
    const ls_cursor_place start = {
        .end = {.valid_bytes = offset,
                .root_tick = header->first_tick,
                .epoch = {.tick = header->first_tick, .epoch = header->first_epoch}},
        .next_keyframe = header->first_tick,
        .next_columns = header->first_tick,
        .full_tick = UINT64_MAX,
    };
    ls_cursor_move(cursor, &start);
}

void ls_cursor_move(ls_cursor *cursor, const ls_cursor_place *place)
{
    cursor->place = *place;
    cursor->file.offset = (size_t)place->end.valid_bytes;
    cursor->states = (ls_state_memory){0};
    cursor->root_count = 0;
}

uint64_t ls_cursor_tick(const ls_cursor *cursor)
{
    return cursor->header->first_tick + cursor->place.end.tick_count;
}

ls_recording_roots ls_cursor_roots(const ls_cursor *cursor)
{
    return (ls_recording_roots){.first_tick = cursor->place.end.root_tick - cursor->root_count,
                                .count = cursor->root_count,
                                .values = cursor->roots};
}

/* Whether the roots are plausible: a record may have roots up to that of the state before the next
 * frame. */
static bool roots_fit(const ls_cursor *cursor, const ls_record_roots *roots)
{
    return roots->count <= ls_cursor_tick(cursor) + 1 - cursor->place.end.root_tick;
}

/* Stores roots. The limit on their lag ensures that the roots between two frames fit. */
static void take_values(ls_cursor *cursor, const ls_record_roots *roots)
{
    LS_ASSERT(cursor->root_count + roots->count <= LS_COUNT_OF(cursor->roots));
    memcpy(cursor->roots + cursor->root_count, roots->values,
           roots->count * sizeof roots->values[0]);
    cursor->root_count += roots->count;
    cursor->place.end.root_tick += roots->count;
}

/* Takes a verified frame; false when its content is wrong. A correct checksum over wrong content
 * comes from a faulty or hostile writer; it also counts as damage. */
static bool take_frame(ls_cursor *cursor, const ls_record *record)
{
    ls_recording_end *end = &cursor->place.end;
    ls_recording_tick *tick = &cursor->tick;
    ls_record_roots roots;
    if (!ls_record_decode_frame(record, cursor->header->match.player_count, &cursor->states,
                                cursor->inputs, &tick->frame, &roots) ||
        tick->frame.tick != ls_cursor_tick(cursor) || !roots_fit(cursor, &roots) ||
        tick->frame.tick + 1 - end->root_tick - roots.count > LS_RECORDING_LAG_TICKS_MAX)
        return false;
    take_values(cursor, &roots);
    tick->roots = ls_cursor_roots(cursor);
    tick->epoch = end->epoch.epoch;
    end->tick_count++;
    return true;
}

static bool take_roots(ls_cursor *cursor, const ls_record *record)
{
    ls_record_roots roots;
    if (!ls_record_decode_roots(record, &roots) || !roots_fit(cursor, &roots))
        return false;
    take_values(cursor, &roots);
    return true;
}

static bool take_epoch(ls_cursor *cursor, const ls_record *record)
{
    ls_recording_end *end = &cursor->place.end;
    ls_recording_epoch epoch;
    if (!ls_record_decode_epoch(record, &epoch) || epoch.tick != ls_cursor_tick(cursor) ||
        epoch.epoch <= end->epoch.epoch)
        return false;
    end->epoch = epoch;
    end->epoch_count++;
    return true;
}

static bool take_keyframe(ls_cursor *cursor, const ls_record *record)
{
    ls_cursor_place *place = &cursor->place;
    ls_recording_keyframe *keyframe = &cursor->keyframe;
    if (!ls_record_decode_keyframe(record, cursor->header->match.player_count, keyframe) ||
        keyframe->tick < place->next_keyframe || keyframe->tick > ls_cursor_tick(cursor))
        return false;
    keyframe->offset = place->end.valid_bytes;
    if (keyframe->base_tick == keyframe->tick)
        place->full_tick = keyframe->tick;
    place->next_keyframe = keyframe->tick + 1;
    return keyframe->base_tick == place->full_tick;
}

static bool take_columns(ls_cursor *cursor, const ls_record *record)
{
    ls_cursor_place *place = &cursor->place;
    if (!ls_record_decode_columns(record, &cursor->columns) ||
        cursor->columns.tick < place->next_columns || cursor->columns.tick > ls_cursor_tick(cursor))
        return false;
    place->next_columns = cursor->columns.tick + 1;
    return true;
}

/* Takes a signature without checking it: the check has to hash all bytes before it, see
 * ls_recording_check_signatures(). */
static bool take_signature(const ls_cursor *cursor, const ls_record *record)
{
    ls_recording_signature signature;
    return ls_record_decode_signature(record, &signature) &&
           signature.tick == ls_cursor_tick(cursor);
}

/* Whether at the end every tick must have a root. Ticks may lack one only in a match that failed,
 * in a part of a match, and after a reason that a later version adds. */
static bool needs_all_roots(uint8_t reason)
{
    return reason >= LS_CLOSING_FINISHED && reason <= LS_CLOSING_ABANDONED;
}

static bool take_closing(ls_cursor *cursor, const ls_record *record)
{
    ls_recording_end *end = &cursor->place.end;
    ls_recording_closing closing;
    ls_record_roots roots;
    if (!ls_record_decode_closing(record, &closing, &roots) ||
        closing.tick_count != end->tick_count || !roots_fit(cursor, &roots) ||
        (needs_all_roots(closing.reason) &&
         end->root_tick + roots.count != ls_cursor_tick(cursor) + 1))
        return false;
    take_values(cursor, &roots);
    end->closing = closing;
    end->is_closed = true;
    return true;
}

/* Whether a record of this type is valid here. A file that begins within a match begins with a
 * keyframe; after a closing record only a signature is valid. */
static bool has_place(const ls_cursor *cursor, uint8_t type)
{
    const ls_cursor_place *place = &cursor->place;
    if (place->end.is_closed)
        return type == LS_RECORD_SIGNATURE;
    bool lacks_state =
        cursor->header->first_tick > 0 && place->next_keyframe == cursor->header->first_tick;
    return !lacks_state || type == LS_RECORD_KEYFRAME;
}

/* Takes a verified record of a type that must be known; false when its content or position is
 * wrong. */
static bool take(ls_cursor *cursor, const ls_record *record)
{
    if (!has_place(cursor, record->type))
        return false;
    switch (record->type) {
    case LS_RECORD_FRAME:
        return take_frame(cursor, record);
    case LS_RECORD_CLOSING:
        return take_closing(cursor, record);
    case LS_RECORD_ROOTS:
        return take_roots(cursor, record);
    case LS_RECORD_EPOCH:
        return take_epoch(cursor, record);
    case LS_RECORD_KEYFRAME:
        return take_keyframe(cursor, record);
    case LS_RECORD_COLUMNS:
        return take_columns(cursor, record);
    case LS_RECORD_SIGNATURE:
        return take_signature(cursor, record);
    default:
        return false;
    }
}

bool ls_cursor_step(ls_cursor *cursor, ls_record *record)
{
    ls_reader *file = &cursor->file;
    ls_recording_end *end = &cursor->place.end;
    if (end->kind != LS_RECORDING_RUNNING ||
        !ls_record_verify(file, file->offset, cursor->header->salt, record))
        return false;
    bool is_skipped = record->type & LS_RECORD_SKIPPABLE;
    if (!is_skipped && record->type > LS_RECORD_KNOWN_MAX)
        end->kind = LS_RECORDING_UNKNOWN_TYPE;
    else if (!is_skipped && !take(cursor, record))
        end->kind = LS_RECORDING_DAMAGED;
    if (end->kind != LS_RECORDING_RUNNING)
        return false;
    file->offset += record->bytes;
    end->valid_bytes = file->offset;
    return true;
}
