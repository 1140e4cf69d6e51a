/* Plans the matches of `lockstep check` and their cases. The plan is a pure function of the
 * command's options, so another run of the command makes the same plan.
 *   thread  any */
#ifndef LS_CHECK_PLAN_H
#define LS_CHECK_PLAN_H

#include "cli/check/check_case.h"
#include "cli/check/option_values.h"

#define LS_CHECK_OTHERS_MAX     8
#define LS_CHECK_ONLY_MAX       32
#define LS_CHECK_SHUFFLES_MAX   256
#define LS_CHECK_TICKS_MAX      1000000
#define LS_CHECK_DECLARED_TICKS 100 /* the default of --declared-ticks */
/* The most cases of one match. */
#define LS_CHECK_CASES_MAX (LS_CHECK_SHUFFLES_MAX + LS_CHECK_ONLY_MAX + LS_CHECK_OTHERS_MAX + 48)

/* The argument of --only: `shuffle` or `shuffle-3`. */
typedef struct ls_check_only {
    const ls_check_case_kind *kind;
    bool has_number;
    uint64_t number;
} ls_check_only;

typedef struct ls_check_plan {
    const ls_program *program;
    ls_match match; /* the first one */
    ls_option_pins pins;
    uint64_t ticks, declared_ticks;
    uint32_t seeds, shuffles;
    uint32_t option_matches; /* at most this many matches try another value of one option */
    bool has_mode;           /* all inputs are of `mode` */
    ls_random_inputs_mode mode;
    const char *others[LS_CHECK_OTHERS_MAX];
    uint32_t other_count;
    ls_check_only only[LS_CHECK_ONLY_MAX];
    uint32_t only_count;
} ls_check_plan;

/* Returns how many matches always run: those of the seeds, then those with other options. Any
 * number of longer matches may follow. */
uint32_t ls_check_plan_count(const ls_check_plan *plan);
/* Prepares match `index` and all its cases, at most LS_CHECK_CASES_MAX; returns their number. The
 * first is the base. */
uint32_t ls_check_plan_match(const ls_check_plan *plan, uint32_t index, ls_check_case_match *match,
                             ls_check_case *cases);

#endif
