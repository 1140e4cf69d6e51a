/* Loads or creates the key that a server shows to its players. */
#ifndef LS_SERVICE_IDENTITY_H
#define LS_SERVICE_IDENTITY_H

#include "cli/common/log.h"
#include "cli/serve/service_options.h"

/* Loads the key that the options name, or the user's own key; creates a missing one.
 *   errors  CORRUPT: not an identity file; REFUSED: other users can read it; IO: no place to keep a
 *           key, and the options request no temporary one */
ls_status ls_service_identity_load(const ls_service_options *options, ls_log *log,
                                   ls_identity *identity, ls_error *error) LS_MUST_USE;

#endif
