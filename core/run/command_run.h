/* Recording of commands. Commands of one kind and term on entities with consecutive handles become
 * one record, a run, so that each but the first costs only its value. */
#ifndef LS_COMMAND_RUN_H
#define LS_COMMAND_RUN_H
#include "core/run/command_buffer.h"

/* False if one of the two top bits is set: the handle may then be pending, for an entity that a
 * command spawns. Such handles are in no run. */
static inline bool ls_command_is_plain(ls_entity entity)
{
    return entity >> 62 == 0;
}
/* Two commands can be in one run only if their keys are equal. The key of an attach or a detach is
 * not 0. */
static inline uint64_t ls_command_run_key(ls_entry_kind kind, uint32_t term, const void *value)
{
    return (uint64_t)term << 8 | (uint64_t)kind << 1 | (value != NULL);
}
/* Appends a command, with a value as in ls_commands_append(). */
static inline void ls_commands_add(const ls_commands *commands, ls_command_segment *segment,
                                   ls_entry record, const void *value)
{
    if (LS_UNLIKELY(segment->run.more))
        ls_commands_end_run(commands, segment);
    uint64_t key = ls_command_run_key((ls_entry_kind)record.kind, record.at, value);
    uint8_t *to = ls_commands_extend(commands, segment, LS_STREAM_COMMANDS, ls_entry_size(&record));
    bool may_run = commands->has_runs && record.kind != LS_ENTRY_SPAWN &&
                   ls_cell_is_small(record.bytes) && ls_command_is_plain(record.entity);
    segment->run.key = may_run ? key : 0;
    segment->run.next = record.entity + 1;
    segment->run.bytes = record.bytes;
    segment->run.head = (size_t)(to - commands->buffers[segment->worker][LS_STREAM_COMMANDS].data);
    memcpy(to, &record, sizeof record);
    ls_commands_put(to + sizeof record, value, record.bytes);
}
/* Takes `bytes` bytes of the room that the buffer of commands has left; NULL when it has less
 * room. */
static inline uint8_t *ls_commands_take(const ls_commands *commands,
                                        const ls_command_segment *segment, size_t bytes)
{
    ls_commands_buffer *buffer = &commands->buffers[segment->worker][LS_STREAM_COMMANDS];
    if (LS_UNLIKELY(buffer->capacity - buffer->count < bytes))
        return NULL;
    buffer->count += bytes;
    return buffer->data + buffer->count - bytes;
}
/* Records a command of the same kind and term as the last one of `segment`: the command joins the
 * run, or gets a record of its own. Calls no other function, so that no register is saved. False if
 * nothing was done: the kind, the term or the presence of a value differs, the handle may be
 * pending, a run must first end, the buffer is full, or `segment` is NULL because the system defers
 * nothing. */
static inline bool ls_commands_follow(const ls_commands *commands, ls_command_segment *segment,
                                      ls_entry_kind kind, uint32_t term, ls_entity entity,
                                      const void *value)
{
    if (LS_UNLIKELY(!segment || segment->run.key != ls_command_run_key(kind, term, value)))
        return false;
    ls_open_run *run = &segment->run;
    uint32_t bytes = run->bytes;
    uint8_t *to = NULL;
    if (LS_LIKELY(run->next == entity && entity % LS_PAGE_SLOTS)) {
        if (bytes && !(to = ls_commands_take(commands, segment, ls_entry_padded(bytes))))
            return false;
        run->next++;
        run->more++;
    } else {
        ls_entry record = {
            .entity = entity, .kind = (uint8_t)kind, .at = (uint16_t)term, .bytes = bytes};
        if (run->more || !ls_command_is_plain(entity) ||
            !(to = ls_commands_take(commands, segment, ls_entry_size(&record))))
            return false;
        run->next = entity + 1;
        run->head = (size_t)(to - commands->buffers[segment->worker][LS_STREAM_COMMANDS].data);
        segment->records[LS_STREAM_COMMANDS]++;
        memcpy(to, &record, sizeof record);
        to += sizeof record;
    }
    if (bytes)
        ls_cell_copy(to, (const uint8_t *)value, bytes);
    return true;
}

#endif
