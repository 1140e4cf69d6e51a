#include "core/base/hash_stream.h"

/* The state's layout may differ between versions of the shared library, so this file has its own
 * copy of the functions. */
#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= sizeof(ls_hash_stream), "the storage is too small");

void ls_hash_stream_init(ls_hash_stream *stream)
{
    XXH3_64bits_reset((XXH3_state_t *)(void *)stream->storage);
}

void ls_hash_stream_add(ls_hash_stream *stream, const void *data, size_t count)
{
    XXH3_64bits_update((XXH3_state_t *)(void *)stream->storage, data, count);
}

uint64_t ls_hash_stream_get(const ls_hash_stream *stream)
{
    return XXH3_64bits_digest((const XXH3_state_t *)(const void *)stream->storage);
}
