/* What invocations leave to be done later: births, events and accumulated values when their system
 * ends, commands at the sync point. Every worker appends to buffers of its own; segments remember
 * which page wrote what, so that all of it can be taken in canonical order, whoever did the work.
 *   source  docs/design.md section 4 */
#ifndef LS_LOG_H
#define LS_LOG_H

#include "core/entity.h"
#include "core/executor.h"

typedef enum ls_stream {
    LS_STREAM_BIRTHS,   /* spawn, and attach to what was spawned */
    LS_STREAM_EVENTS,   /* by term */
    LS_STREAM_VALUES,   /* accumulated */
    LS_STREAM_COMMANDS, /* attach, detach, spawn */
    LS_STREAM_COUNT,
} ls_stream;

typedef enum ls_record_kind {
    LS_RECORD_SPAWN,  /* `at` is the lane in the system's list */
    LS_RECORD_ATTACH, /* `at` is the term; a value follows unless the component is a tag */
    LS_RECORD_DETACH,
    LS_RECORD_VALUE, /* an event or what is accumulated */
} ls_record_kind;

/* A value of `bytes` follows, padded to 8. */
typedef struct ls_record {
    ls_entity entity;
    uint16_t kind;
    uint16_t at;
    uint32_t bytes;
} ls_record;

typedef struct ls_log_buffer {
    uint8_t *data;
    size_t count, capacity;
} ls_log_buffer;

/* What the invocations of one page wrote; a sequential system has one segment. */
typedef struct ls_segment {
    size_t begin[LS_STREAM_COUNT], end[LS_STREAM_COUNT];
    uint32_t worker;
    uint32_t births;    /* while the page runs: newborns so far; afterwards the first one's place
                         * among those of the system */
    uint32_t commanded; /* the same of entities spawned by command */
} ls_segment;

typedef struct ls_log {
    ls_log_buffer (*buffers)[LS_STREAM_COUNT]; /* by worker, LS_THREADS_MAX of them */
    ls_segment *segments;                      /* by place in the page list */
    uint32_t count, capacity;
} ls_log;

static inline const void *ls_record_value(const ls_record *record)
{
    return record + 1;
}

static inline size_t ls_record_bytes(const ls_record *record)
{
    return sizeof *record + ((size_t)record->bytes + 7) / 8 * 8;
}

/* Empties the log and makes room for `count` segments. */
void ls_log_begin(ls_log *log, uint32_t count);
void ls_log_open(ls_log *log, uint32_t segment, uint32_t worker);
void ls_log_close(ls_log *log, uint32_t segment);
/* Appends to the worker's buffer and gives the place of the value, to be filled. */
void *ls_log_append(ls_log *log, uint32_t worker, ls_stream stream, const ls_record *record);
void ls_log_reset(ls_log *log);

/* A walk over one stream in canonical order: for (...; ls_log_next(&walk);) */
typedef struct ls_log_walk {
    ls_log *log;
    ls_stream stream;
    uint32_t segment;
    size_t offset;
    ls_record *record; /* the one that the walk stands at */
} ls_log_walk;

void ls_log_walk_begin(ls_log *log, ls_stream stream, ls_log_walk *walk);
bool ls_log_walk_next(ls_log_walk *walk);

#endif
