#include "server/host_bucket.h"

#include <lockstep/hash.h>

#include <string.h>

uint32_t ls_host_bucket(const ls_server *server, const ls_remote_key *part)
{
    uint8_t key[sizeof server->bucket_key + sizeof part->bytes];
    memcpy(key, server->bucket_key, sizeof server->bucket_key);
    memcpy(key + sizeof server->bucket_key, part->bytes, sizeof part->bytes);
    return (uint32_t)(ls_hash_bytes(key, sizeof key) % LS_SERVER_BUCKETS);
}
