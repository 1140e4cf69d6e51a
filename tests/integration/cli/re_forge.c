/* re_forge FROM TO TICK: changes one bit of the root of TICK in a recording and recomputes every
 * checksum, as a forger would. The signatures stay unchanged. */
#include "replays/record.h"
#include <lockstep/bytes.h>
#include <lockstep/hash.h>
#include <lockstep/recording.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct forgery {
    uint8_t *data;
    size_t bytes;
    ls_recording_header header;
    uint64_t tick; /* tick of the next root */
} forgery;

static bool read_file(const char *path, forgery *self)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return false;
    self->bytes = (size_t)ftell(file);
    self->data = ls_alloc(self->bytes);
    rewind(file);
    bool is_read = fread(self->data, 1, self->bytes, file) == self->bytes;
    (void)fclose(file);
    return is_read;
}

static bool write_file(const char *path, const forgery *self)
{
    FILE *file = fopen(path, "wb");
    bool is_written = file && fwrite(self->data, 1, self->bytes, file) == self->bytes;
    return file && fclose(file) == 0 && is_written;
}

/* The offset of the roots in a payload, which begin with their count; the payload's end if it has
 * none. */
static size_t roots_of(const ls_record *record, const uint8_t *payload)
{
    ls_reader reader;
    ls_reader_init(&reader, payload, record->payload_bytes);
    if (record->type == LS_RECORD_FRAME || record->type == LS_RECORD_CLOSING)
        (void)ls_read_number(&reader);
    if (record->type == LS_RECORD_CLOSING)
        (void)ls_read_u8(&reader);
    bool has_roots = record->type == LS_RECORD_FRAME || record->type == LS_RECORD_CLOSING ||
                     record->type == LS_RECORD_ROOTS;
    return has_roots ? reader.offset : record->payload_bytes;
}

/* A checksum covers the eight bytes before it, which may have changed, so all are recomputed. */
static void sum(forgery *self, size_t offset, const ls_record *record)
{
    size_t before = record->type == LS_RECORD_KEYFRAME ? 0 : 8;
    size_t covered = record->bytes - 8;
    uint64_t checksum = ls_hash_bytes(self->data + offset - before, before + covered);
    ls_writer writer;
    ls_writer_init(&writer, self->data + offset + covered, 8);
    ls_write_u64(&writer, checksum ^ self->header.salt);
}

static void forge(forgery *self, uint64_t tick)
{
    ls_reader file;
    ls_record record;
    ls_reader_init(&file, self->data, self->bytes);
    if (ls_record_decode_header("file", &file, &self->header, NULL) != LS_OK)
        return;
    self->tick = self->header.first_tick;
    for (size_t at = file.offset; ls_record_peek(&file, at, &record); at += record.bytes) {
        uint8_t *payload = self->data + at + record.head_bytes;
        size_t roots = roots_of(&record, payload);
        uint32_t count = roots < record.payload_bytes ? payload[roots] : 0;
        if (tick >= self->tick && tick - self->tick < count)
            payload[roots + 1 + 8 * (tick - self->tick)] ^= 1;
        self->tick += count;
        sum(self, at, &record);
    }
}

int main(int argc, char **argv)
{
    forgery self = {0};
    if (argc != 4 || !read_file(argv[1], &self))
        return 2;
    uint64_t tick = strtoull(argv[3], NULL, 10);
    forge(&self, tick);
    bool is_good = self.tick > tick && write_file(argv[2], &self);
    ls_free(self.data);
    return is_good ? 0 : 1;
}
