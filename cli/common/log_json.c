#include "cli/common/log_json.h"

#include "core/base/json_writer.h"

#include <string.h>

#define DIGITS_MAX 15
#define KEY_BYTES  64

static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";

static bool is_number(const char *value, size_t bytes)
{
    const char *digits = value + (bytes && value[0] == '-');
    size_t count = strspn(digits, "0123456789");
    return count > 0 && count <= DIGITS_MAX && digits + count == value + bytes &&
           (digits[0] != '0' || count == 1);
}

/* Whether a quote ends its text: a blank or the end of the line follows. */
static bool ends(const char *quote)
{
    return quote[1] == ' ' || !quote[1];
}

/* Adds a quoted text without its quotes and backslashes; returns what follows it. */
static const char *add_quoted(ls_builder *text, const char *key, const char *at)
{
    ls_builder plain = {0};
    ls_builder_add(&plain, "%s", "");
    for (; *at && !(*at == '"' && ends(at)); at++) {
        at += *at == '\\' && at[1];
        ls_builder_put(&plain, at, 1);
    }
    ls_json_string(text, key, plain.data);
    ls_free(plain.data);
    return at + (*at == '"');
}

static const char *add_bare(ls_builder *text, const char *key, const char *at)
{
    ls_builder value = {0};
    size_t bytes = strcspn(at, " ");
    ls_builder_add(&value, "%.*s", (int)bytes, at);
    if (is_number(value.data, bytes))
        ls_json_raw(text, key, value.data);
    else
        ls_json_string(text, key, value.data);
    ls_free(value.data);
    return at + bytes;
}

void ls_log_json_add(ls_builder *text, const char *line)
{
    char key[KEY_BYTES] = "event";
    ls_json_open(text, NULL, '{');
    size_t bytes = strspn(line, letters);
    const char *at = line[bytes] && line[bytes] != ' ' ? line : add_bare(text, key, line);
    while (*at) {
        at += strspn(at, " ");
        bytes = strspn(at, letters);
        if (!*at)
            break;
        if (!bytes || at[bytes] != '=' || bytes >= sizeof key) {
            ls_json_string(text, "text", at);
            break;
        }
        memcpy(key, at, bytes);
        key[bytes] = 0;
        at += bytes + 1;
        at = *at == '"' ? add_quoted(text, key, at + 1) : add_bare(text, key, at);
    }
    ls_json_close(text, '}');
}
