/* Reads docs/protocol.md and decodes real messages by its layout tables. */
#ifndef LS_PROTOCOL_PAGE_H
#define LS_PROTOCOL_PAGE_H

#include "handshake_fixture.h"

enum { PAGE_LINE_BYTES = 512 };

/* The expected value of a row: `text` after a byte with its length, else `bytes`, else `number`. */
typedef struct expected {
    const char *name;
    uint64_t number;
    const uint8_t *bytes;
    const char *text;
} expected;
#define NUMBER(name_, number_)                                                                     \
    {                                                                                              \
        .name = (name_), .number = (number_)                                                       \
    }
#define BYTES(name_, bytes_)                                                                       \
    {                                                                                              \
        .name = (name_), .bytes = (const uint8_t *)(bytes_)                                        \
    }
#define TEXT(name_, text_)                                                                         \
    {                                                                                              \
        .name = (name_), .text = (text_)                                                           \
    }

typedef struct layout {
    const char *heading;
    const uint8_t *data;
    size_t bytes;
} layout;

static inline FILE *open_page(void)
{
    FILE *page = fopen(LS_PROTOCOL_PAGE, "r");
    assert_non_null(page);
    return page;
}

/* Moves past the line `### heading`. */
static inline void find_heading(FILE *page, const char *heading)
{
    char line[PAGE_LINE_BYTES], wanted[80];
    snprintf(wanted, sizeof wanted, "### %s\n", heading);
    while (fgets(line, sizeof line, page))
        if (strcmp(line, wanted) == 0)
            return;
    fail_msg("docs/protocol.md has no heading \"%s\"", heading);
}

typedef struct row {
    char offset[8], bytes[8], name[40];
} row;

/* Reads the next row `| offset | bytes | `name` |` below the heading; false after the last one. */
static inline bool next_row(FILE *page, row *found)
{
    char line[PAGE_LINE_BYTES];
    while (fgets(line, sizeof line, page) && line[0] != '#')
        if (sscanf(line, "| %7[^ |] | %7[^ |] | `%39[^`]`", found->offset, found->bytes,
                   found->name) == 3)
            return true;
    return false;
}

/* The number of bytes that a row covers at `at`. */
static inline size_t row_bytes(const layout *message, const row *found, size_t at)
{
    if (strncmp(found->bytes, "rest", 4) == 0) /* "rest", or "rest-8": all but the last 8 bytes */
        return message->bytes - at - strtoul(found->bytes + 4 + (found->bytes[4] == '-'), NULL, 10);
    if (strcmp(found->bytes, "1+n") == 0)
        return 1 + (size_t)message->data[at];
    return strtoul(found->bytes, NULL, 10);
}

static inline bool is_expected(const expected *value, const uint8_t *data, size_t bytes)
{
    if (value->text)
        return bytes == 1 + strlen(value->text) && memcmp(data + 1, value->text, bytes - 1) == 0;
    if (value->bytes)
        return memcmp(data, value->bytes, bytes) == 0;
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != (i < 8 ? (uint8_t)(value->number >> (8 * i)) : 0))
            return false;
    return true;
}

/* Decodes a whole message with nothing but the page's table: names, offsets, sizes and values. */
static inline void check_layout(const layout *message, const expected *values, size_t count)
{
    FILE *page = open_page();
    find_heading(page, message->heading);
    size_t at = 0, rows = 0;
    for (row found; next_row(page, &found); rows++) {
        size_t bytes = row_bytes(message, &found, at);
        bool is_placed = strcmp(found.offset, "..") == 0 || strtoul(found.offset, NULL, 10) == at;
        if (rows == count || strcmp(found.name, values[rows].name) != 0 || !is_placed ||
            bytes > message->bytes - at || !is_expected(&values[rows], message->data + at, bytes))
            fail_msg("docs/protocol.md, %s: row `%s` does not fit byte %zu", message->heading,
                     found.name, at);
        at += bytes;
    }
    fclose(page);
    assert_int_equal(rows, count);
    assert_int_equal(at, message->bytes);
}
#define CHECK(heading_, data_, bytes_, ...)                                                        \
    check_layout(&(layout){.heading = (heading_), .data = (data_), .bytes = (bytes_)},             \
                 (const expected[]){__VA_ARGS__},                                                  \
                 sizeof((const expected[]){__VA_ARGS__}) / sizeof(expected))

#endif
