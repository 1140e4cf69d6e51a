/* Tells what a dying process or machine leaves at the end of a recording from bytes that changed
 * later. The rules are those of docs/replay-format.md, section "How a recording ends". */
#include "core/plant.h"
#include "replays/replays_internal.h"

enum {
    /* Disks write whole sectors: where written bytes stop and zeros begin, it is at such a step. */
    SECTOR_BYTES = 512,
    /* A hostile file may be full of things that look like records; so many are checked. */
    SEARCHES_MAX = 1 << 14,
};

/* The end of the bytes that reached the disk: the file's, or the sector where the zeros begin. */
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

/* True when any record that must be known verifies behind `offset`: then what is at `offset` was
 * complete once. A search that finds too many candidates answers true as well. */
static bool has_later_record(const ls_reader *file, size_t offset, uint64_t salt)
{
    uint32_t searches = 0;
    for (size_t at = offset + 1; at < file->count; at++) {
        ls_record record;
        if (!ls_record_peek(file, at, &record) || record.type < LS_RECORD_FRAME ||
            record.type > LS_RECORD_EPOCH || record.bytes > file->count - at)
            continue;
        if (++searches > SEARCHES_MAX || ls_record_verify(file, at, salt, &record))
            return true;
    }
    return false;
}

ls_recording_end_kind ls_tail_classify(const ls_reader *file, size_t offset, uint64_t salt)
{
    size_t end = written_end(file, offset);
    if (offset == file->count)
        return LS_RECORDING_OPEN;
    if (end == offset)
        return LS_RECORDING_ZEROS;
    if (LS_PLANT(DAMAGE_IS_TORN))
        return LS_RECORDING_TORN;
    ls_record record;
    const ls_reader written = {.data = file->data, .count = end};
    bool has_head = end - offset >= LS_RECORD_HEAD_BYTES;
    if (has_head && !ls_record_peek(&written, offset, &record))
        return LS_RECORDING_DAMAGED;
    if (has_head && record.bytes <= end - offset)
        return LS_RECORDING_DAMAGED;
    return has_later_record(&written, offset, salt) ? LS_RECORDING_DAMAGED : LS_RECORDING_TORN;
}
