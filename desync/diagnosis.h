/* Finds the class of a desync's cause from the results of its reruns. Pure: facts in, words out.
 *   source  docs/desync.md has the table */
#ifndef LS_DESYNC_DIAGNOSIS_H
#define LS_DESYNC_DIAGNOSIS_H

#include "desync/crash.h"

#define LS_EXPLAIN_ROWS_MAX 64

/* How a row ran the ticks. */
typedef enum ls_explain_kind {
    LS_EXPLAIN_PLAIN = 0,  /* serially, in a new process; the number says which time */
    LS_EXPLAIN_THREADS,    /* on several threads */
    LS_EXPLAIN_SHUFFLE,    /* in the legal order that the number draws */
    LS_EXPLAIN_ROUND_TRIP, /* the state through its byte form before each tick */
    LS_EXPLAIN_LATE,       /* from a snapshot some ticks earlier, in a new process */
    LS_EXPLAIN_START,      /* from the first tick of the match instead of a keyframe; with a
                              number, of the file, which holds no more of the match */
    LS_EXPLAIN_PLACES,     /* with memory at different addresses */
    LS_EXPLAIN_HEAP,       /* what malloc gives is filled with the byte that the number is */
    LS_EXPLAIN_HEAP_NOISE, /* ... holds different bytes at each place: the noise of that byte */
    LS_EXPLAIN_STACK,      /* unused stack holds noise */
    LS_EXPLAIN_REPEAT,     /* several times in one process, or until one result differs */
    LS_EXPLAIN_CHECK,      /* the check executor: what systems do without having declared it */
    LS_EXPLAIN_OTHER,      /* another build of the simulation */
    LS_EXPLAIN_KINDS,
} ls_explain_kind;

typedef enum ls_explain_side {
    LS_SIDE_SERVER = 0, /* the server's root */
    LS_SIDE_CLIENT,     /* that of the client that diverged */
    LS_SIDE_NEITHER,    /* a third */
    LS_SIDE_FAILED,     /* the rerun ended with an error: `text` */
    LS_SIDE_CRASHED,    /* its process died: `text` and `crash` */
    LS_SIDE_NOT_RUN,    /* `text` says why */
} ls_explain_side;

typedef struct ls_explain_row {
    ls_explain_kind kind;
    uint32_t number;
    uint64_t from; /* the tick it begins with; 0: the file's first */
    ls_explain_side side;
    bool has_difference; /* from the server's roots; */
    uint64_t tick;       /* then the first whose root is not its; as roots are, before the tick */
    uint64_t root;       /* of the world before the tick in question */
    uint64_t ns;
    ls_crash crash;
    bool is_stuck;      /* failed: it made no progress and was ended; its result is not known, */
                        /* the place is `crash` */
    bool is_undeclared; /* findings of the check executor, in `text`: access, */
    bool is_write;      /* one of them is a write */
    bool is_hidden;     /* or state outside of the world, and no undeclared access */
    char text[LS_ERROR_TEXT_BYTES];
} ls_explain_row;

typedef enum ls_desync_class {
    LS_CLASS_VERSION = 0,   /* the sides run different code */
    LS_CLASS_INPUT,         /* they applied different inputs */
    LS_CLASS_UNDECLARED,    /* a system touches what it did not declare */
    LS_CLASS_ORDER,         /* two systems or pages whose order shows */
    LS_CLASS_UNINITIALISED, /* memory is read that was never written */
    LS_CLASS_ADDRESS,       /* addresses decide */
    LS_CLASS_MACHINE,       /* the clock, random numbers or the like are read */
    LS_CLASS_UNSAVED,       /* state that is not in the world */
    LS_CLASS_BUILD,         /* compilers, floats or libraries differ */
    LS_CLASS_MEMORY,        /* one bit, once */
    LS_CLASS_CRASH,         /* every run dies, or none makes progress */
    LS_CLASS_OUTSIDE,       /* something outside of the systems and of the world, on one side */
    LS_CLASS_NONE,          /* nothing diverged, or nothing is known */
    LS_CLASS_COUNT,
} ls_desync_class;

/* The other facts that the diagnosis rests on. */
typedef struct ls_explain_facts {
    const ls_explain_row *rows;
    uint32_t row_count;
    bool has_client;         /* the client's root and cells are known */
    bool is_start;           /* what differs is the state before the first tick of the file */
    bool starts_late;        /* the file begins with a keyframe, not with the match */
    bool has_other_versions; /* of simulation or engine rules */
    bool has_other_inputs;
    bool has_other_builds; /* compiler or CPU differ, as the sides say */
    uint64_t cells;        /* how many differ between the sides */
    uint32_t bits;         /* and in how many bits, when `cells` is 1 */
    uint32_t others;       /* bundles of the match beside this one: of other clients or ticks */
    const char *imports;   /* functions of the C library that the simulation calls and should not,
                              as "time, rand"; "" for none */
    bool imports_floats;   /* some of them are libm's, */
    bool imports_machine;  /* or read clock, random numbers or environment */
} ls_explain_facts;

/* The next step, where a command can take one. */
typedef enum ls_diagnosis_next {
    LS_NEXT_NONE = 0,
    LS_NEXT_DEBUG_CRASH, /* replay the tick of `row` in a debugger, which stops at the crash */
    LS_NEXT_DEBUG_HANG,  /* replay it in a debugger and interrupt it; or wait longer */
    LS_NEXT_OTHER_BUILD, /* also run the build that made the file, if it was a different one */
} ls_diagnosis_next;

typedef struct ls_diagnosis {
    ls_desync_class cause;
    const ls_explain_row *row; /* that the class rests on, one of the facts'; NULL for none */
    char reason[256];          /* why: which rows say so */
    char remedy[256];
    ls_diagnosis_next next;
    char also[256]; /* what the check executor named, where the class rests on another row */
} ls_diagnosis;

void ls_diagnosis_find(const ls_explain_facts *facts, ls_diagnosis *diagnosis);

/* Known facts about the stores into the one cell that differs, once they were looked for. */
typedef struct ls_explain_stores {
    const char
        *system; /* that stores there in that tick, be it what was there; NULL: none is known */
    bool is_unstored; /* none does, for certain */
} ls_explain_stores;

/* A bit that differs is a fault of the hardware only where no system stores: otherwise what was
 * stored was computed. */
void ls_diagnosis_add_stores(const ls_explain_facts *facts, const ls_explain_stores *stores,
                             ls_diagnosis *diagnosis);

/* "order race" and the like; one word for JSON, as "order_race". */
const char *ls_desync_class_name(ls_desync_class which);
const char *ls_desync_class_word(ls_desync_class which);
/* "on 2 threads" and the like. */
void ls_explain_row_name(const ls_explain_row *row, char *text, size_t bytes);
const char *ls_explain_side_name(ls_explain_side side);

#endif
