#include "proto/pack.h"

#include "core/base/fault_injection.h"
#include <lockstep/limits.h>

#include <zstd.h>
#include <zstd_errors.h>

/* The fastest level: snapshots are packed while a match runs, and slower levels would delay a join
 * more than they save on a fast network. */
enum { LEVEL = 1 };

/* True when zstd failed because it could not allocate its own memory. */
static bool lacks_memory(size_t result)
{
    return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
}

void ls_pack(const uint8_t *bytes, size_t count, uint8_t **packed, size_t *packed_bytes)
{
    LS_ASSERT(count >= 1 && count <= LS_SNAPSHOT_BYTES_MAX);
    size_t bound = ZSTD_compressBound(count);
    *packed = ls_alloc(bound);
    *packed_bytes = ZSTD_compress(*packed, bound, bytes, count, LEVEL);
    if (lacks_memory(*packed_bytes) && !LS_FAULT(PACK_ASSERTS_MEMORY))
        ls_memory_failed(bound);
    LS_ASSERT(!ZSTD_isError(*packed_bytes));
    *packed = ls_realloc(*packed, *packed_bytes);
}

/* True for a single frame without a dictionary and of the announced size. A skippable frame
 * declares 0 bytes, so it fails. */
static bool is_announced(const uint8_t *packed, size_t packed_bytes, uint32_t raw_bytes)
{
    return ZSTD_getFrameContentSize(packed, packed_bytes) == raw_bytes &&
           ZSTD_getDictID_fromFrame(packed, packed_bytes) == 0 &&
           ZSTD_findFrameCompressedSize(packed, packed_bytes) == packed_bytes;
}

ls_status ls_unpack(const uint8_t *packed, size_t packed_bytes, uint32_t raw_bytes, uint8_t **bytes,
                    ls_error *error)
{
    *bytes = NULL;
    if (raw_bytes == 0 || raw_bytes > LS_SNAPSHOT_BYTES_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT, "%u bytes unpacked are not allowed, 1 to %u are",
                            raw_bytes, LS_SNAPSHOT_BYTES_MAX);
    if (!is_announced(packed, packed_bytes, raw_bytes))
        return ls_error_set(error, LS_ERROR_CORRUPT, "not one packed frame of %u bytes", raw_bytes);
    *bytes = ls_alloc(raw_bytes);
    size_t result = ZSTD_decompress(*bytes, raw_bytes, packed, packed_bytes);
    if (result == raw_bytes)
        return LS_OK;
    if (lacks_memory(result))
        ls_memory_failed(raw_bytes);
    ls_free(*bytes);
    *bytes = NULL;
    return ls_error_set(error, LS_ERROR_CORRUPT, "the packed bytes are damaged");
}
