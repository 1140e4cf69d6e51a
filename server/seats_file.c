#include "server/seats_file.h"

#include "proto/private_file.h"
#include <lockstep/hash.h>
#include <lockstep/recording_series.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The magic of a recording, with an S for "seats". */
static const uint8_t magic[8] = {0x89, 'L', 'S', 'S', '\r', '\n', 0x1a, '\n'};

enum { CHECKSUM_BYTES = 8 };

ls_status ls_seats_file_path(const char *recording, char *path, size_t bytes, ls_error *error)
{
    int needed = snprintf(path, bytes, "%.*s.seats", ls_series_stem(recording), recording);
    if (needed < 0 || (size_t)needed >= bytes)
        return ls_error_set(error, LS_ERROR_LIMIT, "%.64s...: the path is too long", recording);
    return LS_OK;
}

/* Writes a text. Fails for text with control characters, which ls_read_text() would refuse. */
static void write_text(ls_writer *writer, const char text[LS_SEATS_FILE_TEXT_BYTES])
{
    size_t length = strnlen(text, LS_SEATS_FILE_TEXT_BYTES);
    LS_ASSERT(length < LS_SEATS_FILE_TEXT_BYTES);
    for (size_t i = 0; i < length; i++) {
        if ((uint8_t)text[i] < 0x20 || text[i] == 0x7f)
            writer->failed = true;
    }
    ls_write_text(writer, text);
}

void ls_seats_file_encode(const ls_seats_file *file, ls_writer *writer)
{
    LS_ASSERT(file->count <= LS_PLAYERS_MAX);
    size_t start = writer->count;
    ls_write_bytes(writer, magic, sizeof magic);
    ls_write_u32(writer, LS_SEATS_FILE_VERSION);
    ls_write_u64(writer, file->salt);
    ls_write_u32(writer, file->epoch);
    write_text(writer, file->room);
    ls_write_u8(writer, (uint8_t)(file->requires_token | file->is_on_request << 1));
    ls_write_u8(writer, (uint8_t)file->count);
    for (uint32_t i = 0; i < file->count; i++) {
        const ls_seats_file_seat *seat = &file->seats[i];
        LS_ASSERT(seat->seat < LS_PLAYERS_MAX && (i == 0 || seat[-1].seat < seat->seat));
        ls_write_u8(writer, seat->seat);
        ls_write_u8(writer,
                    (uint8_t)(seat->is_light | seat->was_resynced << 1 | seat->was_asked << 2));
        ls_write_bytes(writer, seat->secret_hash, sizeof seat->secret_hash);
        write_text(writer, seat->client);
        write_text(writer, seat->name);
    }
    if (!writer->failed)
        ls_write_u64(writer, ls_hash_bytes(writer->data + start, writer->count - start));
}

/* Checks the checksum, before anything is decoded. It detects damage; the later checks are against
 * hostile input. */
static bool has_checksum(const ls_reader *reader)
{
    size_t bytes = ls_reader_left(reader);
    if (bytes < CHECKSUM_BYTES || bytes > LS_SEATS_FILE_BYTES_MAX)
        return false;
    const uint8_t *start = reader->data + reader->offset;
    ls_reader stored;
    ls_reader_init(&stored, start + bytes - CHECKSUM_BYTES, CHECKSUM_BYTES);
    return ls_read_u64(&stored) == ls_hash_bytes(start, bytes - CHECKSUM_BYTES);
}

static bool decode_seats(ls_reader *reader, ls_seats_file *file)
{
    file->count = ls_read_u8(reader);
    if (file->count > LS_PLAYERS_MAX)
        return false;
    for (uint32_t i = 0; i < file->count; i++) {
        ls_seats_file_seat *seat = &file->seats[i];
        seat->seat = ls_read_u8(reader);
        uint8_t flags = ls_read_u8(reader);
        seat->is_light = flags & 1;
        seat->was_resynced = flags & 2;
        seat->was_asked = flags & 4;
        ls_read_bytes(reader, seat->secret_hash, sizeof seat->secret_hash);
        ls_read_text(reader, seat->client, sizeof seat->client);
        ls_read_text(reader, seat->name, sizeof seat->name);
        if (flags > 7 || seat->seat >= LS_PLAYERS_MAX || (i > 0 && seat[-1].seat >= seat->seat))
            return false;
    }
    (void)ls_read_u64(reader); /* the checksum */
    return ls_reader_done(reader);
}

static bool decode_body(ls_reader *reader, ls_seats_file *file)
{
    file->salt = ls_read_u64(reader);
    file->epoch = ls_read_u32(reader);
    ls_read_text(reader, file->room, sizeof file->room);
    uint8_t flags = ls_read_u8(reader);
    file->requires_token = flags & 1;
    file->is_on_request = flags & 2;
    return flags < 4 && decode_seats(reader, file);
}

ls_status ls_seats_file_decode(const char *name, ls_reader *reader, ls_seats_file *file,
                               ls_error *error)
{
    ls_status status = LS_OK;
    bool is_whole = has_checksum(reader);
    const uint8_t *start = ls_read_view(reader, sizeof magic);
    uint32_t version = ls_read_u32(reader);
    *file = (ls_seats_file){0};
    if (!start || memcmp(start, magic, sizeof magic) != 0)
        status = ls_error_set(error, LS_ERROR_CORRUPT, "%s: is not a seats file", name);
    else if (!reader->failed && version != LS_SEATS_FILE_VERSION)
        status = ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                              "%s: has version %" PRIu32 ", this program reads only version %d",
                              name, version, LS_SEATS_FILE_VERSION);
    else if (!is_whole || !decode_body(reader, file))
        status = ls_error_set(
            error, LS_ERROR_CORRUPT,
            "%s: is damaged: without it the players of its match join as new players", name);
    if (status != LS_OK)
        *file = (ls_seats_file){0};
    return status;
}

ls_status ls_seats_file_write(const char *path, const ls_seats_file *file, ls_error *error)
{
    uint8_t bytes[LS_SEATS_FILE_BYTES_MAX];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_seats_file_encode(file, &writer);
    if (writer.failed)
        return ls_error_set(error, LS_ERROR_USAGE, "%s: a name holds control characters", path);
    const ls_private_file_content content = {
        .bytes = bytes, .count = writer.count, .replace = true};
    return ls_private_file_write(path, &content, error);
}

ls_status ls_seats_file_read(const char *path, ls_seats_file *file, ls_error *error)
{
    const ls_private_file private_file = {
        .path = path, .bytes_max = LS_SEATS_FILE_BYTES_MAX, .must_be_secret = true};
    char *bytes;
    size_t count;
    ls_reader reader;
    *file = (ls_seats_file){0};
    ls_status status = ls_private_file_read(&private_file, &bytes, &count, error);
    if (status != LS_OK)
        return status;
    ls_reader_init(&reader, bytes, count);
    status = ls_seats_file_decode(path, &reader, file, error);
    ls_free(bytes);
    return status;
}
