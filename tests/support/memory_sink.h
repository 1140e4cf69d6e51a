/* A recording in memory, for servers inside a test or a simulation. It tracks how many bytes were
 * synced, so that a test can simulate a power cut: unsynced bytes may be lost. */
#ifndef LS_MEMORY_SINK_H
#define LS_MEMORY_SINK_H

#include <lockstep/sink.h>

typedef struct ls_memory_sink {
    uint8_t *data;
    size_t bytes; /* atomic: another thread may sync */
    size_t capacity;
    size_t synced_bytes;
    uint64_t append_count;
    bool closed;
} ls_memory_sink;

void ls_memory_sink_init(ls_memory_sink *memory);
/* Frees the bytes. Call it after the recorder that uses them is destroyed. */
void ls_memory_sink_reset(ls_memory_sink *memory);
/* Returns the sink to pass to a recorder. Closing it keeps the bytes; `memory` must outlive it. */
ls_sink ls_memory_sink_open(ls_memory_sink *memory);

/* Returns a sink that appends to the existing bytes. */
ls_sink_existing ls_memory_sink_reopen(ls_memory_sink *memory);

#endif
