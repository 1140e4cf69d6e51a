/* Deferred changes of invocations: spawns, events and accumulated values for the end of their
 * system, commands for the sync point. Every worker appends to buffers of its own. Segments record
 * the page that wrote each part, so that all of it is applied in canonical order on any number of
 * threads. source  docs/design.md section 4 */
#ifndef LS_COMMAND_BUFFER_H
#define LS_COMMAND_BUFFER_H

#include <lockstep/entity.h>

typedef enum ls_stream {
    LS_STREAM_SPAWNS, /* spawn, and attach to what was spawned */
    LS_STREAM_EVENTS,
    LS_STREAM_VALUES,   /* accumulated */
    LS_STREAM_COMMANDS, /* spawn, attach, detach */
    LS_STREAM_COUNT,
} ls_stream;

typedef enum ls_entry_kind {
    LS_ENTRY_SPAWN,  /* `at` is the lane in the system's list */
    LS_ENTRY_ATTACH, /* `at` is the term; without a value the cell is zero */
    LS_ENTRY_DETACH,
    LS_ENTRY_VALUE, /* an event, or what is accumulated */
} ls_entry_kind;

/* `bytes` of a value follow, padded to 8. */
typedef struct ls_entry {
    ls_entity entity;
    uint16_t kind;
    uint16_t at;
    uint32_t bytes;
} ls_entry;

typedef struct ls_commands_buffer {
    uint8_t *data;
    size_t count, capacity;
} ls_commands_buffer;

/* The records of the invocations of one page; a sequential system has one segment. */
typedef struct ls_segment {
    uint32_t worker;
    size_t begin[LS_STREAM_COUNT], end[LS_STREAM_COUNT];
    uint32_t records[LS_STREAM_COUNT];
    uint32_t spawned;       /* spawned entities of the invocations */
    uint32_t commanded;     /* entities that their commands spawn */
    uint32_t first_spawned; /* in the list of spawned entities, while one of the two is merged */
} ls_segment;

typedef struct ls_commands {
    ls_commands_buffer (*buffers)[LS_STREAM_COUNT]; /* by worker; NULL until something is written */
    ls_segment *segments;                           /* by place in the page list */
    uint32_t count, capacity;
    /* Scratch of the merge: the handles of spawned entities, and of what commands spawn. */
    ls_entity *spawned_entities;
    uint32_t spawned_entity_count, spawned_entity_capacity;
} ls_commands;

static inline void *ls_entry_value(ls_entry *record)
{
    return record->bytes ? record + 1 : NULL;
}

static inline size_t ls_entry_size(const ls_entry *record)
{
    return sizeof *record + ((size_t)record->bytes + 7) / 8 * 8;
}

/* Empties the buffer and makes room for `count` segments. */
void ls_commands_begin(ls_commands *commands, uint32_t count);
/* From here to the end `worker` writes for the segment, and for no other. */
void ls_commands_open(ls_commands *commands, uint32_t segment, uint32_t worker);
void ls_commands_close(ls_commands *commands, uint32_t segment);
/* Appends a record to an open segment, with `bytes` bytes of the value; zeros for NULL. */
void ls_commands_append(ls_commands *commands, ls_segment *segment, ls_stream stream,
                        ls_entry record, const void *value);
/* Makes spawned_entities[0..count) usable. */
void ls_commands_make_room(ls_commands *commands, uint32_t count);
void ls_commands_reset(ls_commands *commands);

/* A walk over one stream in canonical order, at most `left` records. */
typedef struct ls_commands_walk {
    const ls_commands *commands;
    ls_stream stream;
    uint32_t segment, left;
    size_t offset; /* from the segment's begin */
} ls_commands_walk;

/* NULL at the end. The record may be changed in place. */
ls_entry *ls_commands_next(ls_commands_walk *walk);
/* How many records of the stream are beyond `limit`. */
uint32_t ls_commands_excess(const ls_commands *commands, ls_stream stream, uint32_t limit);

#endif
