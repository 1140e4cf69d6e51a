#include "tests/support/memory_sink.h"

#include <string.h>

enum { FIRST_CAPACITY_BYTES = 4096 };

static int64_t append(void *context, const void *data, size_t bytes)
{
    ls_memory_sink *memory = context;
    size_t capacity = memory->capacity ? memory->capacity : FIRST_CAPACITY_BYTES;
    while (capacity - memory->bytes < bytes)
        capacity *= 2;
    if (capacity != memory->capacity)
        memory->data = ls_realloc(memory->data, capacity);
    memory->capacity = capacity;
    memcpy(memory->data + memory->bytes, data, bytes);
    __atomic_store_n(&memory->bytes, memory->bytes + bytes, __ATOMIC_RELEASE);
    memory->append_count++;
    return (int64_t)bytes;
}

static int sync_data(void *context)
{
    ls_memory_sink *memory = context;
    memory->synced_bytes = __atomic_load_n(&memory->bytes, __ATOMIC_ACQUIRE);
    return 0;
}

static int close_memory(void *context)
{
    ls_memory_sink *memory = context;
    memory->closed = true;
    return 0;
}

void ls_memory_sink_init(ls_memory_sink *memory)
{
    *memory = (ls_memory_sink){0};
}

void ls_memory_sink_reset(ls_memory_sink *memory)
{
    ls_free(memory->data);
    *memory = (ls_memory_sink){0};
}

ls_sink ls_memory_sink_open(ls_memory_sink *memory)
{
    return (ls_sink){memory, append, sync_data, close_memory};
}

static int truncate_memory(void *context, uint64_t bytes)
{
    ls_memory_sink *memory = context;
    LS_ASSERT(bytes <= memory->bytes);
    memory->bytes = (size_t)bytes;
    return 0;
}

ls_sink_existing ls_memory_sink_reopen(ls_memory_sink *memory)
{
    memory->closed = false;
    return (ls_sink_existing){.sink = ls_memory_sink_open(memory),
                              .data = memory->data,
                              .bytes = memory->bytes,
                              .truncate = truncate_memory};
}
