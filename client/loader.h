/* Pulls a packed snapshot by ranges over a lossy channel: which range to request now, and where the
 * chunks go. The window of pending ranges grows while answers are complete, and shrinks on loss. */
#ifndef LS_LOADER_H
#define LS_LOADER_H

#include "proto/message.h"
#include <lockstep/limits.h>

/* A request under way, in chunks. */
typedef struct ls_loader_range {
    uint32_t first, count; /* still missing between them; count 0: free */
    bool was_lost;         /* asked for again */
    uint64_t order;        /* of asking, from 1 */
    uint64_t sent_ns;
} ls_loader_range;

typedef struct ls_loader {
    uint32_t bytes_max; /* packed or not */
    uint64_t tick_min;  /* older ones are not wanted */
    bool has_begun;     /* the first chunk has come: tick and size are known */
    uint64_t asked_ns;  /* of the opening request; 0: not yet */
    uint64_t tick;
    uint32_t total_bytes, raw_bytes;
    uint32_t chunk_count, missing, cursor; /* chunks from the cursor on were never asked for */
    uint8_t *bytes;
    uint8_t *has;    /* a byte a chunk */
    uint32_t window; /* ranges that may be under way */
    uint32_t whole;  /* that came since the window changed */
    uint64_t orders, whole_order,
        shrunk_order; /* given, highest that came whole, at the last loss */
    ls_loader_range ranges[LS_CLIENT_RANGES_MAX];
} ls_loader;

/* Begins anew; a snapshot of more than `bytes_max` bytes, packed or not, is refused. */
void ls_loader_init(ls_loader *loader, uint32_t bytes_max);
/* The same for a loader that is in use. Snapshots of ticks under `tick_min` are ignored. */
void ls_loader_restart(ls_loader *loader, uint64_t tick_min);
void ls_loader_reset(ls_loader *loader);

/* The next request that is due; call it until false. `rtt_ns`: how long an answer takes. */
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
