#include "server/seats_file.h"
#include "tests/support/directory.h"

#include <lockstep/hash.h>

#include <sys/stat.h>
#include <unistd.h>

enum { PAGE_LINE_BYTES = 256 };

/* The example of docs/replay-format.md, with readable bytes in place of real hashes. */
static ls_seats_file example(void)
{
    ls_seats_file file = {
        .salt = 0x1122334455667788, .epoch = 1, .room = "arena", .is_on_request = true, .count = 2};
    file.seats[0] = (ls_seats_file_seat){.seat = 0, .client = "p-17", .name = "Ann"};
    file.seats[1] = (ls_seats_file_seat){.seat = 3, .is_light = true, .name = "Bo"};
    memset(file.seats[0].secret_hash, 0xa0, LS_SECRET_HASH_BYTES);
    memset(file.seats[1].secret_hash, 0xb1, LS_SECRET_HASH_BYTES);
    return file;
}

static size_t encode(const ls_seats_file *file, uint8_t bytes[LS_SEATS_FILE_BYTES_MAX])
{
    ls_writer writer;
    ls_writer_init(&writer, bytes, LS_SEATS_FILE_BYTES_MAX);
    ls_seats_file_encode(file, &writer);
    assert_false(writer.failed);
    return writer.count;
}

/* Copies exactly `count` bytes, so that a sanitizer detects reads past the end. */
static ls_status decode(const uint8_t *bytes, size_t count, ls_seats_file *file)
{
    ls_error error = {""};
    ls_reader reader;
    uint8_t *copy = memcpy(ls_alloc(count + !count), bytes, count);
    ls_reader_init(&reader, copy, count);
    ls_status status = ls_seats_file_decode("x.seats", &reader, file, &error);
    static const ls_seats_file zeros;
    assert_true(status == LS_OK || memcmp(file, &zeros, sizeof zeros) == 0);
    assert_true(status == LS_OK || strncmp(error.text, "x.seats: ", 9) == 0);
    ls_free(copy);
    return status;
}

static void assert_same(const ls_seats_file *a, const ls_seats_file *b)
{
    assert_int_equal(a->salt, b->salt);
    assert_int_equal(a->epoch, b->epoch);
    assert_string_equal(a->room, b->room);
    assert_int_equal(a->requires_token, b->requires_token);
    assert_int_equal(a->is_on_request, b->is_on_request);
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        assert_int_equal(a->seats[i].seat, b->seats[i].seat);
        assert_int_equal(a->seats[i].is_light, b->seats[i].is_light);
        assert_int_equal(a->seats[i].was_resynced, b->seats[i].was_resynced);
        assert_int_equal(a->seats[i].was_asked, b->seats[i].was_asked);
        assert_memory_equal(a->seats[i].secret_hash, b->seats[i].secret_hash, LS_SECRET_HASH_BYTES);
        assert_string_equal(a->seats[i].client, b->seats[i].client);
        assert_string_equal(a->seats[i].name, b->seats[i].name);
    }
}

TEST(test_seats_file_round_trip_of_the_largest)
{
    uint8_t bytes[LS_SEATS_FILE_BYTES_MAX];
    ls_seats_file file = {.salt = UINT64_MAX, .epoch = UINT32_MAX, .count = LS_PLAYERS_MAX}, read;
    memset(file.room, 'r', LS_SEATS_FILE_TEXT_BYTES - 1);
    file.requires_token = true;
    for (uint8_t i = 0; i < LS_PLAYERS_MAX; i++) {
        ls_seats_file_seat *seat = &file.seats[i];
        seat->seat = i;
        seat->is_light = i % 2;
        seat->was_resynced = i / 2 % 2;
        seat->was_asked = i / 4 % 2;
        memset(seat->secret_hash, i, sizeof seat->secret_hash);
        memset(seat->client, 'c', LS_SEATS_FILE_TEXT_BYTES - 1);
        memset(seat->name, 'n', LS_SEATS_FILE_TEXT_BYTES - 1);
    }
    size_t count = encode(&file, bytes);
    assert_int_equal(count, LS_SEATS_FILE_BYTES_MAX);
    assert_ok(decode(bytes, count, &read));
    assert_same(&file, &read);
}

