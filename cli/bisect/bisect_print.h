/* The result of a bisection: lines for people, or one JSON object. */
#ifndef LS_BISECT_PRINT_H
#define LS_BISECT_PRINT_H
#include "core/base/builder.h"
#include "desync/bisect.h"

/* `names` are the names of the two sides. */
void ls_bisect_print(const ls_bisect *bisect, const char *const names[2], ls_builder *text);
void ls_bisect_json(const ls_bisect *bisect, const char *const names[2], ls_builder *text);

#endif
