#include "proto/text.h"

#include <string.h>

/* Returns the length of the character that begins with `lead`, 0 for an invalid byte. */
static size_t character_bytes(uint8_t lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/* Checks the second byte of a character. Its bounds exclude overlong forms, surrogates, C1 controls
 * and characters above U+10FFFF. */
static bool second_byte_is_valid(uint8_t lead, uint8_t second)
{
    switch (lead) {
    case 0xc2:
        return second >= 0xa0 && second <= 0xbf;
    case 0xe0:
        return second >= 0xa0 && second <= 0xbf;
    case 0xed:
        return second >= 0x80 && second <= 0x9f;
    case 0xf0:
        return second >= 0x90 && second <= 0xbf;
    case 0xf4:
        return second >= 0x80 && second <= 0x8f;
    default:
        return second >= 0x80 && second <= 0xbf;
    }
}

/* Returns the length of the valid character at `text`, 0 when there is none. Never reads beyond the
 * terminating zero. */
static size_t valid_bytes(const char *text)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t count = character_bytes(bytes[0]);
    if (count == 1)
        return bytes[0] >= 0x20 && bytes[0] != 0x7f;
    if (count == 0 || !second_byte_is_valid(bytes[0], bytes[1]))
        return 0;
    for (size_t i = 2; i < count; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    return count;
}

bool ls_text_is_valid(const char *text)
{
    while (*text) {
        size_t count = valid_bytes(text);
        if (count == 0)
            return false;
        text += count;
    }
    return true;
}

void ls_text_copy(char *text, size_t capacity, const char *source)
{
    LS_ASSERT(capacity > 0);
    size_t count = strnlen(source, capacity - 1);
    memmove(text, source, count);
    text[count] = 0;
    while (*text) {
        size_t bytes = valid_bytes(text);
        if (bytes == 0)
            *text = '?';
        text += bytes ? bytes : 1;
    }
}

void ls_text_read(ls_reader *reader, char *text, size_t capacity)
{
    ls_read_text(reader, text, capacity);
    if (ls_text_is_valid(text) || reader->failed)
        return;
    reader->failed = true;
    text[0] = 0;
}

void ls_text_write_reason(ls_writer *writer, const char *text)
{
    char valid[LS_REASON_BYTES];
    ls_text_copy(valid, sizeof valid, text);
    ls_write_text(writer, valid);
}
