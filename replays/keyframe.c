#include "replays/keyframe.h"

#include "core/state/planes.h"
#include "proto/pack.h"
#include <lockstep/bytes.h>
#include <lockstep/limits.h>

#include <string.h>

/* The bytes of a keyframe: u32 unpacked size, then the zstd frame. */
enum { HEAD_BYTES = 4, SECONDS_PER_MINUTE = 60, FINGERPRINT_AT = 6 /* core/state/planes.c */ };

void ls_keyframe_encode(const ls_snapshot *snapshot, const ls_snapshot *base, uint8_t **bytes,
                        size_t *count)
{
    uint8_t *planes, *packed;
    size_t planes_bytes, packed_bytes;
    *bytes = NULL;
    *count = 0;
    ls_planes_encode(snapshot, base, &planes, &planes_bytes);
    if (planes_bytes <= LS_SNAPSHOT_BYTES_MAX) {
        ls_pack(planes, planes_bytes, &packed, &packed_bytes);
        ls_writer writer;
        *count = HEAD_BYTES + packed_bytes;
        *bytes = ls_alloc(*count);
        ls_writer_init(&writer, *bytes, *count);
        ls_write_u32(&writer, (uint32_t)planes_bytes);
        ls_write_bytes(&writer, packed, packed_bytes);
        ls_free(packed);
    }
    ls_free(planes);
}

static ls_status unpack(const uint8_t *bytes, size_t count, uint8_t **planes,
                        uint32_t *planes_bytes, ls_error *error)
{
    ls_reader reader;
    ls_reader_init(&reader, bytes, count);
    *planes_bytes = ls_read_u32(&reader);
    size_t packed_bytes = ls_reader_left(&reader);
    const uint8_t *packed = ls_read_view(&reader, packed_bytes);
    if (!packed)
        return ls_error_set(error, LS_ERROR_CORRUPT, "a keyframe of %zu bytes is cut off", count);
    return ls_unpack(packed, packed_bytes, *planes_bytes, planes, error);
}

/* With `fingerprint`, the keyframe is taken for one of that build. */
static ls_status decode(ls_world *world, const ls_snapshot *base, const uint8_t *bytes,
                        size_t count, const uint8_t *fingerprint, ls_error *error)
{
    uint8_t *planes;
    uint32_t planes_bytes;
    ls_status status = unpack(bytes, count, &planes, &planes_bytes, error);
    if (status)
        return status;
    if (fingerprint && planes_bytes >= FINGERPRINT_AT + LS_FINGERPRINT_BYTES)
        memcpy(planes + FINGERPRINT_AT, fingerprint, LS_FINGERPRINT_BYTES);
    status = ls_planes_decode(world, base, planes, planes_bytes, error);
    ls_free(planes);
    return status;
}

ls_status ls_keyframe_decode(ls_world *world, const ls_snapshot *base, const uint8_t *bytes,
                             size_t count, ls_error *error)
{
    return decode(world, base, bytes, count, NULL, error);
}

bool ls_keyframe_root(const uint8_t *bytes, size_t count, uint64_t *root)
{
    uint8_t *planes;
    uint32_t planes_bytes;
    ls_reader reader;
    if (unpack(bytes, count, &planes, &planes_bytes, NULL) != LS_OK)
        return false;
    bool has_root = planes_bytes >= sizeof *root;
    if (has_root) {
        ls_reader_init(&reader, planes + planes_bytes - sizeof *root, sizeof *root);
        *root = ls_read_u64(&reader);
    }
    ls_free(planes);
    return has_root;
}

ls_status ls_keyframe_adopt(ls_world *world, const ls_snapshot *base, const uint8_t *bytes,
                            size_t count, ls_error *error)
{
    const uint8_t *own = ls_program_fingerprint(ls_world_program(world));
    return decode(world, base, bytes, count, own, error);
}

uint32_t ls_keyframe_interval(const ls_keyframe_costs *costs, const ls_keyframe_budget *budget)
{
    uint64_t ticks = LS_KEYFRAME_INTERVAL_MAX;
    if (costs->tick_ns) {
        uint64_t left_ns =
            budget->seek_ns > costs->decode_ns ? budget->seek_ns - costs->decode_ns : 0;
        ticks = left_ns / costs->tick_ns;
    }
    if (budget->bytes_per_minute) {
        uint64_t ticks_per_minute = (uint64_t)costs->tick_rate * SECONDS_PER_MINUTE;
        uint64_t fewest = (costs->bytes * ticks_per_minute + budget->bytes_per_minute - 1) /
                          budget->bytes_per_minute;
        ticks = ticks > fewest ? ticks : fewest;
    }
    if (ticks < LS_KEYFRAME_INTERVAL_MIN)
        return LS_KEYFRAME_INTERVAL_MIN;
    return ticks < LS_KEYFRAME_INTERVAL_MAX ? (uint32_t)ticks : LS_KEYFRAME_INTERVAL_MAX;
}
