/* The JSON form of `lockstep admin`: the answers of --json, and the requests over HTTP.
 *   source  docs/operations.md */
#ifndef LS_ADMIN_JSON_H
#define LS_ADMIN_JSON_H

#include "cli/common/admin_request.h"
#include "core/base/builder.h"

/* Prints an answer: a table as an array of objects, or as one object where the answer is about one
 * thing; a text as {"result": "..."}. `body` is split in place.
 *   errors  CORRUPT: the body is no table */
ls_status ls_admin_json_print(ls_admin_verb verb, char *body, bool is_table, ls_builder *text,
                              ls_error *error) LS_MUST_USE;

/* Adds the request's line, without its end: the verb, and the arguments of an array of texts and
 * whole numbers. No bytes at all are no arguments. The bytes may be hostile; whether the verb takes
 * these arguments is for ls_admin_request_parse().
 *   errors  USAGE: the bytes are no such array, or a text has control characters */
ls_status ls_admin_json_read(ls_admin_verb verb, const char *json, size_t bytes, ls_builder *line,
                             ls_error *error) LS_MUST_USE;

#endif
