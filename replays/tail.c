/* Distinguishes the end that a dying process or machine leaves from bytes that were changed later.
 * The rules are in docs/replay-format.md, section "How a recording ends". */
#include "replays/tail.h"
#include "core/base/fault_injection.h"

enum {
    /* Disks write whole sectors, so zeros after written bytes begin at a sector. */
    SECTOR_BYTES = 512,
    /* The search hashes at most this many bytes, because a hostile file may be full of fake
     * records. */
    HASHED_BYTES_MAX = 256 << 20,
};

/* The end of the bytes that reached the disk: the first end of a sector after the last byte that is
 * not zero, at most the end of the file; `offset` if only zeros follow it. */
static size_t written_end(const ls_reader *file, size_t offset)
{
    size_t end = file->count;
    while (end > offset && file->data[end - 1] == 0)
        end--;
    if (end == offset)
        return offset;
    size_t sector_end = (end + SECTOR_BYTES - 1) / SECTOR_BYTES * SECTOR_BYTES;
    return sector_end < file->count ? sector_end : file->count;
}

/* Whether a record after the damage may begin here: rejects almost all random bytes without
 * hashing. */
static bool is_plausible(const ls_tail *tail, size_t at, ls_record *record)
{
    const ls_reader *file = &tail->file;
    if (!ls_record_peek(file, at, record) || record->bytes > file->count - at)
        return false;
    record->payload = file->data + at + record->head_bytes;
    uint64_t tick_max = tail->next_tick + (file->count - tail->offset);
    ls_recording_keyframe keyframe;
    ls_recording_columns columns;
    ls_recording_signature signature;
    ls_recording_closing closing;
    ls_recording_epoch epoch;
    ls_record_roots roots;
    ls_reader payload;
    switch (record->type) {
    case LS_RECORD_FRAME:
        ls_reader_init(&payload, record->payload, record->payload_bytes);
        uint64_t tick = ls_read_number(&payload);
        return !payload.failed && tick >= tail->next_tick && tick <= tick_max;
    case LS_RECORD_CLOSING:
        return ls_record_decode_closing(record, &closing, &roots);
    case LS_RECORD_ROOTS:
        return ls_record_decode_roots(record, &roots);
    case LS_RECORD_EPOCH:
        return ls_record_decode_epoch(record, &epoch) && epoch.tick >= tail->next_tick &&
               epoch.tick <= tick_max;
    case LS_RECORD_KEYFRAME:
        return ls_record_decode_keyframe(record, tail->header->match.player_count, &keyframe) &&
               keyframe.tick <= tick_max;
    case LS_RECORD_COLUMNS:
        return ls_record_decode_columns(record, &columns) && columns.tick <= tick_max;
    case LS_RECORD_SIGNATURE:
        return ls_record_decode_signature(record, &signature) && signature.tick <= tick_max;
    default:
        return false;
    }
}

bool ls_tail_find(const ls_tail *tail, ls_tail_search *search, ls_record *record)
{
    for (; search->at < tail->file.count; search->at++) {
        if (!is_plausible(tail, search->at, record))
            continue;
        if (search->hashed_bytes > HASHED_BYTES_MAX)
            return false;
        search->hashed_bytes += record->bytes;
        if (!ls_record_verify(&tail->file, search->at, tail->header->salt, record))
            continue;
        search->at += record->bytes;
        return true;
    }
    return false;
}

/* True when a known record verifies after the tail's start: then the bytes in between were once
 * complete. Also true when there is too much to hash. */
static bool has_later_record(const ls_tail *tail)
{
    ls_record record;
    ls_tail_search search = {.at = tail->offset + 1};
    return ls_tail_find(tail, &search, &record) || search.hashed_bytes > HASHED_BYTES_MAX;
}

/* True when the written bytes end within the head of a record. */
static bool is_head_cut(const ls_reader *written, size_t offset)
{
    size_t left = written->count - offset;
    if (left >= LS_RECORD_HEAD_BYTES || written->data[offset] == 0)
        return false;
    for (size_t i = 1; i < left; i++)
        if (!(written->data[offset + i] & 0x80))
            return false;
    return true;
}

ls_recording_end_kind ls_tail_classify(const ls_tail *tail)
{
    size_t end = written_end(&tail->file, tail->offset);
    if (tail->offset == tail->file.count)
        return LS_RECORDING_OPEN;
    if (end == tail->offset)
        return LS_RECORDING_ZEROS;
    if (LS_FAULT(DAMAGE_IS_TORN))
        return LS_RECORDING_TORN;
    ls_record record;
    ls_tail written = *tail;
    written.file.count = end;
    bool has_head = ls_record_peek(&written.file, tail->offset, &record);
    if (!has_head && !is_head_cut(&written.file, tail->offset))
        return LS_RECORDING_DAMAGED;
    if (has_head && record.bytes <= end - tail->offset)
        return LS_RECORDING_DAMAGED;
    return has_later_record(&written) ? LS_RECORDING_DAMAGED : LS_RECORDING_TORN;
}

uint32_t ls_tail_keyframes(const ls_tail *tail, uint64_t full_tick)
{
    ls_record record;
    ls_recording_keyframe keyframe;
    ls_tail_search search = {.at = tail->offset + 1};
    uint32_t count = 0;
    while (ls_tail_find(tail, &search, &record)) {
        if (record.type != LS_RECORD_KEYFRAME ||
            !ls_record_decode_keyframe(&record, tail->header->match.player_count, &keyframe))
            continue;
        if (keyframe.base_tick == keyframe.tick)
            full_tick = keyframe.tick;
        count += keyframe.base_tick == full_tick;
    }
    return count;
}
