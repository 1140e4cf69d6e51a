#include "cli/common/xml_text.h"

#include <string.h>

/* Returns the length of the character at `text` in bytes; 0 if XML may not contain it. */
static uint32_t character_bytes(const char *text)
{
    unsigned char first = (unsigned char)text[0];
    bool is_control = (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f;
    bool is_none = strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0;
    return is_control || is_none ? 0 : ls_utf8_bytes(text);
}

static const char *escape_of(char letter, bool escapes_breaks)
{
    switch (letter) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\n':
        return escapes_breaks ? "&#10;" : NULL;
    case '\t':
        return escapes_breaks ? "&#9;" : NULL;
    default:
        return NULL;
    }
}

void ls_xml_add(ls_builder *text, const char *from, size_t bytes, bool escapes_breaks)
{
    for (size_t i = 0; i < bytes;) {
        const char *escape = escape_of(from[i], escapes_breaks);
        uint32_t step = character_bytes(from + i);
        if (escape)
            ls_builder_add(text, "%s", escape);
        else
            ls_builder_put(text, step ? from + i : "?", step ? step : 1);
        i += step ? step : 1;
    }
}
