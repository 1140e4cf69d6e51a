/* The text of a configuration file: one `name = value` a line. Lines that begin with '#' are
 * comments, blanks around name and value do not count, and quotes are part of the value.
 *   source  docs/operations.md */
#ifndef LS_CONFIG_TEXT_H
#define LS_CONFIG_TEXT_H

#include <lockstep/base.h>

#define LS_CONFIG_BYTES_MAX ((size_t)64 << 10)

typedef struct ls_config_text {
    char *next, *end;   /* the rest of the text, which is changed in place */
    uint32_t line;      /* of the setting, or of the error, from 1 */
    char *name, *value; /* of the setting, terminated; neither is empty */
} ls_config_text;

/* `text` has `bytes` bytes and a terminating zero after them. */
void ls_config_text_begin(ls_config_text *self, char *text, size_t bytes);
/* Goes to the next setting; `name` is NULL after the last one.
 *   errors  USAGE: a line is no setting; the text does not name the line, `line` does. Do not call
 *           it again then */
ls_status ls_config_text_next(ls_config_text *self, ls_error *error) LS_MUST_USE;

/* Whether a file can express the value: it is not empty, has no line end and no blank around it. */
bool ls_config_text_can_have(const char *value);

#endif
