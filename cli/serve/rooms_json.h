/* The open rooms of a server as JSON. */
#ifndef LS_ROOMS_JSON_H
#define LS_ROOMS_JSON_H

#include "cli/serve/metrics.h"
#include "core/base/builder.h"

/* Prints {"rooms": [...]} with one object for each open room, in the order of their names. */
void ls_rooms_json_print(ls_builder *text, const ls_metrics *metrics);
/* Prints the object of one room. False: no open room has this name. */
bool ls_rooms_json_print_one(ls_builder *text, const ls_metrics *metrics,
                             const char *name) LS_MUST_USE;

#endif
