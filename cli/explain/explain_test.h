/* Makes a ctest case of a desync. */
#ifndef LS_EXPLAIN_TEST_H
#define LS_EXPLAIN_TEST_H

#include "cli/explain/explain_print.h"

/* Copies the file into the folder, which is created if missing, and the recording of the match if
 * that decided the class; adds to the folder's CMakeLists.txt a ctest case that runs `explain
 * --agree` on them. Runs the case once, so that `*test` (a part of the result) and a comment in
 * CMakeLists.txt say whether the case detects the fault here.
 *   errors  IO, with the path, or because the case could not be run */
ls_status ls_explain_test_write(const ls_explain_result *result, const char *folder,
                                ls_explain_test *test, ls_error *error) LS_MUST_USE;

#endif
