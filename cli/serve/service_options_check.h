/* Checks options of `lockstep serve` against each other. */
#ifndef LS_SERVICE_OPTIONS_CHECK_H
#define LS_SERVICE_OPTIONS_CHECK_H

#include "cli/common/arguments.h"
#include "cli/serve/service_options.h"

/* Fails for options that exclude or need others, and sets those that follow from others or from
 * the environment. */
void ls_service_options_check(const ls_argument_state *state, ls_service_options *service);

#endif
