#include "client/loader.h"

#include "proto/rtt.h"

#include <string.h>

#define BACKOFF_MAX 2
#define BLOCK       LS_SNAPSHOT_BLOCK_BYTES
_Static_assert(LS_CLIENT_RANGE_BYTES <= LS_SNAPSHOT_REQUEST_BYTES_MAX &&
                   LS_CLIENT_RANGE_BYTES % LS_CHUNK_BYTES_MAX == 0 &&
                   LS_CHUNK_BYTES_MAX % BLOCK == 0,
               "a range is one request of whole chunks, a chunk of whole blocks");

void ls_loader_init(ls_loader *loader, uint64_t bytes_max)
{
    *loader = (ls_loader){.bytes_max = bytes_max, .window = LS_CLIENT_WINDOW_MIN_BYTES};
}

void ls_loader_reset(ls_loader *loader)
{
    ls_free(loader->bytes);
    ls_free(loader->has);
    ls_loader_init(loader, loader->bytes_max);
}

void ls_loader_restart(ls_loader *loader, uint64_t tick_min, uint64_t bytes_used)
{
    ls_loader_reset(loader);
    loader->bytes_used = bytes_used;
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

/* Adapts the window when a range is complete. While the queue delay is below its target, each
 * window of complete ranges lets the window grow by up to a quarter, or up to double as long as no
 * queue was seen. Above the target, the window shrinks in proportion to the excess. */
static void adapt(ls_loader *loader, uint64_t bytes)
{
    uint64_t queue_ns = ls_queue_delay_ns(&loader->queue);
    uint64_t target_ns = ls_queue_delay_target_ns(&loader->queue);
    uint64_t rtt_ns = ls_queue_delay_base_ns(&loader->queue) + queue_ns;
    uint64_t window = loader->window;
    loader->had_queue |= 2 * queue_ns > target_ns;
    uint64_t max = loader->had_queue ? bytes / 4 : bytes;
    uint64_t grown = queue_ns < target_ns ? max * (target_ns - queue_ns) / target_ns : 0;
    uint64_t shrunk = queue_ns > target_ns ? bytes * (queue_ns - target_ns) / rtt_ns : 0;
    window = window + grown > shrunk ? window + grown - shrunk : 0;
    window = window > LS_CLIENT_WINDOW_MIN_BYTES ? window : LS_CLIENT_WINDOW_MIN_BYTES;
    loader->window =
        (uint32_t)(window < LS_CLIENT_WINDOW_MAX_BYTES ? window : LS_CLIENT_WINDOW_MAX_BYTES);
}

/* Notes a complete range. Its time is a sample only if it was requested once: otherwise the answer
 * may belong to any of its requests. */
static void note_whole(ls_loader *loader, const ls_loader_range *range, uint64_t now_ns)
{
    if (!range->was_lost) {
        uint64_t rtt_ns = now_ns - range->asked_ns;
        loader->backoff = 0;
        ls_rtt_smooth(&loader->rtt_ns, &loader->jitter_ns, rtt_ns);
        ls_queue_delay_note(&loader->queue, rtt_ns, now_ns);
    }
    if (loader->queue.count)
        adapt(loader, (uint64_t)range->asked * BLOCK);
}

/* Notes that part of a range has arrived. The first part did not queue after other parts of its
 * answer, so its time is a sample of the least round trip. */
static void note_progress(ls_loader *loader, ls_loader_range *range, uint64_t now_ns)
{
    if (!range->was_lost && range->sent_ns == range->asked_ns)
        ls_queue_delay_note_base(&loader->queue, now_ns - range->asked_ns, now_ns);
    if (range->order > loader->seen_order)
        loader->seen_order = range->order;
    range->sent_ns = now_ns;
}

/* Finds the ranges that are complete, and returns the bytes of the pending ones. A range that
 * arrives in parts, as over a slow line, gets a new timeout: a repeated request would fetch the
 * rest twice. */
static uint32_t settle(ls_loader *loader, uint64_t now_ns)
{
    uint32_t active = 0;
    for (uint32_t i = 0; i < LS_CLIENT_RANGES_MAX; i++) {
        ls_loader_range *range = &loader->ranges[i];
        if (!range->count)
            continue;
        uint32_t before = range->count;
        trim(loader, range);
        if (range->count < before)
            note_progress(loader, range, now_ns);
        active += range->count * BLOCK;
        if (!range->count)
            note_whole(loader, range, now_ns);
    }
    return active;
}

/* True when a later request was answered in part, so the rest of this answer was lost. */
static bool is_overtaken(const ls_loader *loader, const ls_loader_range *range)
{
    return loader->seen_order > range->order;
}

static uint64_t timeout_ns(const ls_loader *loader, uint64_t rtt_ns)
{
    uint64_t ns = 2 * rtt_ns > LS_CLIENT_RANGE_NS ? 2 * rtt_ns : LS_CLIENT_RANGE_NS;
    return ns << loader->backoff;
}

static bool is_due(const ls_loader *loader, const ls_loader_range *range, uint64_t now_ns,
                   uint64_t rtt_ns)
{
    uint64_t quick_ns = rtt_ns + rtt_ns / 2 > LS_CLIENT_RANGE_QUICK_NS ? rtt_ns + rtt_ns / 2
                                                                       : LS_CLIENT_RANGE_QUICK_NS;
    return now_ns - range->sent_ns >=
           (is_overtaken(loader, range) ? quick_ns : timeout_ns(loader, rtt_ns));
}

/* Halves the window, once for all ranges that were pending at a loss: a short queue may show by
 * losses alone. The window keeps LS_CLIENT_WINDOW_LOSSY_BYTES, because some lines lose packets
 * without a queue. If no later answer overtook this one, the line may only have become slow: the
 * timeout then doubles until a range is answered at the first request. */
static void note_loss(ls_loader *loader, ls_loader_range *range)
{
    if (range->order > loader->lost_order) {
        loader->backoff += !is_overtaken(loader, range) && loader->backoff < BACKOFF_MAX;
        loader->lost_order = loader->orders;
        uint32_t half = loader->window / 2, min = LS_CLIENT_WINDOW_LOSSY_BYTES;
        if (loader->window > min)
            loader->window = half > min ? half : min;
    }
    range->was_lost = true;
}

static void send(ls_loader *loader, ls_loader_range *range, uint64_t now_ns,
                 ls_snapshot_request *request)
{
    range->asked_ns = range->sent_ns = now_ns;
    range->order = ++loader->orders;
    *request = (ls_snapshot_request){
        .tick = loader->tick, .offset = range->first * BLOCK, .bytes = range->count * BLOCK};
}

/* Returns the blocks of the next range: normally an eighth of the window, because such a burst
 * hardly queues after itself. Over a short line that would be too many requests per second, so a
 * range is then up to half the window. It is never more: only an answer to another range can reveal
 * a loss early. */
static uint32_t range_blocks(const ls_loader *loader)
{
    uint64_t parts = loader->rtt_ns / LS_CLIENT_RANGE_GAP_NS;
    parts = parts < 2 ? 2 : parts < LS_CLIENT_RANGES_MAX / 4 ? parts : LS_CLIENT_RANGES_MAX / 4;
    uint32_t bytes = loader->window / (uint32_t)parts;
    bytes = bytes < LS_CLIENT_RANGE_BYTES ? bytes : LS_CLIENT_RANGE_BYTES;
    bytes -= bytes > LS_CHUNK_BYTES_MAX ? bytes % LS_CHUNK_BYTES_MAX : 0;
    return bytes > BLOCK ? bytes / BLOCK : 1;
}

static void refill(ls_loader *loader, ls_loader_range *range, uint32_t blocks)
{
    uint32_t left = loader->block_count - loader->cursor;
    *range = (ls_loader_range){.first = loader->cursor, .count = left < blocks ? left : blocks};
    range->asked = range->count;
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
    if (loader->asked_ns && now_ns - loader->asked_ns < timeout_ns(loader, rtt_ns))
        return false;
    loader->openings++;
    loader->asked_ns = now_ns;
    *request = (ls_snapshot_request){.bytes = BLOCK};
    return true;
}

bool ls_loader_ask(ls_loader *loader, uint64_t now_ns, uint64_t rtt_ns,
                   ls_snapshot_request *request)
{
    if (!loader->has_begun)
        return ask_opening(loader, now_ns, rtt_ns, request);
    uint32_t active = settle(loader, now_ns);
    rtt_ns = loader->rtt_ns ? loader->rtt_ns : rtt_ns;
    for (uint32_t i = 0; i < LS_CLIENT_RANGES_MAX; i++) {
        ls_loader_range *range = &loader->ranges[i];
        if (range->count && is_due(loader, range, now_ns, rtt_ns)) {
            note_loss(loader, range);
            send(loader, range, now_ns, request);
            return true;
        }
    }
    ls_loader_range *range = find_free(loader);
    uint32_t blocks = range_blocks(loader);
    bool may_send = !active || active + blocks * BLOCK <= loader->window;
    if (!may_send || loader->cursor == loader->block_count || !range)
        return false;
    refill(loader, range, blocks);
    send(loader, range, now_ns, request);
    return true;
}

/* Restarts the download for a newer snapshot; the measurements of the line stay valid. */
static void forget_all_but_line(ls_loader *loader)
{
    ls_loader before = *loader;
    ls_loader_restart(loader, before.tick_min, before.bytes_used);
    loader->asked_ns = before.asked_ns;
    loader->window = before.window;
    loader->had_queue = before.had_queue;
    loader->queue = before.queue;
    loader->rtt_ns = before.rtt_ns;
    loader->jitter_ns = before.jitter_ns;
}

static ls_status begin(ls_loader *loader, const ls_snapshot_chunk *chunk, ls_error *error)
{
    uint64_t bytes = (uint64_t)chunk->total_bytes + chunk->raw_bytes + loader->bytes_used;
    if (bytes > loader->bytes_max)
        return ls_error_set(
            error, LS_ERROR_LIMIT,
            "the snapshot has %u bytes packed and %u unpacked, beside %llu of the world so far: "
            "more memory than the %llu bytes that are allowed",
            chunk->total_bytes, chunk->raw_bytes, (unsigned long long)loader->bytes_used,
            (unsigned long long)loader->bytes_max);
    bool is_timed = !loader->has_begun && loader->openings == 1;
    forget_all_but_line(loader);
    loader->has_begun = true;
    loader->tick = chunk->tick;
    loader->total_bytes = chunk->total_bytes;
    loader->raw_bytes = chunk->raw_bytes;
    loader->block_count = (chunk->total_bytes - 1) / BLOCK + 1;
    loader->missing = loader->block_count;
    loader->bytes = ls_alloc(chunk->total_bytes);
    loader->has = ls_alloc(loader->block_count);
    /* The opening request becomes range 0: it asked for the first block. */
    ls_snapshot_request opening;
    refill(loader, &loader->ranges[0], 1);
    loader->ranges[0].was_lost = !is_timed;
    send(loader, &loader->ranges[0], loader->asked_ns, &opening);
    return LS_OK;
}

/* Whether the chunk belongs to this snapshot and consists of whole blocks; only the snapshot's last
 * block may be shorter. */
static bool fits(const ls_loader *loader, const ls_snapshot_chunk *chunk)
{
    return chunk->tick == loader->tick && chunk->total_bytes == loader->total_bytes &&
           chunk->raw_bytes == loader->raw_bytes && chunk->offset % BLOCK == 0 &&
           (chunk->bytes % BLOCK == 0 || chunk->offset + chunk->bytes == chunk->total_bytes);
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
    if (!fits(loader, chunk))
        return LS_OK;
    for (uint32_t at = 0; at < chunk->bytes; at += BLOCK) {
        uint8_t *has = &loader->has[(chunk->offset + at) / BLOCK];
        uint32_t left = chunk->bytes - at;
        if (!*has)
            memcpy(loader->bytes + chunk->offset + at, chunk->data + at,
                   left < BLOCK ? left : BLOCK);
        loader->missing -= !*has;
        *has = 1;
    }
    return LS_OK;
}

void ls_loader_drop_bytes(ls_loader *loader)
{
    ls_free(loader->bytes);
    loader->bytes = NULL;
}

bool ls_loader_is_done(const ls_loader *loader)
{
    return loader->has_begun && loader->missing == 0;
}
