/* The result of a command in two forms: lines `label value` for people, and one JSON object for
 * programs. Each call adds a line, a member, or both. */
#ifndef LS_RESULT_WRITER_H
#define LS_RESULT_WRITER_H

#include "core/base/builder.h"

/* A member that has no line is written directly into `json` (core/base/json_writer.h).
 *   owns  ls_result_reset() by the caller */
typedef struct ls_result_writer {
    ls_builder lines;
    ls_builder json;
    const char *indent; /* text before each line */
} ls_result_writer;

/* Begins the result and opens the JSON object. */
void ls_result_begin(ls_result_writer *result, const char *indent);
/* Closes the JSON object. */
void ls_result_end(ls_result_writer *result);
/* Ends and resets the result. Appends to `text` the lines, a NUL, the object and a NUL, to be sent
 * to another process. */
void ls_result_pack(ls_result_writer *result, ls_builder *text);
void ls_result_reset(ls_result_writer *result);

/* Adds a line without a member. */
void ls_result_line(ls_result_writer *result, const char *label, const char *format, ...)
    LS_PRINTF(3, 4);
/* Adds a line and a member. If `words` is NULL or "", there is no line, and the member is null. */
void ls_result_words(ls_result_writer *result, const char *label, const char *key,
                     const char *words);
void ls_result_u64(ls_result_writer *result, const char *label, const char *key, uint64_t value);
/* Adds the lines of another result, and its object as a member; `inner` must be ended, and is
 * reset. */
void ls_result_add(ls_result_writer *result, const char *key, ls_result_writer *inner);

#endif
