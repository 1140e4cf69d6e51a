/* Finds the class of a desync's cause from the results of its reruns. A pure function of the facts.
 *   source  docs/desync.md has the table */
#ifndef LS_DESYNC_DIAGNOSIS_H
#define LS_DESYNC_DIAGNOSIS_H

#include "desync/desync_class.h"
#include "desync/explain_row.h"

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

#endif
