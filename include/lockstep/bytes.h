/* Bounds-checked writing and reading of little-endian data. Every wire message, snapshot and
 * recording uses ls_writer and ls_reader. Running out of buffer or input sets a sticky flag instead
 * of touching memory outside, so a decoder needs only one check, at its end. */
#ifndef LS_BYTES_H
#define LS_BYTES_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes into the caller's storage. After an overflow `failed` stays set and nothing more is
 * written. */
typedef struct ls_writer {
    uint8_t *data;
    size_t capacity;
    size_t count; /* bytes written so far */
    bool failed;
} ls_writer;

/* Reads the caller's bytes. After a read past the end `failed` stays set and every read returns
 * zeros. */
typedef struct ls_reader {
    const uint8_t *data;
    size_t count;
    size_t offset;
    bool failed;
} ls_reader;

LS_API void ls_writer_init(ls_writer *writer, void *data, size_t capacity);
LS_API void ls_write_u8(ls_writer *writer, uint8_t value);
LS_API void ls_write_u16(ls_writer *writer, uint16_t value);
LS_API void ls_write_u32(ls_writer *writer, uint32_t value);
LS_API void ls_write_u64(ls_writer *writer, uint64_t value);
LS_API void ls_write_bytes(ls_writer *writer, const void *data, size_t count);
/* Writes one length byte, then the text without its terminating zero. A text over 255 bytes sets
 * `failed`. */
LS_API void ls_write_text(ls_writer *writer, const char *text);

LS_API void ls_reader_init(ls_reader *reader, const void *data, size_t count);
LS_API uint8_t ls_read_u8(ls_reader *reader);
LS_API uint16_t ls_read_u16(ls_reader *reader);
LS_API uint32_t ls_read_u32(ls_reader *reader);
LS_API uint64_t ls_read_u64(ls_reader *reader);
/* Copies `count` bytes, or zeros after a failure. */
LS_API void ls_read_bytes(ls_reader *reader, void *data, size_t count);
/* Returns a pointer into the reader's own bytes, valid as long as they are; NULL after a
 * failure. */
LS_API const uint8_t *ls_read_view(ls_reader *reader, size_t count);
/* Reads a text from ls_write_text. Fails if text and terminating zero exceed `capacity`, or if it
 * has a control character: a text that was read can be logged unchanged. */
LS_API void ls_read_text(ls_reader *reader, char *text, size_t capacity);
/* True when no read failed and no bytes are left: every decoder ends with this check. */
LS_API bool ls_reader_done(const ls_reader *reader);
LS_API size_t ls_reader_left(const ls_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
