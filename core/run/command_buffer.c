#include "core/run/command_buffer.h"

#include <string.h>

void ls_commands_begin(ls_commands *journal, uint32_t count)
{
    if (count > journal->capacity) {
        journal->capacity = journal->capacity * 2 > count ? journal->capacity * 2 : count;
        journal->segments =
            ls_realloc(journal->segments, sizeof *journal->segments * journal->capacity);
    }
    if (!journal->buffers)
        journal->buffers = ls_alloc(sizeof *journal->buffers * LS_THREADS_MAX);
    for (uint32_t i = 0; i < LS_THREADS_MAX; i++) {
        for (uint32_t stream = 0; stream < LS_STREAM_COUNT; stream++)
            journal->buffers[i][stream].count = 0;
    }
    if (count)
        memset(journal->segments, 0, sizeof *journal->segments * count);
    journal->count = count;
    journal->newborn_count = 0;
}

void ls_commands_open(ls_commands *journal, uint32_t segment, uint32_t worker)
{
    ls_segment *opened = &journal->segments[segment];
    opened->worker = worker;
    for (uint32_t stream = 0; stream < LS_STREAM_COUNT; stream++)
        opened->begin[stream] = journal->buffers[worker][stream].count;
}

void ls_commands_close(ls_commands *journal, uint32_t segment)
{
    ls_segment *closed = &journal->segments[segment];
    for (uint32_t stream = 0; stream < LS_STREAM_COUNT; stream++)
        closed->end[stream] = journal->buffers[closed->worker][stream].count;
}

void ls_commands_append(ls_commands *journal, ls_segment *segment, ls_stream stream,
                        ls_entry record, const void *value)
{
    ls_commands_buffer *buffer = &journal->buffers[segment->worker][stream];
    size_t bytes = ls_entry_size(&record);
    if (LS_UNLIKELY(buffer->capacity - buffer->count < bytes)) {
        buffer->capacity = buffer->capacity * 2 + bytes + 4096;
        buffer->data = ls_realloc(buffer->data, buffer->capacity);
    }
    uint8_t *to = buffer->data + buffer->count;
    memcpy(to, &record, sizeof record);
    if (value)
        memcpy(to + sizeof record, value, record.bytes);
    else
        memset(to + sizeof record, 0, record.bytes);
    buffer->count += bytes;
    segment->records[stream]++;
}

void ls_commands_make_room(ls_commands *journal, uint32_t count)
{
    if (count <= journal->newborn_capacity)
        return;
    journal->newborn_capacity =
        journal->newborn_capacity * 2 > count ? journal->newborn_capacity * 2 : count;
    journal->newborns =
        ls_realloc(journal->newborns, sizeof *journal->newborns * journal->newborn_capacity);
}

void ls_commands_reset(ls_commands *journal)
{
    for (uint32_t i = 0; journal->buffers && i < LS_THREADS_MAX; i++) {
        for (uint32_t stream = 0; stream < LS_STREAM_COUNT; stream++)
            ls_free(journal->buffers[i][stream].data);
    }
    ls_free(journal->buffers);
    ls_free(journal->segments);
    ls_free(journal->newborns);
    *journal = (ls_commands){0};
}

ls_entry *ls_commands_next(ls_commands_walk *walk)
{
    for (; walk->segment < walk->journal->count && walk->left; walk->segment++, walk->offset = 0) {
        const ls_segment *segment = &walk->journal->segments[walk->segment];
        size_t at = segment->begin[walk->stream] + walk->offset;
        if (at >= segment->end[walk->stream])
            continue;
        ls_commands_buffer *buffer = &walk->journal->buffers[segment->worker][walk->stream];
        ls_entry *record = (ls_entry *)(void *)(buffer->data + at);
        walk->offset += ls_entry_size(record);
        walk->left--;
        return record;
    }
    return NULL;
}

uint32_t ls_commands_excess(const ls_commands *journal, ls_stream stream, uint32_t limit)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < journal->count; i++)
        count += journal->segments[i].records[stream];
    return count > limit ? (uint32_t)(count - limit) : 0;
}
