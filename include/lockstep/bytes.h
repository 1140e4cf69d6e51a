/* Bounded little-endian writing and reading. Every wire message, snapshot and recording goes
 * through these two; a short buffer or a short input sets a sticky flag instead of touching memory
 * outside, so that a decoder checks once, at its end. */
#ifndef LS_BYTES_H
#define LS_BYTES_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes into the caller's storage. After an overflow nothing more is written and `failed` stays.
 */
typedef struct ls_writer {
    uint8_t *data;
    size_t capacity;
    size_t count; /* bytes written so far */
    bool failed;
} ls_writer;

/* Reads the caller's bytes. After a short read every further read gives zeros and `failed` stays.
 */
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
/* One length byte, then the text without its end. Texts over 255 bytes set `failed`. */
LS_API void ls_write_text(ls_writer *writer, const char *text);

LS_API void ls_reader_init(ls_reader *reader, const void *data, size_t count);
LS_API uint8_t ls_read_u8(ls_reader *reader);
LS_API uint16_t ls_read_u16(ls_reader *reader);
LS_API uint32_t ls_read_u32(ls_reader *reader);
LS_API uint64_t ls_read_u64(ls_reader *reader);
/* Copies `count` bytes, or zeros after a failure. */
LS_API void ls_read_bytes(ls_reader *reader, void *data, size_t count);
/* A pointer into the reader's own bytes, NULL after a failure; lives as long as they do. */
LS_API const uint8_t *ls_read_view(ls_reader *reader, size_t count);
/* Reads what ls_write_text wrote. Fails when it does not fit `capacity` with its end or when it
 * holds a control character, so that a text can be logged as it is. */
LS_API void ls_read_text(ls_reader *reader, char *text, size_t capacity);
/* True when nothing failed and nothing is left over: the test that ends every decoder. */
LS_API bool ls_reader_done(const ls_reader *reader);
LS_API size_t ls_reader_left(const ls_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
