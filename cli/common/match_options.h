/* The options that every subcommand with a match shares: which simulation, which match of it, how
 * many threads. A child parser for argp, and what is made of its result. */
#ifndef LS_MATCH_OPTIONS_H
#define LS_MATCH_OPTIONS_H

#include <lockstep/executor.h>
#include <lockstep/program.h>

#include <argp.h>

typedef struct ls_match_set {
    const char *name; /* into the argument vector; not terminated */
    uint32_t name_bytes;
    int64_t value;
} ls_match_set;

/* Zeroed before parsing. */
typedef struct ls_match_options {
    const char *sim; /* NULL: not given */
    ls_match_set sets[LS_OPTIONS_MAX];
    uint32_t set_count;
    uint32_t players;   /* 0: the simulation's usual count */
    uint32_t tick_rate; /* 0: the simulation's usual rate */
    uint64_t seed;
    bool has_seed;
    uint32_t threads;    /* 0: one */
    uint32_t share_from; /* of ls_executor_config, as the next two */
    uint64_t shuffle_seed;
    bool is_pinned;
} ls_match_options;

/* Groups of options in the help of a command, each with its title: its own come first, from 1 on,
 * then those that it shares with others. */
#define LS_SIM_GROUP   6
#define LS_RELAY_GROUP 7

/* --sim; as a child, its input is an ls_match_options. */
extern const struct argp ls_sim_argp;
/* --threads, --share-from, --pin, --shuffle; the same input. */
extern const struct argp ls_threads_argp;
/* --sim, --players, --set, --units, --seed, --tick-rate; the same input. */
extern const struct argp ls_match_argp;

/* Numbers of an argp parser: leave through argp_error (exit code 2) when the text is none or out of
 * range. */
uint64_t ls_argp_u64(const struct argp_state *state, const char *option, const char *text,
                     uint64_t min, uint64_t max);
/* --patience: seconds as nanoseconds. */
uint64_t ls_argp_patience_ns(const struct argp_state *state, const char *text);
/* The one recording that a command takes: leaves through argp_error for a second one. */
void ls_argp_recording(const struct argp_state *state, const char *text, const char **path);

/* The program's usual match with all that was set.
 *   errors  NOT_FOUND names an option that the simulation lacks, and those that it has; USAGE for a
 *           value out of its range */
ls_status ls_match_options_apply(const ls_match_options *options, const ls_program *program,
                                 ls_match *match, ls_error *error) LS_MUST_USE;

/* NULL in *executor for one thread: the serial order needs none.
 *   owns  ls_executor_destroy, also for NULL */
ls_status ls_match_options_executor(const ls_match_options *options, ls_executor **executor,
                                    ls_error *error) LS_MUST_USE;

#endif
