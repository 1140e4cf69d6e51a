/* Prints the result of a bisection, as text and as JSON. */
#ifndef LS_BISECT_PRINT_H
#define LS_BISECT_PRINT_H

#include "core/base/result_writer.h"
#include "desync/bisect.h"

/* Adds lines of text and members of JSON to a result that was begun. `names` are the names of the
 * two sides. */
void ls_bisect_print(const ls_bisect *bisect, const char *const names[2], ls_result_writer *result);

#endif
