/* Replays one recording, compares the root of every tick, and finds out where and why it differs.
 */
#ifndef LS_VERIFY_FILE_H
#define LS_VERIFY_FILE_H

#include "cli/common/child_process.h"
#include "cli/common/match_options.h"
#include "cli/common/verify_trust.h"
#include "core/base/builder.h"
#include "desync/divergence.h"

typedef struct ls_verify_config {
    const ls_match_options *match; /* --sim and --threads alone */
    const char *path;
    bool takes_any_build;
    bool is_strict; /* bytes after a closed recording are an error */
    ls_verify_trust trust;
    ls_child *child;  /* that this runs in, for who waits: its progress, and what is known before
                         the search for more begins; or NULL */
    ls_builder *told; /* lines of what happens on the way are added to it; or NULL */
} ls_verify_config;

/* The result; flat, for another process. */
typedef struct ls_verify_result {
    ls_status status;
    ls_error error;    /* one line, when the status is not LS_OK */
    bool is_untrusted; /* not signed as is wanted: it was not played */
    bool is_crash;     /* the simulation took its process with it */
    bool was_played;   /* the simulation fits; what follows is known */
    bool is_whole;     /* every tick agrees, though a signature may be wrong */
    bool is_signed;    /* all ticks of all files */
    uint64_t unsigned_ticks, trailing_bytes; /* the latter after a closed recording */
    char key[LS_PUBLIC_KEY_TEXT_BYTES];      /* of the server that signed it; "" for none */
    bool is_forged;        /* one is wrong, and no right one covers what differs */
    uint32_t files;        /* of the match: others may follow the one that was named */
    uint64_t ticks, first; /* how many were run, from which on */
    uint64_t ns, root, seed;
    uint32_t tick_rate;
    char sim[LS_RECORDING_TEXT_BYTES];
    ls_recording_end_kind end_kind;
    ls_error end, vouched; /* a line each: how the file ends, how far it is signed */
    ls_error warning;      /* of --any-build; "" for none */
    bool has_divergence;
    ls_divergence divergence;
    char next[512]; /* the command that finds the cause; "" when there is nothing to find */
} ls_verify_result;

/* The command that finds the cause of what `verify` found. */
void ls_verify_say_next(const ls_verify_config *config, ls_verify_result *result);

/* `result` says all, also what could not be done. */
void ls_verify_file(const ls_verify_config *config, ls_verify_result *result);

/* The match seconds that one second plays. 0: unknown. */
double ls_verify_factor(const ls_verify_result *result);

#endif
