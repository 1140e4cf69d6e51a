/* All findings of the check of a schedule, in one list.
 *   owns  ls_schedule_report_destroy() by the caller */
#ifndef LS_SCHEDULE_REPORT_H
#define LS_SCHEDULE_REPORT_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_finding_kind {
    LS_FINDING_DECLARATION,   /* a declaration that is wrong by itself, in any order */
    LS_FINDING_UNKNOWN,       /* a name that no system, label or set has */
    LS_FINDING_DUPLICATE,     /* two things have the same name */
    LS_FINDING_CYCLE,         /* systems that wait for each other */
    LS_FINDING_CONTRADICTION, /* an order that contradicts stages or slots */
    LS_FINDING_EXCLUSIVE,     /* exclusive systems of one slot without an order */
    LS_FINDING_AMBIGUITY,     /* two systems that conflict, without an order */
    LS_FINDING_HINT,          /* not an error; hints refuse nothing */
} ls_finding_kind;

typedef struct ls_finding {
    ls_finding_kind kind;
    char *one, *other; /* systems, stages, sets or pars; NULL: none */
    char *text;        /* one sentence, with the remedy */
} ls_finding;

/* A suggested edge: an order that resolves ambiguities. */
typedef struct ls_remedy {
    char *earlier, *later;
} ls_remedy;

/* A declared independence. */
typedef struct ls_independence_use {
    char *one, *other, *reason;
    uint32_t pair_count; /* pairs that conflict and have no order because of it */
} ls_independence_use;

typedef struct ls_schedule_report {
    ls_finding *findings;
    uint32_t count, capacity;
    uint32_t hint_count;
    /* With all remedies, every ambiguous pair has an order. is_smallest: no smaller number of edges
     * suffices. */
    ls_remedy *remedies;
    uint32_t remedy_count;
    bool is_smallest;
    /* Filled in for a schedule without errors, in the order of the simulation's list. */
    ls_independence_use *independences;
    uint32_t independence_count;
} ls_schedule_report;

/* The whole report as one JSON object with the simulation's name; ls_free() by the caller. */
LS_API char *ls_schedule_report_json(const ls_schedule_report *report, const char *simulation);
/* The kind as a lowercase word, e.g. "ambiguity". */
LS_API const char *ls_finding_word(ls_finding_kind kind);
LS_API void ls_schedule_report_destroy(ls_schedule_report *report);

#ifdef __cplusplus
}
#endif

#endif
