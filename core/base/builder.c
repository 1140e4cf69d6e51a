#include "core/base/builder.h"

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
    va_list arguments;
    va_start(arguments, format);
    ls_builder_add_list(text, format, arguments);
    va_end(arguments);
}

void ls_builder_add_list(ls_builder *text, const char *format, va_list arguments)
{
    va_list again;
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
    text->count += (size_t)written;
}

void ls_builder_put(ls_builder *text, const char *bytes, size_t count)
{
    reserve(text, count);
    if (count)
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

uint32_t ls_utf8_bytes(const char *text)
{
    static const struct {
        uint8_t mask, mark;
        uint32_t min;
    } forms[] = {{0x80, 0x00, 1}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    const uint8_t *bytes = (const uint8_t *)text;
    for (uint32_t more = 0; more < LS_COUNT_OF(forms); more++) {
        if ((bytes[0] & forms[more].mask) != forms[more].mark)
            continue;
        uint32_t code = bytes[0] & (uint8_t)~forms[more].mask;
        for (uint32_t i = 1; i <= more; i++) {
            if ((bytes[i] & 0xc0) != 0x80)
                return 0;
            code = code << 6 | (bytes[i] & 0x3f);
        }
        bool is_surrogate = code >= 0xd800 && code < 0xe000;
        return code < forms[more].min || code > 0x10ffff || is_surrogate ? 0 : more + 1;
    }
    return 0;
}

char *ls_text_duplicate(const char *text)
{
    size_t bytes = text ? strlen(text) + 1 : 0;
    return text ? memcpy(ls_alloc(bytes), text, bytes) : NULL;
}
