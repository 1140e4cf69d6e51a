#include "client/loader.h"

#include <string.h>

#define RANGE_CHUNKS (LS_CLIENT_RANGE_BYTES / LS_CHUNK_BYTES_MAX)
_Static_assert(LS_CLIENT_RANGE_BYTES <= LS_SNAPSHOT_REQUEST_BYTES_MAX &&
                   LS_CLIENT_RANGE_BYTES % LS_CHUNK_BYTES_MAX == 0,
               "a range is one request of whole chunks");

void ls_loader_init(ls_loader *loader, uint32_t bytes_max)
{
    *loader = (ls_loader){.bytes_max = bytes_max, .window = LS_CLIENT_RANGES_START};
}

void ls_loader_reset(ls_loader *loader)
{
    ls_free(loader->bytes);
    ls_free(loader->has);
    ls_loader_init(loader, loader->bytes_max);
}

void ls_loader_restart(ls_loader *loader, uint64_t tick_min)
{
    ls_loader_reset(loader);
    loader->tick_min = tick_min;
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

/* Until the first loss each complete range widens the window by one; afterwards a whole window of
 * them does. */
static void note_whole(ls_loader *loader, const ls_loader_range *range)
{
    if (range->order > loader->whole_order)
        loader->whole_order = range->order;
    if (range->was_lost || loader->window == LS_CLIENT_RANGES_MAX)
        return;
    if (loader->shrunk_order == 0 || ++loader->whole >= loader->window) {
        loader->whole = 0;
        loader->window++;
    }
}

/* Finds the ranges that are complete. A range that arrives in parts, as over a narrow line, gets a
 * new timeout: a repeated request would fetch the rest twice. Returns the number of pending ranges.
 */
static uint32_t settle(ls_loader *loader, uint64_t now_ns)
{
    uint32_t active = 0;
    for (uint32_t i = 0; i < LS_CLIENT_RANGES_MAX; i++) {
        ls_loader_range *range = &loader->ranges[i];
        if (!range->count)
            continue;
        uint32_t before = range->count;
        trim(loader, range);
        range->sent_ns = range->count < before ? now_ns : range->sent_ns;
        active += range->count != 0;
        if (!range->count)
            note_whole(loader, range);
    }
    return active;
}

/* One loss shrinks the window once for all ranges that were pending with it. */
static void note_loss(ls_loader *loader, ls_loader_range *range)
{
    if (range->order > loader->shrunk_order) {
        loader->window = loader->window > 1 ? loader->window / 2 : 1;
        loader->shrunk_order = loader->orders;
    }
    range->was_lost = true;
}

/* A complete range that was requested later shows that this answer was lost. */
static bool is_due(const ls_loader *loader, const ls_loader_range *range, uint64_t waited_ns,
                   uint64_t rtt_ns)
{
    uint64_t patience_ns = 2 * rtt_ns > LS_CLIENT_RANGE_NS ? 2 * rtt_ns : LS_CLIENT_RANGE_NS;
    uint64_t quick_ns = rtt_ns + rtt_ns / 2 > LS_CLIENT_RANGE_QUICK_NS ? rtt_ns + rtt_ns / 2
                                                                       : LS_CLIENT_RANGE_QUICK_NS;
    return waited_ns >= (loader->whole_order > range->order ? quick_ns : patience_ns);
}

static void send(ls_loader *loader, ls_loader_range *range, uint64_t now_ns,
                 ls_snapshot_request *request)
{
    range->sent_ns = now_ns;
    range->order = ++loader->orders;
    *request = (ls_snapshot_request){.tick = loader->tick,
                                     .offset = range->first * LS_CHUNK_BYTES_MAX,
                                     .bytes = range->count * LS_CHUNK_BYTES_MAX};
}

static void refill(ls_loader *loader, ls_loader_range *range)
{
    uint32_t left = loader->chunk_count - loader->cursor;
    *range = (ls_loader_range){.first = loader->cursor,
                               .count = left < RANGE_CHUNKS ? left : RANGE_CHUNKS};
    loader->cursor += range->count;
}

static ls_loader_range *find_free(ls_loader *loader)
{
    for (uint32_t i = 0; i < LS_CLIENT_RANGES_MAX; i++)
        if (!loader->ranges[i].count)
            return &loader->ranges[i];
    return NULL;
}

static bool ask_opening(ls_loader *loader, uint64_t now_ns, uint64_t rtt_ns,
                        ls_snapshot_request *request)
{
    uint64_t patience_ns = 2 * rtt_ns > LS_CLIENT_RANGE_NS ? 2 * rtt_ns : LS_CLIENT_RANGE_NS;
    if (loader->asked_ns && now_ns - loader->asked_ns < patience_ns)
        return false;
    loader->asked_ns = now_ns;
    *request = (ls_snapshot_request){.bytes = LS_CLIENT_RANGE_BYTES};
    return true;
}

bool ls_loader_ask(ls_loader *loader, uint64_t now_ns, uint64_t rtt_ns,
                   ls_snapshot_request *request)
{
    if (!loader->has_begun)
        return ask_opening(loader, now_ns, rtt_ns, request);
    uint32_t active = settle(loader, now_ns);
    for (uint32_t i = 0; i < LS_CLIENT_RANGES_MAX; i++) {
        ls_loader_range *range = &loader->ranges[i];
        if (range->count && is_due(loader, range, now_ns - range->sent_ns, rtt_ns)) {
            note_loss(loader, range);
            send(loader, range, now_ns, request);
            return true;
        }
    }
    ls_loader_range *range = find_free(loader);
    if (active >= loader->window || loader->cursor == loader->chunk_count || !range)
        return false;
    refill(loader, range);
    send(loader, range, now_ns, request);
    return true;
}

static ls_status begin(ls_loader *loader, const ls_snapshot_chunk *chunk, ls_error *error)
{
    uint32_t bytes = chunk->total_bytes > chunk->raw_bytes ? chunk->total_bytes : chunk->raw_bytes;
    if (bytes > loader->bytes_max)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "the snapshot has %u bytes, more than the %u that are allowed", bytes,
                            loader->bytes_max);
    uint64_t asked_ns = loader->asked_ns;
    ls_loader_restart(loader, loader->tick_min);
    loader->has_begun = true;
    loader->asked_ns = asked_ns;
    loader->tick = chunk->tick;
    loader->total_bytes = chunk->total_bytes;
    loader->raw_bytes = chunk->raw_bytes;
    loader->chunk_count = (chunk->total_bytes - 1) / LS_CHUNK_BYTES_MAX + 1;
    loader->missing = loader->chunk_count;
    loader->bytes = ls_alloc(chunk->total_bytes);
    loader->has = ls_alloc(loader->chunk_count);
    /* The opening request was for the first range. */
    ls_snapshot_request opening;
    refill(loader, &loader->ranges[0]);
    send(loader, &loader->ranges[0], asked_ns, &opening);
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
    if (chunk->tick < loader->tick_min)
        return LS_OK;
    if (!loader->has_begun || chunk->tick > loader->tick) {
        ls_status status = begin(loader, chunk, error);
        if (status != LS_OK)
            return status;
    }
    uint32_t index = chunk->offset / LS_CHUNK_BYTES_MAX;
    if (chunk->tick != loader->tick || chunk->total_bytes != loader->total_bytes ||
        chunk->raw_bytes != loader->raw_bytes || chunk->offset % LS_CHUNK_BYTES_MAX != 0 ||
        chunk->bytes != chunk_bytes(loader, index) || loader->has[index])
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
