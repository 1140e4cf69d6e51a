/* The case that `lockstep explain` works on: a recording or a bundle of evidence, the simulation
 * that it is of, and the tick before which the sides differ. */
#ifndef LS_EXPLAIN_CASE_H
#define LS_EXPLAIN_CASE_H

#include "cli/module/sim_imports.h"
#include "cli/module/sim_load.h"
#include "desync/rerun.h"
#include "replays/evidence_record.h"
#include <lockstep/recording.h>

#define LS_EXPLAIN_TICK_UNKNOWN UINT64_MAX

typedef struct ls_explain_config {
    const char *path;
    const char *sim;   /* NULL: the recording's, built in */
    const char *other; /* another build, or NULL */
    const char *match; /* the recording that the bundle was cut from; NULL: looked for beside it */
    bool any_build;
    const char *finding;  /* of the check executor, for the row that looks for its line; or NULL */
    uint64_t patience_ns; /* of who waits for a run that makes no progress */
    const char *bundle;   /* for a row of the match that it was cut from: the evidence; or NULL */
    bool shows_progress;  /* a bar on stderr, of rows that take their time */
    /* Count what is read and run, and what will be, for who waits for it; or NULL. */
    uint64_t *progress, *progress_total;
} ls_explain_config;

typedef struct ls_explain_case {
    ls_explain_config config;
    ls_recording *recording;
    ls_recording *bundle; /* of the configuration, or NULL */
    ls_loaded_sim loaded;
    ls_sim_imports imports;
    ls_evidence *evidence; /* of a bundle; NULL in other recordings */
    char *match_path;      /* the recording that a bundle was cut from, if it is there; or NULL, */
    ls_error no_match;     /* and why it is not there */
    uint64_t match_tick;   /* its first */
    uint64_t first_tick;   /* the file's */
    uint64_t end_tick;     /* after its last frame */
    /* The tick before which the roots differ; LS_EXPLAIN_TICK_UNKNOWN: not known yet. */
    uint64_t tick;
    uint64_t from;    /* of the row that is looked into */
    ls_error torn;    /* how the file ends, when it is cut off; or empty */
    ls_error rest;    /* where the match goes on that is not looked into; or empty */
    ls_error warning; /* the file is of another version, which --any-build takes; or empty */
} ls_explain_case;

/* Opens file and simulation. Later files of the match are read with the file, as one recording.
 *   errors  as ls_recording_open and ls_sim_load; INCOMPATIBLE for another simulation
 *   owns    ls_explain_case_close, also after an error */
ls_status ls_explain_case_open(const ls_explain_config *config, ls_explain_case *the,
                               ls_error *error) LS_MUST_USE;
void ls_explain_case_close(ls_explain_case *the);

/* Tells who waits that there is progress: once for each tick that is read or run. */
void ls_explain_tell_progress(const ls_explain_config *config);
/* And that so much more of it will come. */
void ls_explain_expect(const ls_explain_config *config, uint64_t count);

/* The frames from a tick on, with the file's roots, and the state before the first of them, which
 * is that of the last keyframe at or before `from`. At tick 0 `*snapshot` is NULL: the setup
 * creates the state from the match, as it did on the server.
 *   errors  as ls_start_state_make()
 *   owns    ls_free(*snapshot); the case outlives the source */
ls_status ls_explain_case_start(ls_explain_case *the, uint64_t from, ls_tick_source *ticks,
                                uint8_t **snapshot, size_t *bytes, ls_error *error) LS_MUST_USE;

/* A serial rerun from there, which compares no roots; and its steps up to the tick, or to the end
 * of the file. errors  those of reruns owns    ls_rerun_destroy(), also after an error of the steps
 */
ls_status ls_explain_case_begin(ls_explain_case *the, uint64_t from, ls_rerun **rerun,
                                ls_error *error) LS_MUST_USE;
ls_status ls_explain_case_run(const ls_explain_case *the, ls_rerun *rerun, uint64_t tick,
                              ls_error *error) LS_MUST_USE;

/* How many bits of the cells of the evidence differ, when one cell alone does; 0 otherwise. */
uint32_t ls_explain_case_bits(const ls_explain_case *the);

/* How many bundles of the match are beside the file, by their names. */
uint32_t ls_explain_case_others(const ls_explain_case *the);

#endif
