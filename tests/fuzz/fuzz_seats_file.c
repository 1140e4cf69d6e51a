/* Arbitrary bytes as the file of a match's seats, then the same bytes with a valid checksum
 * appended. Accepted content encodes to the same bytes. */
#include "server/seats_file.h"

#include <lockstep/hash.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check(const uint8_t *data, size_t bytes)
{
    uint8_t again[LS_SEATS_FILE_BYTES_MAX];
    ls_seats_file file;
    ls_reader reader;
    ls_writer writer;
    ls_error error;
    ls_reader_init(&reader, data, bytes);
    if (ls_seats_file_decode("fuzz", &reader, &file, &error) != LS_OK) {
        LS_ASSERT(file.count == 0);
        return;
    }
    ls_writer_init(&writer, again, sizeof again);
    ls_seats_file_encode(&file, &writer);
    LS_ASSERT(!writer.failed && writer.count == bytes && memcmp(again, data, bytes) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    uint8_t sealed[LS_SEATS_FILE_BYTES_MAX + 64];
    ls_writer writer;
    check(data, bytes);
    ls_writer_init(&writer, sealed, sizeof sealed);
    /* Replaces the checksum at the end of a corpus file, which does not match mutated bytes. */
    ls_write_bytes(&writer, data, bytes > 8 ? bytes - 8 : bytes);
    if (!writer.failed)
        ls_write_u64(&writer, ls_hash_bytes(sealed, writer.count));
    if (!writer.failed)
        check(sealed, writer.count);
    return 0;
}
