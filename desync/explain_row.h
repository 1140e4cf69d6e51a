/* A row of explain's table: one rerun of the ticks, and its result. */
#ifndef LS_EXPLAIN_ROW_H
#define LS_EXPLAIN_ROW_H

#include "desync/crash.h"

#define LS_EXPLAIN_ROWS_MAX 64

/* How a row ran the ticks. */
typedef enum ls_explain_kind {
    LS_EXPLAIN_PLAIN = 0,  /* serially, in a new process; the number counts these rows */
    LS_EXPLAIN_THREADS,    /* on several threads */
    LS_EXPLAIN_SHUFFLE,    /* in a random legal order; the number is its seed */
    LS_EXPLAIN_ROUND_TRIP, /* the state is encoded and decoded before each tick */
    LS_EXPLAIN_LATE,       /* from a snapshot some ticks earlier, in a new process */
    /* From the first tick of the match, not from a keyframe. With a number: from the first tick of
     * the file, which lacks the beginning of the match. */
    LS_EXPLAIN_START,
    LS_EXPLAIN_PLACES,     /* with memory at different addresses; the number counts these rows */
    LS_EXPLAIN_HEAP,       /* malloc's memory is filled with the byte `number` */
    LS_EXPLAIN_HEAP_NOISE, /* malloc's memory holds noise made from the byte `number` */
    LS_EXPLAIN_STACK,      /* unused stack holds noise made from the byte `number` */
    LS_EXPLAIN_REPEAT,     /* several times in one process, or until one result differs */
    LS_EXPLAIN_CHECK,      /* the check executor, which finds undeclared access */
    LS_EXPLAIN_OTHER,      /* another build of the simulation */
    LS_EXPLAIN_KINDS,
} ls_explain_kind;

typedef enum ls_explain_side {
    LS_SIDE_SERVER = 0, /* the rerun ends with the server's root */
    LS_SIDE_CLIENT,     /* ... with the root of the client that diverged */
    LS_SIDE_NEITHER,    /* ... with a third root */
    LS_SIDE_FAILED,     /* ... with an error: `text` */
    LS_SIDE_CRASHED,    /* the rerun's process died: `text` and `crash` */
    LS_SIDE_NOT_RUN,    /* there was no rerun; `text` says why */
} ls_explain_side;

typedef struct ls_explain_row {
    ls_explain_kind kind;
    uint32_t number;
    uint64_t from; /* the first tick of the run; 0: the file's first */
    ls_explain_side side;
    bool has_difference; /* from the server's roots */
    uint64_t tick;       /* the first tick before which the roots differ */
    uint64_t root;       /* of the world before the examined tick */
    uint64_t ns;
    ls_crash crash;
    /* The rerun failed because it made no progress and was ended. Its result is unknown; `crash`
     * has the place. */
    bool is_stuck;
    bool is_undeclared; /* `text` has undeclared access found by the check executor */
    bool is_write;      /* at least one such access is a write */
    bool is_hidden;     /* `text` has state outside of the world, but no undeclared access */
    char text[LS_ERROR_TEXT_BYTES];
} ls_explain_row;

/* Prints how the row ran, as "on 2 threads". */
void ls_explain_row_name(const ls_explain_row *row, char *text, size_t bytes);
const char *ls_explain_side_name(ls_explain_side side);

#endif
