/* Whether a match's recording is signed, and by the server that the user trusts. */
#ifndef LS_VERIFY_TRUST_H
#define LS_VERIFY_TRUST_H

#include "cli/common/server_keys.h"
#include <lockstep/recording_series.h>

/* The demands on a recording; all zero: none. */
typedef struct ls_verify_trust {
    const ls_server_keys *keys; /* one of them signed it; NULL or none: any key will do */
    bool needs_all;             /* every tick is signed */
} ls_verify_trust;

/* Checks the signatures before the recording is played. A wrong signature is left to
 * ls_verify_trust_tell().
 *   errors  CORRUPT: signed by none of the keys, by no key, or not to its last tick */
ls_status ls_verify_trust_check(const ls_verify_trust *trust, const char *path,
                                const ls_series *history, ls_error *error) LS_MUST_USE;

/* `line` says which server signed the files, and how far.
 *   errors  as ls_series_check_signatures(); `line` and `vouched` are then of the right ones */
ls_status ls_verify_trust_tell(const ls_verify_trust *trust, const ls_series *history,
                               ls_series_signed *vouched, ls_error *line,
                               ls_error *error) LS_MUST_USE;

#endif
