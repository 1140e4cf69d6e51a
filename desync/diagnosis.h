/* Finds the class of a desync's cause from the results of its reruns. A pure function of the facts.
 *   source  docs/desync.md has the table */
#ifndef LS_DESYNC_DIAGNOSIS_H
#define LS_DESYNC_DIAGNOSIS_H

#include "desync/crash.h"

#define LS_EXPLAIN_ROWS_MAX 64

/* How a row ran the ticks. A row is one rerun and its result, one line of explain's table. */
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

typedef enum ls_desync_class {
    LS_CLASS_VERSION = 0,   /* the sides run different code */
    LS_CLASS_INPUT,         /* the sides applied different inputs */
    LS_CLASS_UNDECLARED,    /* a system accesses what it did not declare */
    LS_CLASS_ORDER,         /* the order of two systems or pages changes the result */
    LS_CLASS_UNINITIALISED, /* memory is read before it is written */
    LS_CLASS_ADDRESS,       /* addresses change the result */
    LS_CLASS_MACHINE,       /* the simulation reads the clock, random numbers or the like */
    LS_CLASS_UNSAVED,       /* the simulation keeps state outside of the world */
    LS_CLASS_BUILD,         /* compilers, floats or libraries differ */
    LS_CLASS_MEMORY,        /* one bit flipped, once */
    LS_CLASS_CRASH,         /* every run crashes, or none makes progress */
    LS_CLASS_OUTSIDE,       /* something outside of the systems and of the world, on one side */
    LS_CLASS_NONE,          /* nothing diverged, or nothing is known */
    LS_CLASS_COUNT,
} ls_desync_class;

/* The facts that the diagnosis rests on. */
typedef struct ls_explain_facts {
    const ls_explain_row *rows;
    uint32_t row_count;
    bool has_client;         /* the client's root and cells are known */
    bool is_start;           /* the states differ before the first tick of the file */
    bool starts_late;        /* the file begins with a keyframe, not with the match */
    bool has_other_versions; /* of the simulation or the engine rules, on the two sides */
    bool has_other_inputs;
    bool has_other_builds; /* the sides report other compilers or CPUs */
    uint64_t cells;        /* how many cells differ between the sides */
    uint32_t bits;         /* how many bits differ, when `cells` is 1 */
    uint32_t others; /* other bundles of the match beside this one, of other clients or ticks */
    /* Functions of the C library that the simulation calls and should not, as "time, rand"; "" for
     * none. */
    const char *imports;
    bool imports_floats;  /* some of `imports` are libm's */
    bool imports_machine; /* some of `imports` read clock, random numbers or environment */
} ls_explain_facts;

/* The next step that the report suggests, if a command can take it. */
typedef enum ls_diagnosis_next {
    LS_NEXT_NONE = 0,
    LS_NEXT_DEBUG_CRASH, /* replay the tick of `row` in a debugger, which stops at the crash */
    LS_NEXT_DEBUG_HANG,  /* replay the tick in a debugger and interrupt it, or wait longer */
    LS_NEXT_OTHER_BUILD, /* also run the build that made the file, if it was a different one */
} ls_diagnosis_next;

typedef struct ls_diagnosis {
    ls_desync_class cause;
    /* The row that decided the class, one of facts->rows; NULL for none. */
    const ls_explain_row *row;
    char reason[256]; /* which rows led to the class */
    char remedy[256];
    ls_diagnosis_next next;
    /* Findings of the check executor, if another row decided the class. */
    char also[256];
} ls_diagnosis;

void ls_diagnosis_find(const ls_explain_facts *facts, ls_diagnosis *diagnosis);

/* The known facts about stores into the only cell that differs. */
typedef struct ls_explain_stores {
    /* A system that stores into the cell in that tick, possibly an equal value; NULL: none is
     * known. */
    const char *system;
    bool is_unstored; /* certainly no system stores into the cell */
} ls_explain_stores;

/* Corrects the diagnosis by what is known about stores. A flipped bit is a fault of the hardware
 * only if no system stores into the cell; otherwise a system computed the value. */
void ls_diagnosis_add_stores(const ls_explain_facts *facts, const ls_explain_stores *stores,
                             ls_diagnosis *diagnosis);

/* Returns the name of the class, as "order race"; one word for JSON, as "order_race". */
const char *ls_desync_class_name(ls_desync_class which);
const char *ls_desync_class_word(ls_desync_class which);
/* Prints how the row ran, as "on 2 threads". */
void ls_explain_row_name(const ls_explain_row *row, char *text, size_t bytes);
const char *ls_explain_side_name(ls_explain_side side);

#endif
