/* Pulls a packed snapshot by ranges over a lossy channel: which range to request now, and where the
 * chunks go. The window of bytes under way grows until answers wait in the queue of the line, and
 * shrinks when they wait longer: others on that line play. */
#ifndef LS_LOADER_H
#define LS_LOADER_H

#include "client/queue_delay.h"
#include "proto/message.h"
#include <lockstep/limits.h>

/* Bytes under way at first and at least; losses make the window no smaller than LOSSY. RANGES_MAX:
 * requests under way. RANGE_GAP_NS: between two requests, over a short line. */
#define LS_CLIENT_WINDOW_LEAST_BYTES 512
#define LS_CLIENT_WINDOW_LOSSY_BYTES (16u << 10)
#define LS_CLIENT_RANGES_MAX         32
#define LS_CLIENT_RANGE_GAP_NS       (LS_SECOND_NS / 200)

/* A request under way, in blocks. */
typedef struct ls_loader_range {
    uint32_t first, count; /* still missing between them; count 0: free */
    uint32_t asked;        /* blocks that it had at first */
    bool was_lost;         /* asked for again: its answer tells no time */
    uint64_t order;        /* of asking, from 1 */
    uint64_t asked_ns;     /* when it was last asked for, */
    uint64_t sent_ns;      /* or came nearer to being complete */
} ls_loader_range;

typedef struct ls_loader {
    uint64_t bytes_max; /* packed and unpacked together */
    uint64_t tick_min;  /* older ones are not wanted */
    bool has_begun;     /* the first chunk has come: tick and size are known */
    uint64_t asked_ns;  /* of the opening request; 0: not yet */
    uint32_t openings;  /* opening requests */
    uint64_t tick;
    uint32_t total_bytes, raw_bytes;
    uint32_t block_count, missing, cursor; /* blocks from the cursor on were never asked for */
    uint8_t *bytes;
    uint8_t *has;               /* a byte a block */
    uint32_t window;            /* bytes that may be under way */
    bool had_queue;             /* the line is full with such a window */
    ls_queue_delay queue;       /* of the answers */
    uint64_t rtt_ns, jitter_ns; /* until a range is complete, smoothed; 0: none was */
    uint32_t backoff;           /* patience is 2^backoff times as long */
    uint64_t orders;            /* given */
    uint64_t seen_order;        /* the highest that was answered in part */
    uint64_t lost_order;        /* the highest at the last loss that counted */
    ls_loader_range ranges[LS_CLIENT_RANGES_MAX];
} ls_loader;

/* Begins anew; a snapshot that takes more than `bytes_max` bytes, packed and unpacked together, is
 * refused. */
void ls_loader_init(ls_loader *loader, uint64_t bytes_max);
/* The same for a loader that is in use. Snapshots of ticks under `tick_min` are ignored. */
void ls_loader_restart(ls_loader *loader, uint64_t tick_min);
void ls_loader_reset(ls_loader *loader);

/* The next request that is due; call it until false. `rtt_ns`: how long an answer takes, as long as
 * no range tells. */
bool ls_loader_ask(ls_loader *loader, uint64_t now_ns, uint64_t rtt_ns,
                   ls_snapshot_request *request);
/* Takes a chunk. A chunk of a newer snapshot restarts the download with that snapshot; chunks that
 * do not fit are ignored.
 *   errors  LS_ERROR_LIMIT: the snapshot is over bytes_max */
ls_status ls_loader_take(ls_loader *loader, const ls_snapshot_chunk *chunk,
                         ls_error *error) LS_MUST_USE;
/* True when `bytes` holds all total_bytes. */
bool ls_loader_is_done(const ls_loader *loader);

#endif
