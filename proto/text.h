/* Texts that cross the wire end in logs and on screens: UTF-8 without control characters, or not
 * taken at all. */
#ifndef LS_TEXT_H
#define LS_TEXT_H

#include <lockstep/bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* True for well-formed UTF-8 (RFC 3629) without C0 and C1 controls; also for the empty text. */
LS_API bool ls_text_is_valid(const char *text);

/* Copies as much of `source` as fits and makes it valid: each offending byte becomes '?'. */
LS_API void ls_text_copy(char *text, size_t capacity, const char *source);

/* ls_read_text that also fails on invalid text. */
LS_API void ls_text_read(ls_reader *reader, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
