/* The result of a bisection, for people and for programs. */
#ifndef LS_BISECT_PRINT_H
#define LS_BISECT_PRINT_H

#include "core/base/result_writer.h"
#include "desync/bisect.h"

/* Adds lines and members to a result that was begun. `names` are the names of the two sides. */
void ls_bisect_print(const ls_bisect *bisect, const char *const names[2], ls_result_writer *result);

#endif
