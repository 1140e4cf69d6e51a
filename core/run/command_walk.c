#include "core/run/command_walk.h"

bool ls_commands_enter(ls_commands_walk *walk)
{
    for (; walk->segment < walk->commands->count; walk->segment++, walk->offset = 0) {
        const ls_command_segment *segment = &walk->commands->segments[walk->segment];
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

uint64_t ls_commands_excess(const ls_commands *commands, ls_stream stream, uint32_t limit)
{
    uint64_t count = ls_commands_count(commands, stream);
    return count > limit ? count - limit : 0;
}
