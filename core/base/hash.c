#include <lockstep/hash.h>

#include <xxhash.h>

uint64_t ls_hash_bytes(const void *data, size_t count)
{
    return XXH3_64bits(data, count);
}
