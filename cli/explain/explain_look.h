/* Decides from the class of a desync which run to search, and at which tick. */
#ifndef LS_EXPLAIN_LOOK_H
#define LS_EXPLAIN_LOOK_H

#include "cli/explain/explain_print.h"

/* Called when the rows have run and the diagnosis exists: fills in `where`, or `why` there is none,
 * and `doubt`.
 *   owns    ls_free(*text), which `where` points into */
void ls_explain_look(ls_explain_result *result, uint8_t **text);

#define LS_EXPLAIN_NAME_BYTES 128
/* The text that `where` has for a member such as "system"; false when it has none. */
bool ls_explain_find_name(const ls_explain_result *result, const char *member,
                          char name[LS_EXPLAIN_NAME_BYTES]);

/* The last part of ls_explain_look(): sets `doubt` when the evidence has no difference in the
 * component that `where` names, and the check executor names only other systems. */
void ls_explain_find_doubt(ls_explain_result *result);

#endif
