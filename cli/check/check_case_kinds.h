/* The table of all kinds of case. */
#ifndef LS_CHECK_CASE_KINDS_H
#define LS_CHECK_CASE_KINDS_H

#include "cli/check/check_case.h"

/* Returns the kinds in the order in which they are reported, "base" first. NULL after the last. */
const ls_check_case_kind *ls_check_case_kind_at(uint32_t index);
/* Finds the kind by its name of `count` letters; NULL if there is none. */
const ls_check_case_kind *ls_check_case_kind_find(const char *name, size_t count);

ls_status ls_check_case_start(const ls_check_case *self, ls_child *child,
                              ls_error *error) LS_MUST_USE;

#endif
