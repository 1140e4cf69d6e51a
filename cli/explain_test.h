/* A desync that became a test. */
#ifndef LS_EXPLAIN_TEST_H
#define LS_EXPLAIN_TEST_H

#include "cli/explain_print.h"

/* Copies the file into the folder, which is made when missing, and adds to the folder's
 * CMakeLists.txt a ctest case that runs `explain --agree` on it.
 *   errors  IO, with the path */
ls_status ls_explain_test_write(const ls_explain_result *result, const char *folder,
                                ls_error *error) LS_MUST_USE;

#endif
