/* Trials of `lockstep check`: each runs a match in one more way, in a process of its own, and has
 * to come to the same roots. A kind of trial has a name and takes a number: `shuffle-3`. */
#ifndef LS_CHECK_CASE_H
#define LS_CHECK_CASE_H

#include "cli/common/child_process.h"
#include "cli/common/random_inputs.h"
#include "desync/ticks.h"

/* What all trials of one match share. */
typedef struct ls_check_case_match {
    const char *sim;      /* the word behind --sim, */
    const char *sim_name; /* and what it calls itself */
    const ls_program *program;
    ls_match match;
    uint64_t ticks;
    uint64_t declared_ticks; /* of the many times slower trial */
    uint64_t patience_ns;    /* without a tick: then a trial is stuck */
    ls_random_inputs_mode mode;
    ls_tick_list *list; /* what the first trial found; NULL for itself */
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
    ls_status (*run)(const ls_check_case *trial, ls_child *child,
                     ls_error *error); /* in the child */
} ls_check_case_kind;

/* In the order in which they are reported; "base" is the first. NULL behind the last. */
const ls_check_case_kind *ls_check_case_kind_at(uint32_t index);
/* The kind of that name, of `count` letters. NULL: none. */
const ls_check_case_kind *ls_check_case_kind_find(const char *name, size_t count);

ls_status ls_check_case_start(const ls_check_case *trial, ls_child *child,
                              ls_error *error) LS_MUST_USE;

/* Makes `match` what the first trial, which ended well, handed over.
 *   owns  ls_check_case_match_reset */
ls_status ls_check_case_match_adopt(ls_check_case_match *match, const ls_child *base,
                                    ls_error *error) LS_MUST_USE;
void ls_check_case_match_reset(ls_check_case_match *match);

/* Names component, entity and field of a trial that handed over another state than the first trial
 * had, by adding to its text; starts a process for it, and waits.
 *   errors  those of the machine alone; what cannot be found out is said in the text */
ls_status ls_check_case_locate(const ls_check_case_match *match, const ls_child *failed,
                               ls_error *text, ls_error *error) LS_MUST_USE;

/* `lockstep check --worker`: the program that takes the place of a child. Does not return. */
LS_NO_RETURN void ls_check_case_worker(const char *sim, uint64_t number);

#endif
