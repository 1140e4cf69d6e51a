/* Deferred changes of invocations: spawns, events and accumulated values until their system ends,
 * commands until the sync point. Every worker appends to its own buffers. Segments record which
 * part came from which page, so that all changes are applied in canonical order on any number of
 * threads.
 *   source  docs/design.md section 4 */
#ifndef LS_COMMAND_BUFFER_H
#define LS_COMMAND_BUFFER_H

#include <lockstep/cell.h>
#include <lockstep/entity.h>

typedef enum ls_stream {
    LS_STREAM_SPAWNS, /* spawns, and components attached to new entities */
    LS_STREAM_EVENTS,
    LS_STREAM_VALUES,   /* accumulated values */
    LS_STREAM_COMMANDS, /* commands: spawn, attach, detach */
    LS_STREAM_COUNT,
} ls_stream;

typedef enum ls_entry_kind {
    LS_ENTRY_SPAWN,  /* `at` is an index into the system's `lanes`; in commands, `command_lanes` */
    LS_ENTRY_ATTACH, /* `at` is the term; without a value the cell is zero */
    LS_ENTRY_DETACH,
    LS_ENTRY_VALUE, /* an event or an accumulated value */
} ls_entry_kind;

/* A record; `bytes` bytes of its value follow, padded to 8. The record of a command may be a run:
 * `more` further commands of its kind and term, on the entities with the next handles. Each value
 * of a run is padded to 8, and `bytes` counts all values with their padding. `at` depends on the
 * kind; except for a spawn it is the term. */
typedef struct ls_entry {
    ls_entity entity;
    uint8_t kind, more;
    uint16_t at;
    uint32_t bytes;
} ls_entry;

/* A short record of a component attached to a new entity by term `at`; its value, if any, follows,
 * padded to 8. */
typedef struct ls_spawned_entry {
    uint32_t ordinal; /* of the entity among those that the segment spawned */
    uint16_t at, has_value;
} ls_spawned_entry;

typedef struct ls_commands_buffer {
    uint8_t *data;
    size_t count, capacity;
} ls_commands_buffer;

/* The last command of a segment, as long as the next one may join its record. The record is
 * complete when the next one begins, or the segment is closed. */
typedef struct ls_open_run {
    uint64_t key;   /* of ls_command_run_key(); 0: no command may join */
    ls_entity next; /* the handle that continues the run */
    size_t head;    /* offset of the record in the buffer */
    uint32_t bytes; /* of each value */
    uint32_t more;  /* commands after the first */
} ls_open_run;

/* The records of all invocations on one page. A sequential system has one segment. */
typedef struct ls_command_segment {
    uint32_t worker;
    size_t begin[LS_STREAM_COUNT], end[LS_STREAM_COUNT];
    uint32_t records[LS_STREAM_COUNT];
    uint32_t spawned;       /* entities spawned by the invocations */
    uint32_t commanded;     /* entities spawned by their commands */
    uint32_t first_spawned; /* where its entities begin in spawned_entities during a merge */
    ls_open_run run;
} ls_command_segment;

typedef struct ls_commands {
    ls_commands_buffer (*buffers)[LS_STREAM_COUNT]; /* by worker; NULL before ls_commands_begin() */
    ls_command_segment *segments;                   /* by index in the page list */
    uint32_t count, capacity;
    /* 0: the stream of events has records. Else it has no records, but events of one term side by
     * side, each of this many bytes. */
    uint32_t event_bytes;
    /* 0: the stream of values has records. Else it has no records, but pairs of an entity and a
     * value of one term, each of this many bytes. */
    uint32_t value_bytes;
    /* The system spawns into one lane only. Spawns then have no records, but are counted in
     * `spawned`; their stream has only what is attached to them, as ls_spawned_entry. */
    bool is_of_one_lane;
    bool has_runs; /* records of commands may be runs */
    /* Scratch of a merge: the handles of the entities that the invocations, or their commands,
     * spawned. */
    ls_entity *spawned_entities;
    uint32_t spawned_entity_capacity;
} ls_commands;

static inline void *ls_entry_value(ls_entry *record)
{
    return record->bytes ? record + 1 : NULL;
}

static inline size_t ls_entry_padded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

static inline size_t ls_entry_size(const ls_entry *record)
{
    return sizeof *record + ls_entry_padded(record->bytes);
}

/* Empties the buffers and makes room for `count` segments. */
void ls_commands_begin(ls_commands *commands, uint32_t count);
/* Between open and close, `worker` appends to this segment only. */
void ls_commands_open(ls_commands *commands, uint32_t segment, uint32_t worker);
void ls_commands_close(ls_commands *commands, uint32_t segment);
/* Writes the length of the segment's run into its record. */
void ls_commands_end_run(const ls_commands *commands, ls_command_segment *segment);
/* Makes room for `bytes` more bytes. */
void ls_commands_grow(ls_commands_buffer *buffer, size_t bytes);
/* Writes `bytes` bytes of a value to `to`; zeros if `value` is NULL. */
static inline void ls_commands_put(uint8_t *to, const void *value, size_t bytes)
{
    if (!value)
        memset(to, 0, bytes);
    else if (LS_LIKELY(bytes && ls_cell_is_small(bytes)))
        ls_cell_copy(to, (const uint8_t *)value, bytes);
    else
        memcpy(to, value, bytes);
}
/* Makes room for a record of `bytes` bytes in all, counts the record, and returns its place. The
 * caller writes the record. */
static inline uint8_t *ls_commands_extend(const ls_commands *commands, ls_command_segment *segment,
                                          ls_stream stream, size_t bytes)
{
    ls_commands_buffer *buffer = &commands->buffers[segment->worker][stream];
    if (LS_UNLIKELY(buffer->capacity - buffer->count < bytes))
        ls_commands_grow(buffer, bytes);
    uint8_t *to = buffer->data + buffer->count;
    buffer->count += bytes;
    segment->records[stream]++;
    return to;
}
/* Appends a record with `bytes` bytes of `value`, NULL for zeros, to an open segment. */
static inline void ls_commands_append(const ls_commands *commands, ls_command_segment *segment,
                                      ls_stream stream, ls_entry record, const void *value)
{
    uint8_t *to = ls_commands_extend(commands, segment, stream, ls_entry_size(&record));
    memcpy(to, &record, sizeof record);
    ls_commands_put(to + sizeof record, value, record.bytes);
}
/* Grows spawned_entities to at least `count` entries. */
void ls_commands_reserve(ls_commands *commands, uint32_t count);
void ls_commands_reset(ls_commands *commands);

#endif
