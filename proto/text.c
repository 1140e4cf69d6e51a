#include "proto/text.h"

#include "core/base/builder.h"

#include <string.h>

/* Returns the length of the character at `text`; 0 when it is invalid or a control character. Never
 * reads beyond the terminating zero. */
static size_t valid_bytes(const char *text)
{
    const uint8_t *bytes = (const uint8_t *)text;
    bool is_control = bytes[0] < 0x20 || bytes[0] == 0x7f || (bytes[0] == 0xc2 && bytes[1] < 0xa0);
    return is_control ? 0 : ls_utf8_bytes(text);
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
