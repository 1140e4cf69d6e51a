/* The signatures of a recording, and the hash that they sign. Private to this folder. */
#ifndef LS_RECORDING_SIGNATURES_H
#define LS_RECORDING_SIGNATURES_H

#include "proto/running_hash.h"
#include <lockstep/recording.h>

/* Like ls_recording_check_signatures(), and also returns the hash of the whole prefix. */
ls_status ls_recording_hash(const ls_recording *recording, ls_running_hash *hash,
                            ls_recording_signed *result, ls_error *error) LS_MUST_USE;

#endif
