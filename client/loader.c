#include "client/loader.h"

#include <string.h>

#define RANGE_CHUNKS (LS_CLIENT_RANGE_BYTES / LS_CHUNK_BYTES_MAX)
_Static_assert(LS_CLIENT_RANGE_BYTES <= LS_SNAPSHOT_REQUEST_BYTES_MAX &&
                   LS_CLIENT_RANGE_BYTES % LS_CHUNK_BYTES_MAX == 0,
               "a range is one request of whole chunks");

void ls_loader_init(ls_loader *loader, uint32_t bytes_max)
{
    *loader = (ls_loader){.bytes_max = bytes_max};
}

void ls_loader_reset(ls_loader *loader)
{
    ls_free(loader->bytes);
    ls_free(loader->has);
    ls_loader_init(loader, loader->bytes_max);
}

static void fill_request(const ls_loader *loader, const ls_loader_range *range,
                         ls_snapshot_request *request)
{
    *request = (ls_snapshot_request){.tick = loader->tick,
                                     .offset = range->first * LS_CHUNK_BYTES_MAX,
                                     .bytes = range->count * LS_CHUNK_BYTES_MAX};
}

static void trim(const ls_loader *loader, ls_loader_range *range)
{
    while (range->count && loader->has[range->first]) {
        range->first++;
        range->count--;
    }
    while (range->count && loader->has[range->first + range->count - 1])
        range->count--;
}

static bool refill(ls_loader *loader, ls_loader_range *range)
{
    uint32_t left = loader->chunk_count - loader->cursor;
    range->first = loader->cursor;
    range->count = left < RANGE_CHUNKS ? left : RANGE_CHUNKS;
    loader->cursor += range->count;
    return range->count != 0;
}

static bool ask_opening(ls_loader *loader, uint64_t now_ns, uint64_t patience_ns,
                        ls_snapshot_request *request)
{
    if (loader->asked_ns && now_ns - loader->asked_ns < patience_ns)
        return false;
    loader->asked_ns = now_ns;
    *request = (ls_snapshot_request){.bytes = LS_CLIENT_RANGE_BYTES};
    return true;
}

bool ls_loader_ask(ls_loader *loader, uint64_t now_ns, uint64_t patience_ns,
                   ls_snapshot_request *request)
{
    if (!loader->has_begun)
        return ask_opening(loader, now_ns, patience_ns, request);
    for (uint32_t i = 0; i < LS_CLIENT_RANGES; i++) {
        ls_loader_range *range = &loader->ranges[i];
        trim(loader, range);
        bool is_due = range->count ? now_ns - range->sent_ns >= patience_ns : refill(loader, range);
        if (is_due) {
            range->sent_ns = now_ns;
            fill_request(loader, range, request);
            return true;
        }
    }
    return false;
}

static ls_status begin(ls_loader *loader, const ls_snapshot_chunk *chunk, ls_error *error)
{
    if (chunk->total_bytes > loader->bytes_max)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "the snapshot has %u bytes, more than the %u that are allowed",
                            chunk->total_bytes, loader->bytes_max);
    uint64_t asked_ns = loader->asked_ns;
    ls_loader_reset(loader);
    loader->has_begun = true;
    loader->asked_ns = asked_ns;
    loader->tick = chunk->tick;
    loader->total_bytes = chunk->total_bytes;
    loader->chunk_count = (chunk->total_bytes - 1) / LS_CHUNK_BYTES_MAX + 1;
    loader->missing = loader->chunk_count;
    loader->bytes = ls_alloc(chunk->total_bytes);
    loader->has = ls_alloc(loader->chunk_count);
    /* The opening request asked for the first range already. */
    refill(loader, &loader->ranges[0]);
    loader->ranges[0].sent_ns = asked_ns;
    return LS_OK;
}

/* The one size that a chunk at this place can have. */
static uint32_t chunk_bytes(const ls_loader *loader, uint32_t index)
{
    return index + 1 < loader->chunk_count
               ? LS_CHUNK_BYTES_MAX
               : loader->total_bytes - (loader->chunk_count - 1) * LS_CHUNK_BYTES_MAX;
}

ls_status ls_loader_take(ls_loader *loader, const ls_snapshot_chunk *chunk, ls_error *error)
{
    if (!loader->has_begun || chunk->tick > loader->tick) {
        ls_status status = begin(loader, chunk, error);
        if (status != LS_OK)
            return status;
    }
    uint32_t index = chunk->offset / LS_CHUNK_BYTES_MAX;
    if (chunk->tick != loader->tick || chunk->total_bytes != loader->total_bytes ||
        chunk->offset % LS_CHUNK_BYTES_MAX != 0 || chunk->bytes != chunk_bytes(loader, index) ||
        loader->has[index])
        return LS_OK;
    memcpy(loader->bytes + chunk->offset, chunk->data, chunk->bytes);
    loader->has[index] = 1;
    loader->missing--;
    return LS_OK;
}

bool ls_loader_is_done(const ls_loader *loader)
{
    return loader->has_begun && loader->missing == 0;
}
