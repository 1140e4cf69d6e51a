/* The options of every subcommand that runs a match: the simulation, the match, the number of
 * threads. */
#ifndef LS_MATCH_OPTIONS_H
#define LS_MATCH_OPTIONS_H

#include "cli/common/arguments.h"
#include <lockstep/executor.h>
#include <lockstep/program.h>

typedef struct ls_match_set {
    const char *name; /* points into the argument vector; not terminated */
    uint32_t name_bytes;
    int64_t value;
    bool is_wish; /* of `admin open`, a lobby or an allocation: errors name no option of `serve` */
} ls_match_set;

/* The index of the option that is set; the simulation's option_count when it has none of that
 * name. */
uint32_t ls_match_set_option(const ls_match_set *set, const ls_sim *sim);

/* The caller zeroes it before it parses the arguments. */
typedef struct ls_match_options {
    const char *sim; /* NULL: not given */
    ls_match_set sets[LS_OPTIONS_MAX];
    uint32_t set_count;
    uint32_t players;   /* 0: the simulation's usual count */
    uint32_t tick_rate; /* 0: the simulation's usual rate */
    uint64_t seed;
    bool has_seed;
    uint32_t threads;    /* 0: one */
    uint32_t share_from; /* this and the next two as in ls_executor_config */
    uint64_t shuffle_seed;
    bool is_pinned;
} ls_match_options;

/* --sim. Its title also covers the options of the next two tables. */
extern const ls_arguments ls_sim_arguments;
/* --threads, --share-from, --pin, --shuffle. */
extern const ls_arguments ls_threads_arguments;
/* --sim, --players, --set, --units, --seed, --tick-rate. */
extern const ls_arguments ls_match_arguments;

/* Sets *match to the program's default match, changed by all options that were given.
 *   errors  NOT_FOUND names an option that the simulation lacks, and those that it has; USAGE: a
 *           value is out of its range */
ls_status ls_match_options_apply(const ls_match_options *options, const ls_program *program,
                                 ls_match *match, ls_error *error) LS_MUST_USE;

/* Creates the executor; *executor is NULL for one thread, since the serial order needs none.
 *   owns    ls_executor_destroy, also for NULL */
ls_status ls_match_options_executor(const ls_match_options *options, ls_executor **executor,
                                    ls_error *error) LS_MUST_USE;

#endif
