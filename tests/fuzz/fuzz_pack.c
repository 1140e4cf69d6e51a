/* Arbitrary bytes as a packed snapshot. The first four bytes are its claimed size, limited to one
 * megabyte so that the decoder is tested and not the memory. Accepted content has exactly that
 * size, and survives packing and unpacking. */
#include "proto/pack.h"

#include <string.h>

enum { SAID_BYTES = 4, RAW_BYTES_MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_back(const uint8_t *raw, uint32_t raw_bytes)
{
    uint8_t *packed, *back;
    size_t packed_bytes;
    ls_pack(raw, raw_bytes, &packed, &packed_bytes);
    LS_ASSERT(ls_unpack(packed, packed_bytes, raw_bytes, &back, NULL) == LS_OK);
    LS_ASSERT(memcmp(raw, back, raw_bytes) == 0);
    ls_free(packed);
    ls_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes < SAID_BYTES)
        return 0;
    uint32_t said = (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16;
    uint8_t *raw;
    ls_error error;
    ls_status status =
        ls_unpack(data + SAID_BYTES, bytes - SAID_BYTES, said % RAW_BYTES_MAX, &raw, &error);
    LS_ASSERT((status == LS_OK) == (raw != NULL));
    if (raw)
        check_back(raw, said % RAW_BYTES_MAX);
    ls_free(raw);
    if (bytes > SAID_BYTES)
        check_back(data, (uint32_t)bytes);
    return 0;
}
