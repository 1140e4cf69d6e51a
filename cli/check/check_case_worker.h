/* The cases that run in a new program: the same binary with different addresses, environment and
 * memory contents, or with another build of the simulation. */
#ifndef LS_CHECK_CASE_WORKER_H
#define LS_CHECK_CASE_WORKER_H

#include "cli/check/check_case.h"

ls_status ls_check_case_process(const ls_check_case *self, ls_child *child, ls_error *error);
ls_status ls_check_case_other(const ls_check_case *self, ls_child *child, ls_error *error);

/* `lockstep check --worker`: runs a case in the program that has replaced a child. Does not
 * return. */
LS_NO_RETURN void ls_check_case_worker(const char *sim, uint64_t number);

#endif
