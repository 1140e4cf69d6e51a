#include "core/base/json_writer.h"

#include <inttypes.h>
#include <string.h>

static bool follows_value(const ls_builder *text)
{
    return text->count > 0 && !strchr("{[ \n", text->data[text->count - 1]);
}

/* Writes what comes before a value: a comma, a key, or both. */
static void begin(ls_builder *text, const char *name)
{
    if (name)
        ls_json_key(text, name);
    else if (follows_value(text))
        ls_builder_put(text, ", ", 2);
}

/* The length of the character at `text` if a JSON string may contain it unescaped, else 0. */
static uint32_t plain_bytes(const char *text)
{
    bool is_plain = (uint8_t)text[0] >= 0x20 && text[0] != '"' && text[0] != '\\';
    return is_plain ? ls_utf8_bytes(text) : 0;
}

static void add_escape(ls_builder *text, char byte)
{
    if ((uint8_t)byte >= 0x80)
        ls_builder_add(text, "\\ufffd");
    else if ((uint8_t)byte < 0x20)
        ls_builder_add(text, "\\u%04x", (uint8_t)byte);
    else
        ls_builder_add(text, "\\%c", byte);
}

static void add_quoted(ls_builder *text, const char *string)
{
    ls_builder_put(text, "\"", 1);
    while (*string) {
        uint32_t plain = 0, bytes;
        while ((bytes = plain_bytes(string + plain)) != 0)
            plain += bytes;
        ls_builder_put(text, string, plain);
        string += plain;
        if (*string)
            add_escape(text, *string++);
    }
    ls_builder_put(text, "\"", 1);
}

void ls_json_key(ls_builder *text, const char *name)
{
    begin(text, NULL);
    add_quoted(text, name);
    ls_builder_put(text, ": ", 2);
}

void ls_json_raw(ls_builder *text, const char *name, const char *json)
{
    begin(text, name);
    ls_builder_add(text, "%s", json);
}

void ls_json_open(ls_builder *text, const char *name, char bracket)
{
    begin(text, name);
    ls_builder_put(text, &bracket, 1);
}

void ls_json_close(ls_builder *text, char bracket)
{
    ls_builder_put(text, &bracket, 1);
}

void ls_json_string(ls_builder *text, const char *name, const char *value)
{
    begin(text, name);
    if (value)
        add_quoted(text, value);
    else
        ls_builder_put(text, "null", 4);
}

void ls_json_words(ls_builder *text, const char *name, const char *value)
{
    ls_json_string(text, name, value && value[0] ? value : NULL);
}

void ls_json_bool(ls_builder *text, const char *name, bool value)
{
    begin(text, name);
    ls_builder_add(text, value ? "true" : "false");
}

void ls_json_u64(ls_builder *text, const char *name, uint64_t value)
{
    begin(text, name);
    ls_builder_add(text, "%" PRIu64, value);
}

void ls_json_i64(ls_builder *text, const char *name, int64_t value)
{
    begin(text, name);
    ls_builder_add(text, "%" PRId64, value);
}

void ls_json_decimal(ls_builder *text, const char *name, uint64_t units, int decimals)
{
    uint64_t one = 1;
    for (int i = 0; i < decimals; i++)
        one *= 10;
    begin(text, name);
    ls_builder_add(text, "%" PRIu64 ".%0*" PRIu64, units / one, decimals, units % one);
}

void ls_json_u64_string(ls_builder *text, const char *name, uint64_t value)
{
    begin(text, name);
    ls_builder_add(text, "\"%" PRIu64 "\"", value);
}

void ls_json_i64_string(ls_builder *text, const char *name, int64_t value)
{
    begin(text, name);
    ls_builder_add(text, "\"%" PRId64 "\"", value);
}

void ls_json_root(ls_builder *text, const char *name, uint64_t value)
{
    begin(text, name);
    ls_builder_add(text, "\"%016" PRIx64 "\"", value);
}

void ls_json_line(ls_builder *text, uint32_t depth)
{
    if (follows_value(text))
        ls_builder_put(text, ",", 1);
    ls_builder_add(text, "\n%*s", (int)(2 * depth), "");
}

void ls_json_close_lines(ls_builder *text, uint32_t depth, char bracket)
{
    if (follows_value(text))
        ls_builder_add(text, "\n%*s", (int)(2 * depth), "");
    ls_builder_put(text, &bracket, 1);
}
