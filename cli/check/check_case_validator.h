/* The case that gives arbitrary bytes to the simulation's validator of inputs. */
#ifndef LS_CHECK_CASE_VALIDATOR_H
#define LS_CHECK_CASE_VALIDATOR_H

#include "cli/check/check_case.h"

ls_status ls_check_case_validator(const ls_check_case *self, ls_child *child, ls_error *error);

#endif
