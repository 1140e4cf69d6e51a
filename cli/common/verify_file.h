/* Replays one recording, compares the root of every tick, and finds where and why a root
 * differs. */
#ifndef LS_VERIFY_FILE_H
#define LS_VERIFY_FILE_H

#include "cli/common/child_process.h"
#include "cli/common/match_options.h"
#include "cli/common/verify_trust.h"
#include "core/base/builder.h"
#include "desync/divergence.h"

typedef struct ls_verify_config {
    const ls_match_options *match; /* only --sim and --threads */
    const char *path;
    bool allows_any_build;
    bool is_strict; /* bytes after a closed recording are an error */
    ls_verify_trust trust;
    /* The child process that this runs in, or NULL. It reports progress, and the result so far
     * before the search for the cause begins. */
    ls_child *child;
    ls_builder *events; /* gets lines about events on the way; or NULL */
} ls_verify_config;

/* The result, without pointers, so that one process can hand it to another. */
typedef struct ls_verify_result {
    ls_status status;
    ls_error error;    /* one line, if `status` is not LS_OK */
    bool is_untrusted; /* the signature is not as demanded, so nothing was played */
    bool is_crash;     /* the simulation crashed its process */
    bool was_played;   /* the simulation fits, and the following members are set */
    bool is_whole;     /* every tick agrees; a signature may still be wrong */
    bool is_signed;    /* all ticks of all files are signed */
    uint64_t unsigned_ticks, trailing_bytes; /* trailing_bytes: after a closed recording */
    char key[LS_PUBLIC_KEY_TEXT_BYTES];      /* of the server that signed the match; "" for none */
    /* A signature is wrong, and no valid one covers the difference. */
    bool is_forged;
    uint32_t files;        /* files of the match: the named one and those that follow it */
    uint64_t ticks, first; /* the number of ticks that were run, and the first of them */
    uint64_t ns, root, seed;
    uint32_t tick_rate;
    char sim[LS_RECORDING_TEXT_BYTES];
    ls_recording_end_kind end_kind;
    ls_error end, vouched; /* one line each: how the file ends, and how far it is signed */
    ls_error warning;      /* of --any-build; "" for none */
    bool has_divergence;
    ls_divergence divergence;
    char next[512]; /* the command that finds the cause; "" if there is nothing to find */
} ls_verify_result;

/* Sets `next` to the command that finds the cause. */
void ls_verify_set_next(const ls_verify_config *config, ls_verify_result *result);

/* Verifies the recording. `result` also has every error. */
void ls_verify_file(const ls_verify_config *config, ls_verify_result *result);

/* Returns how many seconds of the match are played in one second; 0: unknown. */
double ls_verify_factor(const ls_verify_result *result);

#endif
