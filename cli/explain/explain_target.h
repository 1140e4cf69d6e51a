/* Decides which row to search for the cause, and at which tick, depending on the class of the
 * desync. */
#ifndef LS_EXPLAIN_TARGET_H
#define LS_EXPLAIN_TARGET_H

#include "cli/explain/explain_print.h"

/* Called when the rows have run and the class is known. Fills in `where`, or in `why` the reason
 * that there is none, and `doubt`.
 *   owns    ls_free(*text), which `where` points into */
void ls_explain_target_find(ls_explain_result *result, uint8_t **text);

#define LS_EXPLAIN_NAME_BYTES 128
/* Gives the text of a member of `where`, such as "system"; false when there is none. */
bool ls_explain_target_name(const ls_explain_result *result, const char *member,
                            char name[LS_EXPLAIN_NAME_BYTES]);

/* A part of ls_explain_target_find(): sets `doubt` if the evidence shows no difference in the
 * component that `where` names, and the check executor names only other systems. */
void ls_explain_target_find_doubt(ls_explain_result *result);

#endif
