#include "cli/module/source_hash.h"

#include "cli/common/text_file.h"

#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)64 << 20)

/* The names of -f options that change what a program means, without their `-f` or `-fno-`. gcc and
 * clang know all of them. */
static const char *const dialects[] = {"signed-char",        "unsigned-char",  "signed-bitfields",
                                       "unsigned-bitfields", "short-enums",    "short-wchar",
                                       "pack-struct",        "wrapv",          "trapv",
                                       "strict-aliasing",    "strict-overflow"};

static bool is_dialect(const char *option)
{
    if (strncmp(option, "-f", 2) != 0)
        return false;
    const char *name = option + (strncmp(option, "-fno-", 5) == 0 ? 5 : 2);
    size_t length = strcspn(name, "=");
    for (size_t i = 0; i < LS_COUNT_OF(dialects); i++)
        if (strlen(dialects[i]) == length && strncmp(name, dialects[i], length) == 0)
            return true;
    return false;
}

/* Whether an option defines a macro that belongs to the hash. Reserved names do not, because they
 * only choose interfaces of the C library; NDEBUG does not, because it only removes assertions. */
static bool is_definition(const char *option)
{
    if (strncmp(option, "-D", 2) != 0 && strncmp(option, "-U", 2) != 0)
        return false;
    const char *name = option + 2;
    size_t length = strcspn(name, "=");
    bool is_hash = length == 18 && strncmp(name, "LS_SIM_SOURCE_HASH", length) == 0;
    bool is_release = length == 6 && strncmp(name, "NDEBUG", length) == 0;
    return length && name[0] != '_' && !is_hash && !is_release;
}

void ls_source_hash_reset(ls_source_hash *hash)
{
    for (uint32_t i = 0; i < hash->option_count; i++)
        ls_free(hash->options[i]);
    ls_free(hash->options);
    ls_free(hash->files.data);
    *hash = (ls_source_hash){0};
}

ls_status ls_source_hash_add_file(ls_source_hash *hash, const char *path, ls_error *error)
{
    char *bytes, digest[LS_SHA256_TEXT_BYTES];
    size_t count;
    ls_status status = ls_text_file_read_bytes(path, FILE_BYTES_MAX, &bytes, &count, error);
    if (status)
        return status;
    ls_sha256_text(bytes, count, digest);
    ls_builder_add(&hash->files, "%s\n", digest);
    ls_free(bytes);
    return LS_OK;
}

void ls_source_hash_add_option(ls_source_hash *hash, const char *option)
{
    bool is_defined = is_definition(option);
    if (!is_defined && !is_dialect(option))
        return;
    ls_builder text = {0};
    ls_builder_add(&text, "%s%s\n", option,
                   is_defined && option[1] == 'D' && !strchr(option, '=') ? "=1" : "");
    hash->options = ls_realloc(hash->options, (hash->option_count + 1) * sizeof hash->options[0]);
    hash->options[hash->option_count++] = text.data;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void ls_source_hash_get(ls_source_hash *hash, char text[LS_SHA256_TEXT_BYTES])
{
    ls_builder all = {0};
    if (hash->files.count)
        ls_builder_put(&all, hash->files.data, hash->files.count);
    if (hash->option_count)
        qsort(hash->options, hash->option_count, sizeof hash->options[0], compare);
    for (uint32_t i = 0; i < hash->option_count; i++)
        if (i == 0 || strcmp(hash->options[i - 1], hash->options[i]) != 0)
            ls_builder_put(&all, hash->options[i], strlen(hash->options[i]));
    ls_sha256_text(all.data, all.count, text);
    ls_free(all.data);
}
