/* A result that is described once and read twice: by people as lines of `label value`, by programs
 * as one JSON object. Each call adds a line, a member, or both. */
#ifndef LS_RESULT_WRITER_H
#define LS_RESULT_WRITER_H

#include "core/base/builder.h"

/* A member that people need not see goes straight into `json` (core/base/json_writer.h).
 *   owns  ls_result_reset() */
typedef struct ls_result_writer {
    ls_builder lines;
    ls_builder json;
    const char *indent; /* before each line */
} ls_result_writer;

/* Opens the object. */
void ls_result_begin(ls_result_writer *result, const char *indent);
/* Closes it. */
void ls_result_end(ls_result_writer *result);
/* Ends and resets the result. `text` gets the lines, a NUL, the object and a NUL, for another
 * process. */
void ls_result_pack(ls_result_writer *result, ls_builder *text);
void ls_result_reset(ls_result_writer *result);

/* A line alone. */
void ls_result_line(ls_result_writer *result, const char *label, const char *format, ...)
    LS_PRINTF(3, 4);
/* A line and a member. Without words, NULL or "", there is no line, and the member is null. */
void ls_result_words(ls_result_writer *result, const char *label, const char *key,
                     const char *words);
void ls_result_u64(ls_result_writer *result, const char *label, const char *key, uint64_t value);
/* The lines and the object of another result, which has ended and is reset. */
void ls_result_add(ls_result_writer *result, const char *key, ls_result_writer *inner);

#endif
