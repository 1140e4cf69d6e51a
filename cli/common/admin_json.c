#include "cli/common/admin_json.h"

#include "cli/common/admin_table.h"
#include "core/base/json_writer.h"

#include <jansson.h>
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

/* Adds a text. False if it has a control character: that could end the argument or the line. */
static bool add_text(ls_builder *line, const json_t *text)
{
    const char *string = json_string_value(text);
    for (const char *at = string; *at; at++)
        if ((unsigned char)*at < 0x20)
            return false;
    ls_builder_add(line, "%s", string);
    return true;
}

static bool add_arguments(ls_builder *line, const json_t *array)
{
    bool is_good = json_is_array(array);
    for (size_t i = 0; is_good && i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);
        ls_builder_add(line, "\t");
        if (json_is_string(item))
            is_good = add_text(line, item);
        else if (json_is_integer(item) && json_integer_value(item) >= 0)
            ls_builder_add(line, "%lld", (long long)json_integer_value(item));
        else
            is_good = false;
    }
    return is_good;
}

ls_status ls_admin_json_read(ls_admin_verb verb, const char *json, size_t bytes, ls_builder *line,
                             ls_error *error)
{
    ls_builder_add(line, "%s", ls_admin_verb_get(verb)->name);
    size_t blanks = 0;
    while (blanks < bytes && memchr(" \t\r\n", json[blanks], 4))
        blanks++;
    json_t *array = json_loadb(json, bytes, 0, NULL);
    bool is_good = blanks == bytes || add_arguments(line, array);
    json_decref(array);
    if (is_good)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_USAGE,
                        "the arguments are a JSON array of texts and whole numbers, such as "
                        "[\"lobby\", \"text\"], without control characters");
}
