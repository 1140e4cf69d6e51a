/* From the class of a desync into its tick: which run is looked into, and at which tick. */
#ifndef LS_EXPLAIN_LOOK_H
#define LS_EXPLAIN_LOOK_H

#include "cli/explain/explain_print.h"

/* Once the rows are run and the diagnosis is there: fills in `where`, or `why` there is none, and
 * `doubt`.
 *   owns    ls_free(*text), which `where` points into */
void ls_explain_look(ls_explain_result *result, uint8_t **text);

#define LS_EXPLAIN_NAME_BYTES 128
/* The text that `where` has for a member such as "system"; false when it has none. */
bool ls_explain_find_name(const ls_explain_result *result, const char *member,
                          char name[LS_EXPLAIN_NAME_BYTES]);

/* Its last part: `doubt`, when the component that `where` names is none in which the sides of the
 * evidence differ, and the check executor names other systems alone. */
void ls_explain_find_doubt(ls_explain_result *result);

#endif
