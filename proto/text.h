/* Checks texts that cross the wire, because they are shown in logs and on screens. Only UTF-8
 * without control characters is accepted. */
#ifndef LS_TEXT_H
#define LS_TEXT_H

#include <lockstep/bytes.h>
#include <lockstep/limits.h>

#ifdef __cplusplus
extern "C" {
#endif

/* True for well-formed UTF-8 (RFC 3629) without C0 and C1 controls; the empty text is valid. */
LS_API bool ls_text_is_valid(const char *text);

/* Copies as much of `source` as fits and makes it valid: each offending byte becomes '?'. */
LS_API void ls_text_copy(char *text, size_t capacity, const char *source);

/* Writes the text, made valid and cut to LS_REASON_BYTES as by ls_text_copy(). */
LS_API void ls_text_write_reason(ls_writer *writer, const char *text);

/* As ls_read_text, but invalid text fails the reader too. */
LS_API void ls_text_read(ls_reader *reader, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
