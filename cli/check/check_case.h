/* A case of `lockstep check`: runs the match in one more way, in a separate process, and must reach
 * the same roots. A kind of case has a name and takes a number: `shuffle-3`. */
#ifndef LS_CHECK_CASE_H
#define LS_CHECK_CASE_H

#include "cli/common/child_process.h"
#include "cli/common/random_inputs.h"
#include "desync/ticks.h"

/* The part that all cases of one match share. */
typedef struct ls_check_case_match {
    const char *sim;      /* the word behind --sim, */
    const char *sim_name; /* and what it calls itself */
    const ls_program *program;
    ls_match match;
    uint64_t ticks;
    uint64_t declared_ticks; /* of the many times slower case */
    uint64_t patience_ns;    /* without a tick: then a case is stuck */
    ls_random_inputs_mode mode;
    ls_tick_list *list; /* what the first case found; NULL for itself */
    int list_file;      /* its bytes, for other programs */
    uint64_t base_end_ns;
} ls_check_case_match;

typedef struct ls_check_case {
    const struct ls_check_case_kind *kind;
    const ls_check_case_match *match;
    uint64_t number;
    const char *path; /* of another build */
} ls_check_case;

typedef struct ls_check_case_kind {
    const char *name;
    const char *summary; /* for the table and --help */
    ls_status (*run)(const ls_check_case *self, ls_child *child,
                     ls_error *error); /* in the child */
} ls_check_case_kind;

#endif
