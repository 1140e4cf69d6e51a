#include "cli/common/admin_json.h"

#include "cli/common/admin_table.h"
#include "core/base/json_writer.h"

#include <string.h>

static ls_status print_table(ls_admin_verb verb, char *body, ls_builder *text, ls_error *error)
{
    ls_admin_table table;
    ls_status status = ls_admin_table_parse(&table, body, error);
    if (!status)
        ls_admin_table_print_json(&table, ls_admin_verb_get(verb)->is_one, text);
    ls_admin_table_reset(&table);
    return status;
}

ls_status ls_admin_json_print(ls_admin_verb verb, char *body, bool is_table, ls_builder *text,
                              ls_error *error)
{
    if (is_table)
        return print_table(verb, body, text, error);
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "result", body);
    ls_json_close(text, '}');
    ls_builder_add(text, "\n");
    return LS_OK;
}

/* The bytes that are still to be read. */
struct source {
    const char *at, *end;
    ls_builder *line;
};

static void skip_blanks(struct source *source)
{
    while (source->at < source->end && memchr(" \t\r\n", *source->at, 4))
        source->at++;
}

/* Takes a character, after blanks, if it comes next. */
static bool take(struct source *source, char letter)
{
    skip_blanks(source);
    if (source->at == source->end || *source->at != letter)
        return false;
    source->at++;
    return true;
}

/* Reads four hexadecimal digits; -1: they are none. */
static int32_t read_unit(struct source *source)
{
    int32_t unit = 0;
    if (source->end - source->at < 4)
        return -1;
    for (const char *stop = source->at + 4; source->at < stop; source->at++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = *source->at ? strchr(digits, *source->at) : NULL;
        if (!digit)
            return -1;
        unit = unit * 16 + (int32_t)((digit - digits) % 16);
    }
    return unit;
}

/* Reads what follows a backslash and `u`: four digits, or a pair of such escapes (a surrogate
 * pair). */
static bool read_character(struct source *source)
{
    int32_t code = read_unit(source);
    if (code >= 0xd800 && code < 0xdc00) {
        bool has_second =
            source->end - source->at > 2 && source->at[0] == '\\' && source->at[1] == 'u';
        source->at += has_second ? 2 : 0;
        int32_t second = has_second ? read_unit(source) : -1;
        if (second < 0xdc00 || second > 0xdfff)
            return false;
        code = 0x10000 + (code - 0xd800) * 0x400 + (second - 0xdc00);
    }
    if (code < 0x20 || (code >= 0xdc00 && code < 0xe000))
        return false;
    char bytes[4];
    size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = count; i-- > 1; code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(heads[count] | code);
    ls_builder_put(source->line, bytes, count);
    return true;
}

/* Reads the rest of a text. Control characters would end an argument or the line. */
static bool read_text(struct source *source)
{
    while (source->at < source->end) {
        char letter = *source->at++;
        if (letter == '"')
            return true;
        if ((unsigned char)letter < 0x20)
            return false;
        if (letter == '\\') {
            letter = source->at < source->end ? *source->at++ : 0;
            if (letter == 'u') {
                if (!read_character(source))
                    return false;
                continue;
            }
            if (!letter || !strchr("\"\\/", letter))
                return false;
        }
        ls_builder_put(source->line, &letter, 1);
    }
    return false;
}

static bool read_number(struct source *source)
{
    const char *from = source->at;
    while (source->at < source->end && *source->at >= '0' && *source->at <= '9')
        source->at++;
    ls_builder_put(source->line, from, (size_t)(source->at - from));
    return source->at > from;
}

static bool read_arguments(struct source *source)
{
    skip_blanks(source);
    if (source->at == source->end)
        return true;
    if (!take(source, '['))
        return false;
    bool is_empty = take(source, ']');
    while (!is_empty) {
        ls_builder_add(source->line, "\t");
        if (!(take(source, '"') ? read_text(source) : read_number(source)))
            return false;
        if (take(source, ']'))
            break;
        if (!take(source, ','))
            return false;
    }
    skip_blanks(source);
    return source->at == source->end;
}

ls_status ls_admin_json_read(ls_admin_verb verb, const char *json, size_t bytes, ls_builder *line,
                             ls_error *error)
{
    struct source source = {.at = json, .end = json + bytes, .line = line};
    ls_builder_add(line, "%s", ls_admin_verb_get(verb)->name);
    if (read_arguments(&source))
        return LS_OK;
    return ls_error_set(error, LS_ERROR_USAGE,
                        "the arguments are a JSON array of texts and whole numbers, such as "
                        "[\"lobby\", \"text\"], without control characters");
}
