/* ls_hash_bytes() of bytes that come piece by piece, without memory for all of them. */
#ifndef LS_HASH_STREAM_H
#define LS_HASH_STREAM_H

#include <lockstep/base.h>

typedef struct ls_hash_stream {
    _Alignas(64) uint8_t storage[576]; /* an XXH3_state_t of xxHash */
} ls_hash_stream;

void ls_hash_stream_init(ls_hash_stream *stream);
void ls_hash_stream_add(ls_hash_stream *stream, const void *data, size_t count);
/* The hash of all bytes so far. */
uint64_t ls_hash_stream_get(const ls_hash_stream *stream);

#endif
