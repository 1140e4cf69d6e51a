/* Turns a line of a log into a line of JSON, for programs that collect logs. */
#ifndef LS_LOG_JSON_H
#define LS_LOG_JSON_H

#include "core/base/builder.h"

/* Adds an object, without a line end: `event key=value key="text"` becomes {"event": "event",
 * "key": value, "key": "text"}. A value is a number if it is an integer of at most 15 digits, which
 * every reader keeps; all others are texts. Words without `=` become a text with the key "text".
 */
void ls_log_json_add(ls_builder *text, const char *line);

#endif
