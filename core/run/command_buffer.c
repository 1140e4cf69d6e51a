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
}

void ls_commands_open(ls_commands *commands, uint32_t segment, uint32_t worker)
{
    ls_command_segment *opened = &commands->segments[segment];
    opened->worker = worker;
    for (uint32_t stream = 0; stream < LS_STREAM_COUNT; stream++)
        opened->begin[stream] = commands->buffers[worker][stream].count;
}

void ls_commands_end_run(const ls_commands *commands, ls_command_segment *segment)
{
    ls_open_run *run = &segment->run;
    const ls_commands_buffer *buffer = &commands->buffers[segment->worker][LS_STREAM_COMMANDS];
    ls_entry *head = (ls_entry *)(void *)(buffer->data + run->head);
    head->more = (uint8_t)run->more;
    head->bytes = (uint32_t)ls_entry_padded(run->bytes) * (run->more + 1);
    segment->records[LS_STREAM_COMMANDS] += run->more;
    run->more = 0;
}

void ls_commands_close(ls_commands *commands, uint32_t segment)
{
    ls_command_segment *closed = &commands->segments[segment];
    if (closed->run.more)
        ls_commands_end_run(commands, closed);
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
