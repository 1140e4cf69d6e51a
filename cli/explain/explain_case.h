/* The case that `lockstep explain` works on: a recording or a bundle of evidence, its simulation,
 * and the tick before which the sides differ. A row is one rerun and its result
 * (desync/diagnosis.h). */
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
    const char *sim;   /* NULL: the simulation that the recording names, built in */
    const char *other; /* another build, or NULL */
    /* The recording that the bundle was cut from; NULL: look for it beside the bundle. */
    const char *match;
    bool any_build;
    /* A finding of the check executor, for the row that searches its line; or NULL. */
    const char *finding;
    uint64_t timeout_ns; /* after which a run without progress is ended */
    /* The bundle with the evidence, for a row that runs the match it was cut from; or NULL. */
    const char *bundle;
    bool shows_progress; /* a bar on stderr while a row runs */
    /* Counters of the work that is done and that is expected, which a waiting process reads; or
     * NULL. */
    uint64_t *progress, *progress_total;
} ls_explain_config;

typedef struct ls_explain_case {
    ls_explain_config config;
    ls_recording *recording;
    ls_recording *bundle; /* opened from `config.bundle`, or NULL */
    ls_loaded_sim loaded;
    ls_sim_imports imports;
    ls_evidence *evidence; /* of a bundle; NULL for other recordings */
    char *match_path;      /* the recording that a bundle was cut from; NULL if not found */
    ls_error no_match;     /* why that recording was not found */
    uint64_t match_tick;   /* the first tick of the recording `match_path` */
    uint64_t first_tick;   /* the first tick of the file */
    uint64_t end_tick;     /* the tick after its last frame */
    /* The tick before which the roots differ; LS_EXPLAIN_TICK_UNKNOWN: not known yet. */
    uint64_t tick;
    uint64_t from;    /* the first tick of the row that is examined */
    ls_error torn;    /* how the file ends, if it is cut off; or empty */
    ls_error rest;    /* a later part of the match that is not examined; or empty */
    ls_error warning; /* the file is of another version, accepted by --any-build; or empty */
} ls_explain_case;

/* Opens the file and loads the simulation. Later files of the match are read with the file, as one
 * recording.
 *   errors  as ls_recording_open and ls_sim_load; INCOMPATIBLE for another simulation
 *   owns    ls_explain_case_close, also after an error */
ls_status ls_explain_case_open(const ls_explain_config *config, ls_explain_case *subject,
                               ls_error *error) LS_MUST_USE;
void ls_explain_case_close(ls_explain_case *subject);

/* Counts one step of progress for the waiting process: a tick that was run, or several that were
 * read. */
void ls_explain_add_progress(const ls_explain_config *config);

/* Gives a source of the frames with the file's roots, and the state before its first frame: that of
 * the last keyframe at or before `from`. At tick 0 `*snapshot` is NULL: the setup creates the state
 * from the match, as it did on the server.
 *   errors  as ls_start_state_make()
 *   owns    ls_free(*snapshot); the case outlives the source */
ls_status ls_explain_case_start(ls_explain_case *subject, uint64_t from, ls_tick_source *ticks,
                                uint8_t **snapshot, size_t *bytes, ls_error *error) LS_MUST_USE;

/* Begin creates a serial rerun from the last keyframe at or before `from`, which compares no roots.
 * Run steps the rerun to the tick, or to the end of the file.
 *   errors  those of reruns
 *   owns    ls_rerun_destroy(), also after an error of a step */
ls_status ls_explain_case_begin(ls_explain_case *subject, uint64_t from, ls_rerun **rerun,
                                ls_error *error) LS_MUST_USE;
ls_status ls_explain_case_run(const ls_explain_case *subject, ls_rerun *rerun, uint64_t tick,
                              ls_error *error) LS_MUST_USE;

/* If the evidence has only one cell that differs, returns how many of its bits differ; otherwise
 * 0. */
uint32_t ls_explain_case_bits(const ls_explain_case *subject);

/* Returns how many other bundles of the match are beside the file, judged by their names. */
uint32_t ls_explain_case_others(const ls_explain_case *subject);

#endif
