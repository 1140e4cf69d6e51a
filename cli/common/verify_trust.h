/* Checks that a match's recording is signed, and by a server that the user trusts. */
#ifndef LS_VERIFY_TRUST_H
#define LS_VERIFY_TRUST_H

#include "cli/common/server_keys.h"
#include <lockstep/recording_series.h>

/* The demands on a recording. All zeros: none. */
typedef struct ls_verify_trust {
    /* One of these keys must have signed it; NULL or empty: any key. */
    const ls_server_keys *keys;
    bool needs_all; /* every tick must be signed */
} ls_verify_trust;

/* Checks who signed the recording before it is played. A wrong signature is no error here;
 * ls_verify_trust_describe() reports it.
 *   errors  CORRUPT: signed by none of the keys, by no key, or not to its last tick */
ls_status ls_verify_trust_check(const ls_verify_trust *trust, const char *path,
                                const ls_series *series, ls_error *error) LS_MUST_USE;

/* Checks the signatures. `line` becomes a text that says which server signed the files, and how
 * far.
 *   errors  as ls_series_check_signatures(); `line` and `vouched` then describe the valid
 *           signatures */
ls_status ls_verify_trust_describe(const ls_verify_trust *trust, const ls_series *series,
                                   ls_series_signed *vouched, ls_error *line,
                                   ls_error *error) LS_MUST_USE;

#endif
