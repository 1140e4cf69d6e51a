#include "proto/armor.h"

#include "proto/private_file.h"
#include <lockstep/entropy.h>

#include <sodium.h>
#include <string.h>

enum { FILE_BYTES_MAX = LS_ARMOR_TEXT_BYTES(LS_ARMOR_HEAD_BYTES, LS_ARMOR_BYTES_MAX) };

static const int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

static void check(const ls_armor *armor)
{
    LS_ASSERT(armor->bytes % 3 == 0 && armor->bytes <= LS_ARMOR_BYTES_MAX &&
              strlen(armor->head) <= LS_ARMOR_HEAD_BYTES);
}

void ls_armor_format(const ls_armor *armor, const uint8_t *bytes, char *text)
{
    check(armor);
    size_t head = strlen(armor->head), count = armor->bytes / 3 * 4;
    memcpy(text, armor->head, head);
    sodium_bin2base64(text + head, count + 1, bytes, armor->bytes, variant);
    memcpy(text + head + count, "\n", 2);
}

/* True when the text is exactly what ls_armor_format writes for these bytes. libsodium reads some
 * bytes above 127 as letters, so parsing alone is not enough. */
static bool is_canonical(const ls_armor *armor, const uint8_t *bytes, const char *text)
{
    char again[FILE_BYTES_MAX];
    ls_armor_format(armor, bytes, again);
    bool is_same = strcmp(again, text) == 0;
    ls_wipe(again, sizeof again);
    return is_same;
}

bool ls_armor_parse(const ls_armor *armor, const char *text, uint8_t *bytes)
{
    check(armor);
    size_t head = strlen(armor->head), count = armor->bytes / 3 * 4, parsed = 0;
    bool is_valid = strlen(text) == head + count + 1 &&
                    sodium_base642bin(bytes, armor->bytes, text + head, count, NULL, &parsed, NULL,
                                      variant) == 0 &&
                    parsed == armor->bytes && is_canonical(armor, bytes, text);
    if (!is_valid)
        ls_wipe(bytes, armor->bytes);
    return is_valid;
}

ls_status ls_armor_load(const ls_armor *armor, const char *path, uint8_t *bytes, ls_error *error)
{
    ls_private_file file = {.path = path, .bytes_max = FILE_BYTES_MAX, .must_be_secret = true};
    char *text;
    size_t count;
    ls_status status = ls_private_file_read(&file, &text, &count, error);
    if (status != LS_OK) {
        ls_wipe(bytes, armor->bytes);
        return status;
    }
    /* A zero byte in the file would hide what follows it, so the lengths must match. */
    if (strlen(text) != count || !ls_armor_parse(armor, text, bytes)) {
        ls_wipe(bytes, armor->bytes);
        status =
            ls_error_set(error, LS_ERROR_CORRUPT, "%s is not %s, or is damaged", path, armor->what);
    }
    ls_wipe(text, count);
    ls_free(text);
    return status;
}

ls_status ls_armor_save(const ls_armor *armor, const char *path, const uint8_t *bytes,
                        ls_error *error)
{
    char text[FILE_BYTES_MAX];
    ls_armor_format(armor, bytes, text);
    ls_private_file_content content = {.bytes = text, .count = strlen(text)};
    ls_status status = ls_private_file_write(path, &content, error);
    ls_wipe(text, sizeof text);
    return status;
}
