#include "proto/root_batch.h"

#include <lockstep/bytes.h>
#include <lockstep/hash.h>

uint64_t ls_root_batch_add(uint64_t batch, uint64_t root)
{
    uint8_t bytes[16];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_write_u64(&writer, batch);
    ls_write_u64(&writer, root);
    return ls_hash_bytes(bytes, sizeof bytes);
}
