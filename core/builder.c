#include "core/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void reserve(ls_builder *text, size_t count)
{
    if (text->capacity - text->count > count)
        return;
    text->capacity = text->capacity * 2 + count + 1024;
    text->data = ls_realloc(text->data, text->capacity);
}

void ls_builder_add(ls_builder *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    reserve(text, 63);
    size_t room = text->capacity - text->count;
    int written = vsnprintf(text->data + text->count, room, format, arguments);
    LS_ASSERT(written >= 0);
    if ((size_t)written >= room) {
        reserve(text, (size_t)written);
        vsnprintf(text->data + text->count, (size_t)written + 1, format, again);
    }
    va_end(again);
    va_end(arguments);
    text->count += (size_t)written;
}

void ls_builder_put(ls_builder *text, const char *bytes, size_t count)
{
    reserve(text, count);
    memcpy(text->data + text->count, bytes, count);
    text->count += count;
    text->data[text->count] = 0;
}

void ls_builder_cut(ls_builder *text, size_t count)
{
    LS_ASSERT(count <= text->count);
    text->count -= count;
    text->data[text->count] = 0;
}

static bool is_plain(char byte)
{
    return (uint8_t)byte >= 0x20 && byte != '"' && byte != '\\';
}

void ls_builder_add_string(ls_builder *text, const char *string)
{
    ls_builder_put(text, "\"", 1);
    while (*string) {
        size_t plain = 0;
        while (is_plain(string[plain]))
            plain++;
        ls_builder_put(text, string, plain);
        string += plain;
        if (*string && (uint8_t)*string < 0x20)
            ls_builder_add(text, "\\u%04x", (uint8_t)*string++);
        else if (*string)
            ls_builder_add(text, "\\%c", *string++);
    }
    ls_builder_put(text, "\"", 1);
}
