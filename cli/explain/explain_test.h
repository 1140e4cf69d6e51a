/* A desync that became a test. */
#ifndef LS_EXPLAIN_TEST_H
#define LS_EXPLAIN_TEST_H

#include "cli/explain/explain_print.h"

/* Copies the file into the folder, which is made when missing, and the recording of its match when
 * the class rests on that; adds to the folder's CMakeLists.txt a ctest case that runs
 * `explain --agree` on them. Runs the case once, so that `*test`, which is the result's own, and a
 * comment in the file say whether it can see the fault here.
 *   errors  IO, with the path; the case does not run */
ls_status ls_explain_test_write(const ls_explain_result *result, const char *folder,
                                ls_explain_test *test, ls_error *error) LS_MUST_USE;

#endif
