#include "core/run/command_buffer.h"

#include <string.h>

void ls_commands_begin(ls_commands *commands, uint32_t count)
{
    if (count > commands->capacity) {
        commands->capacity = commands->capacity * 2 > count ? commands->capacity * 2 : count;
        commands->segments =
            ls_realloc(commands->segments, sizeof *commands->segments * commands->capacity);
    }
    if (!commands->buffers)
        commands->buffers = ls_alloc(sizeof *commands->buffers * LS_THREADS_MAX);
    for (uint32_t i = 0; i < LS_THREADS_MAX; i++) {
        for (uint32_t stream = 0; stream < LS_STREAM_COUNT; stream++)
            commands->buffers[i][stream].count = 0;
    }
    if (count)
        memset(commands->segments, 0, sizeof *commands->segments * count);
    commands->count = count;
    commands->spawned_entity_count = 0;
}

void ls_commands_open(ls_commands *commands, uint32_t segment, uint32_t worker)
{
    ls_segment *opened = &commands->segments[segment];
    opened->worker = worker;
    for (uint32_t stream = 0; stream < LS_STREAM_COUNT; stream++)
        opened->begin[stream] = commands->buffers[worker][stream].count;
}

void ls_commands_close(ls_commands *commands, uint32_t segment)
{
    ls_segment *closed = &commands->segments[segment];
    for (uint32_t stream = 0; stream < LS_STREAM_COUNT; stream++)
        closed->end[stream] = commands->buffers[closed->worker][stream].count;
}

void ls_commands_grow(ls_commands_buffer *buffer, size_t bytes)
{
    buffer->capacity = buffer->capacity * 2 + bytes + 4096;
    buffer->data = ls_realloc(buffer->data, buffer->capacity);
}

void ls_commands_reserve(ls_commands *commands, uint32_t count)
{
    if (count <= commands->spawned_entity_capacity)
        return;
    commands->spawned_entity_capacity = commands->spawned_entity_capacity * 2 > count
                                            ? commands->spawned_entity_capacity * 2
                                            : count;
    commands->spawned_entities =
        ls_realloc(commands->spawned_entities,
                   sizeof *commands->spawned_entities * commands->spawned_entity_capacity);
}

void ls_commands_reset(ls_commands *commands)
{
    for (uint32_t i = 0; commands->buffers && i < LS_THREADS_MAX; i++) {
        for (uint32_t stream = 0; stream < LS_STREAM_COUNT; stream++)
            ls_free(commands->buffers[i][stream].data);
    }
    ls_free(commands->buffers);
    ls_free(commands->segments);
    ls_free(commands->spawned_entities);
    *commands = (ls_commands){0};
}

bool ls_commands_enter(ls_commands_walk *walk)
{
    for (; walk->segment < walk->commands->count; walk->segment++, walk->offset = 0) {
        const ls_segment *segment = &walk->commands->segments[walk->segment];
        size_t at = segment->begin[walk->stream] + walk->offset;
        if (at >= segment->end[walk->stream])
            continue;
        uint8_t *data = walk->commands->buffers[segment->worker][walk->stream].data;
        walk->next = data + at;
        walk->end = data + segment->end[walk->stream];
        return true;
    }
    return false;
}

uint64_t ls_commands_count(const ls_commands *commands, ls_stream stream)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < commands->count; i++)
        count += commands->segments[i].records[stream];
    return count;
}

uint32_t ls_commands_excess(const ls_commands *commands, ls_stream stream, uint32_t limit)
{
    uint64_t count = ls_commands_count(commands, stream);
    return count > limit ? (uint32_t)(count - limit) : 0;
}
