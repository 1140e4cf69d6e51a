/* Makes a ctest case of a desync. */
#ifndef LS_EXPLAIN_TEST_H
#define LS_EXPLAIN_TEST_H

#include "cli/explain/explain_print.h"

/* Runs the rows of a case and compares them with each other only. `tick` is that of --tick, or 0.
 */
typedef ls_status ls_explain_agree(const ls_explain_config *config, uint64_t tick, bool *agrees,
                                   ls_error *error);

/* Copies the file into the folder, which is created if missing, and the recording of the match if
 * that decided the class; adds to the folder's CMakeLists.txt a ctest case that runs `explain
 * --agree` on them. Runs the case once by `agree`, so that `*test` (a part of the result) and a
 * comment in CMakeLists.txt say whether the case detects the fault here.
 *   errors  IO, with the path; those of `agree` */
ls_status ls_explain_test_write(const ls_explain_result *result, const char *folder,
                                ls_explain_agree *agree, ls_explain_test *test,
                                ls_error *error) LS_MUST_USE;

#endif
