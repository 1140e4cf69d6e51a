/* A recording in memory, for servers inside a test or a simulation. Remembers how much of it was
 * synced, so that the death of the machine can be played: what is beyond may be lost. */
#ifndef LS_MEMORY_SINK_H
#define LS_MEMORY_SINK_H

#include <lockstep/sink.h>

typedef struct ls_memory_sink {
    uint8_t *data;
    size_t bytes; /* atomic against a sync on another thread */
    size_t capacity;
    size_t synced_bytes;
    uint64_t append_count;
    bool closed;
} ls_memory_sink;

void ls_memory_sink_init(ls_memory_sink *memory);
/* Frees the bytes. Call it after the recorder on top was destroyed. */
void ls_memory_sink_reset(ls_memory_sink *memory);
/* The seam to give to a recorder. Closing it leaves the bytes; `memory` must outlive it. */
ls_sink ls_memory_sink_open(ls_memory_sink *memory);

/* The same over existing bytes, to continue them. */
ls_sink_existing ls_memory_sink_reopen(ls_memory_sink *memory);

#endif
