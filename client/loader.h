/* Downloads a packed snapshot by ranges over a lossy channel: decides which range to request now,
 * and stores the chunks. The window of requested bytes grows until answers queue in the line, and
 * shrinks when they queue too long: other players may share the line. */
#ifndef LS_LOADER_H
#define LS_LOADER_H

#include "client/queue_delay.h"
#include "proto/message.h"
#include <lockstep/limits.h>

/* WINDOW_MIN: the window at first and at least. WINDOW_LOSSY: losses do not shrink the window below
 * this. RANGES_MAX: the most pending requests. RANGE_GAP_NS: time between two requests over a short
 * line. */
#define LS_CLIENT_WINDOW_MIN_BYTES   256
#define LS_CLIENT_WINDOW_LOSSY_BYTES (16u << 10)
#define LS_CLIENT_RANGES_MAX         32
#define LS_CLIENT_RANGE_GAP_NS       (LS_SECOND_NS / 200)

/* A pending request; its unit is the block. */
typedef struct ls_loader_range {
    uint32_t first, count; /* the missing blocks are within these; count 0: unused */
    uint32_t asked;        /* blocks that were requested at first */
    bool was_lost;         /* requested again: its time is no sample of the round trip */
    uint64_t order;        /* number of its last request, from 1 */
    uint64_t asked_ns;     /* when it was last requested */
    uint64_t sent_ns;      /* when it was last requested, or a part arrived */
} ls_loader_range;

typedef struct ls_loader {
    uint64_t bytes_max;  /* limit of the packed and unpacked size and bytes_used together */
    uint64_t bytes_used; /* memory of the world that the snapshot replaces */
    uint64_t tick_min;   /* snapshots of earlier ticks are ignored */
    bool has_begun;      /* the first chunk has come: tick and size are known */
    uint64_t asked_ns;   /* time of the last opening request; 0: none yet */
    uint32_t openings;   /* count of opening requests */
    uint64_t tick;
    uint32_t total_bytes, raw_bytes;       /* packed and unpacked */
    uint32_t block_count, missing, cursor; /* blocks from the cursor on were never requested */
    uint8_t *bytes;
    uint8_t *has;               /* one byte for each block: 1 if it has arrived */
    uint32_t window;            /* bytes that may be pending */
    bool had_queue;             /* answers have queued once: the window suffices for the line */
    ls_queue_delay queue;       /* queue delay of the answers */
    uint64_t rtt_ns, jitter_ns; /* smoothed time until a range is complete; 0: none was */
    uint32_t backoff;           /* the timeout is multiplied by 2^backoff */
    uint64_t orders;            /* requests sent */
    uint64_t seen_order;        /* the highest number of a request answered in part */
    uint64_t lost_order;        /* `orders` at the last loss that counted */
    ls_loader_range ranges[LS_CLIENT_RANGES_MAX];
} ls_loader;

/* Prepares a download. Refuses a snapshot with more than `bytes_max` bytes, packed, unpacked and
 * `bytes_used` together. */
void ls_loader_init(ls_loader *loader, uint64_t bytes_max);
/* Prepares another download with a loader that is in use. Snapshots of ticks under `tick_min` are
 * ignored. The client has `bytes_used` in use for the world that the snapshot replaces. */
void ls_loader_restart(ls_loader *loader, uint64_t tick_min, uint64_t bytes_used);
void ls_loader_reset(ls_loader *loader);

/* Returns the next due request; call it until it returns false. `rtt_ns` is the expected round trip
 * until a complete range has given one. */
bool ls_loader_ask(ls_loader *loader, uint64_t now_ns, uint64_t rtt_ns,
                   ls_snapshot_request *request);
/* Stores a chunk. A chunk of a newer snapshot restarts the download with that snapshot; other
 * chunks that do not fit are ignored.
 *   errors  LS_ERROR_LIMIT: the snapshot is over bytes_max */
ls_status ls_loader_take(ls_loader *loader, const ls_snapshot_chunk *chunk,
                         ls_error *error) LS_MUST_USE;
/* True when the snapshot is complete: `bytes` then holds total_bytes. */
bool ls_loader_is_done(const ls_loader *loader);
/* Frees the bytes of a complete snapshot; what else is known of it stays. */
void ls_loader_drop_bytes(ls_loader *loader);

#endif
