/* A case of `lockstep check` runs the match in one variant, in a separate process. It must reach
 * the roots of the first case. A kind of case has a name, and may take a number: `shuffle-3`. */
#ifndef LS_CHECK_CASE_H
#define LS_CHECK_CASE_H

#include "cli/common/child_process.h"
#include "cli/common/random_inputs.h"
#include "desync/ticks.h"

/* The data that all cases of one match share. */
typedef struct ls_check_case_match {
    const char *sim; /* the argument of --sim */
    const ls_program *program;
    ls_match match;
    uint64_t ticks;
    uint64_t declared_ticks; /* ticks of the case "declared", which is many times slower */
    uint64_t timeout_ns;     /* a case without a tick for this time is stuck */
    bool is_option_match;    /* the match only tries a value of an option, and is short */
    ls_random_inputs_mode mode;
    ls_tick_list *list; /* frames and roots of the first case; NULL in that case */
    /* descriptor of a file with the bytes of `list`, for other processes; 0: none */
    int list_file;
    uint64_t base_end_ns;
} ls_check_case_match;

typedef struct ls_check_case {
    const struct ls_check_case_kind *kind;
    const ls_check_case_match *match;
    uint64_t number;
    const char *path;            /* the other build, for a case of the kind "other"; or NULL */
    uint32_t match_index, index; /* of the match in the plan, and of the case in the match */
} ls_check_case;

/* Called in the child. */
typedef ls_status ls_check_case_function(const ls_check_case *self, ls_child *child,
                                         ls_error *error);

typedef struct ls_check_case_kind {
    const char *name;
    const char *summary; /* for the result table and --help */
    ls_check_case_function *run;
} ls_check_case_kind;

#endif
