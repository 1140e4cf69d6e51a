/* The text form of secret files: a head line, the content as unpadded base64url in one line, and a
 * newline. Each content has exactly one text. Private to proto/. */
#ifndef LS_ARMOR_H
#define LS_ARMOR_H

#include <lockstep/base.h>

#define LS_ARMOR_BYTES_MAX  441
#define LS_ARMOR_HEAD_BYTES 32

#define LS_ARMOR_TEXT_BYTES(head_bytes, bytes) ((head_bytes) + (bytes) / 3 * 4 + 1 + 1)

typedef struct ls_armor {
    const char *what; /* names the content in messages, as in "a connect token" */
    const char *head; /* the first line with its newline, at most LS_ARMOR_HEAD_BYTES */
    size_t
        bytes; /* size of the content; a multiple of 3, so that base64url leaves no unused bits */
} ls_armor;

/* Writes the text form and a terminating zero. `text` has room for LS_ARMOR_TEXT_BYTES of head and
 * content. */
void ls_armor_format(const ls_armor *armor, const uint8_t *bytes, char *text);
/* Reads the content of a text. Accepts exactly what ls_armor_format writes; on false, `bytes` is
 * zeroed. */
bool ls_armor_parse(const ls_armor *armor, const char *text, uint8_t *bytes) LS_MUST_USE;

/* Load and save a file in this form; errors as of ls_identity_load and ls_identity_save. */
ls_status ls_armor_load(const ls_armor *armor, const char *path, uint8_t *bytes,
                        ls_error *error) LS_MUST_USE;
ls_status ls_armor_save(const ls_armor *armor, const char *path, const uint8_t *bytes,
                        ls_error *error) LS_MUST_USE;

#endif
