/* Reads the records of a command buffer in canonical order. */
#ifndef LS_COMMAND_WALK_H
#define LS_COMMAND_WALK_H
#include "core/run/command_buffer.h"

enum { LS_PREFETCH_RECORDS = 32 }; /* how far ahead the cells of records are prefetched */

/* A walk over one stream. It ends after `left` more records. */
typedef struct ls_commands_walk {
    const ls_commands *commands;
    ls_stream stream;
    uint32_t segment, left;
    size_t offset;       /* relative to the segment's begin */
    uint8_t *next, *end; /* the rest of the segment; both NULL before it is entered */
} ls_commands_walk;

/* Moves to a segment with a record left; false when there is none. */
bool ls_commands_enter(ls_commands_walk *walk);
/* The next record, which may be changed in place; NULL at the end. */
static inline ls_entry *ls_commands_next(ls_commands_walk *walk)
{
    if (walk->left == 0 || (walk->next == walk->end && !ls_commands_enter(walk)))
        return NULL;
    ls_entry *record = (ls_entry *)(void *)walk->next;
    walk->next += ls_entry_size(record);
    walk->offset += ls_entry_size(record);
    walk->left--;
    return record;
}
uint64_t ls_commands_count(const ls_commands *commands, ls_stream stream);
/* The number of records of the stream beyond `limit`. */
uint64_t ls_commands_excess(const ls_commands *commands, ls_stream stream, uint32_t limit);

#endif
