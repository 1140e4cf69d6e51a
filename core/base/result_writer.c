#include "core/base/result_writer.h"

#include "core/base/json_writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void ls_result_begin(ls_result_writer *result, const char *indent)
{
    *result = (ls_result_writer){.indent = indent};
    ls_builder_put(&result->lines, "", 0);
    ls_json_open(&result->json, NULL, '{');
}

void ls_result_end(ls_result_writer *result)
{
    ls_json_close(&result->json, '}');
}

void ls_result_pack(ls_result_writer *result, ls_builder *text)
{
    ls_result_end(result);
    ls_builder_put(text, result->lines.data, result->lines.count + 1);
    ls_builder_put(text, result->json.data, result->json.count + 1);
    ls_result_reset(result);
}

void ls_result_reset(ls_result_writer *result)
{
    ls_free(result->lines.data);
    ls_free(result->json.data);
    *result = (ls_result_writer){0};
}

void ls_result_line(ls_result_writer *result, const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ls_builder_add(&result->lines, "%s%-10s ", result->indent, label);
    ls_builder_add_list(&result->lines, format, arguments);
    ls_builder_put(&result->lines, "\n", 1);
    va_end(arguments);
}

void ls_result_words(ls_result_writer *result, const char *label, const char *key,
                     const char *words)
{
    if (words && words[0])
        ls_result_line(result, label, "%s", words);
    ls_json_words(&result->json, key, words);
}

void ls_result_u64(ls_result_writer *result, const char *label, const char *key, uint64_t value)
{
    ls_result_line(result, label, "%" PRIu64, value);
    ls_json_u64(&result->json, key, value);
}

void ls_result_add(ls_result_writer *result, const char *key, ls_result_writer *inner)
{
    ls_builder_put(&result->lines, inner->lines.data, inner->lines.count);
    ls_json_raw(&result->json, key, inner->json.data);
    ls_result_reset(inner);
}