TEST(test_seats_file_refuses_every_cut_and_flip)
{
    uint8_t bytes[LS_SEATS_FILE_BYTES_MAX + 1] = {0};
    ls_seats_file file = example(), read;
    size_t count = encode(&file, bytes);
    for (size_t cut = 0; cut < count; cut++)
        assert_int_equal(decode(bytes, cut, &read), LS_ERROR_CORRUPT);
    assert_int_equal(decode(bytes, count + 1, &read), LS_ERROR_CORRUPT);
    for (size_t bit = 0; bit < count * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        bool is_version = bit / 8 >= 8 && bit / 8 < 12;
        assert_int_equal(decode(bytes, count, &read),
                         is_version ? LS_ERROR_INCOMPATIBLE : LS_ERROR_CORRUPT);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_ok(decode(bytes, count, &read));
}

/* Changes one byte and corrects the checksum. */
static ls_status decode_changed(size_t at, uint8_t value)
{
    uint8_t bytes[LS_SEATS_FILE_BYTES_MAX];
    ls_seats_file file = example(), read;
    size_t count = encode(&file, bytes);
    ls_writer checksum;
    bytes[at] = value;
    ls_writer_init(&checksum, bytes + count - 8, 8);
    ls_write_u64(&checksum, ls_hash_bytes(bytes, count - 8));
    return decode(bytes, count, &read);
}

TEST(test_seats_file_refuses_checked_nonsense)
{
    enum { ROOM = 24, RULES = 30, COUNT, FIRST, SECOND = FIRST + 2 + 32 + 5 + 4 };
    assert_ok(decode_changed(FIRST, 2));
    assert_ok(decode_changed(SECOND, 63));
    assert_ok(decode_changed(FIRST + 1, 7));
    assert_ok(decode_changed(RULES, 3));
    assert_int_equal(decode_changed(RULES, 4), LS_ERROR_CORRUPT);     /* an unknown flag */
    assert_int_equal(decode_changed(FIRST + 1, 8), LS_ERROR_CORRUPT); /* an unknown flag */
    assert_int_equal(decode_changed(FIRST, 3), LS_ERROR_CORRUPT);     /* the same seat twice */
    assert_int_equal(decode_changed(FIRST, 4), LS_ERROR_CORRUPT);     /* seats out of order */
    assert_int_equal(decode_changed(SECOND, 64), LS_ERROR_CORRUPT);   /* no such seat */
    assert_int_equal(decode_changed(COUNT, 1), LS_ERROR_CORRUPT); /* bytes follow the last seat */
    assert_int_equal(decode_changed(COUNT, 3), LS_ERROR_CORRUPT); /* bytes of a seat are missing */
    assert_int_equal(decode_changed(COUNT, 65), LS_ERROR_CORRUPT);
    assert_int_equal(decode_changed(ROOM, 200), LS_ERROR_CORRUPT);
    assert_int_equal(decode_changed(ROOM + 1, '\n'), LS_ERROR_CORRUPT);
}

TEST(test_seats_file_path_beside_its_recording)
{
    char path[32];
    assert_ok(ls_seats_file_path("dir/a.lsr", path, sizeof path, NULL));
    assert_string_equal(path, "dir/a.seats");
    assert_ok(ls_seats_file_path("a", path, sizeof path, NULL));
    assert_string_equal(path, "a.seats");
    assert_ok(ls_seats_file_path("a.lsr", path, 8, NULL));
    assert_int_equal(ls_seats_file_path("a.lsr", path, 7, NULL), LS_ERROR_LIMIT);
}

TEST(test_seats_file_is_replaced_and_private)
{
    char directory[64], path[96];
    struct stat facts;
    ls_seats_file file = example(), read;
    ls_error error;
    test_directory_make(directory);
    snprintf(path, sizeof path, "%s/a.seats", directory);
    assert_int_equal(ls_seats_file_read(path, &read, &error), LS_ERROR_NOT_FOUND);
    for (file.epoch = 1; file.epoch < 4; file.epoch++) {
        assert_ok(ls_seats_file_write(path, &file, &error));
        assert_ok(ls_seats_file_read(path, &read, &error));
        assert_same(&file, &read);
    }
    file.room[1] = 0x1b; /* the old file stays */
    assert_int_equal(ls_seats_file_write(path, &file, &error), LS_ERROR_USAGE);
    assert_ok(ls_seats_file_read(path, &read, &error));
    assert_int_equal(read.epoch, 3);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(ls_seats_file_read(path, &read, &error), LS_ERROR_REFUSED);
    assert_int_equal(test_directory_count(directory), 1);
    test_directory_remove(directory);
}

/* Compares a line of the page: offset, bytes, two spaces, meaning. */
static void compare_line(const uint8_t *bytes, size_t count, const char *line, size_t *at)
{
    char *text;
    assert_int_equal(strtoul(line, &text, 16), *at);
    text++;
    while (*text == ' ' && text[1] != ' ') {
        assert_true(*at < count);
        assert_int_equal(strtoul(text, &text, 16), bytes[*at]);
        ++*at;
    }
}

TEST(test_seats_file_is_as_the_page_shows)
{
    uint8_t bytes[LS_SEATS_FILE_BYTES_MAX];
    ls_seats_file file = example();
    size_t at = 0, count = encode(&file, bytes);
    char line[PAGE_LINE_BYTES];
    bool is_dump = false;
    FILE *page = fopen(LS_FORMAT_PAGE, "r");
    assert_non_null(page);
    while (fgets(line, sizeof line, page)) {
        if (strncmp(line, "```", 3) == 0)
            is_dump = strncmp(line, "```seats", 8) == 0;
        else if (is_dump)
            compare_line(bytes, count, line, &at);
    }
    fclose(page);
    assert_int_equal(at, count);
}

/* Writes the example to `path`, to update the page or the fuzz corpus. */
static int write_example(const char *path)
{
    ls_seats_file file = example();
    return ls_seats_file_write(path, &file, NULL) == LS_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return write_example(argv[1]);
    return test_main(1, argv);
}
