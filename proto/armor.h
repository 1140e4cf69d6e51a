/* The text form that secret files share: a head line, the bytes as unpadded base64url in one line,
 * a newline. One byte form for each content. Private to proto/. */
#ifndef LS_ARMOR_H
#define LS_ARMOR_H

#include <lockstep/base.h>

#define LS_ARMOR_BYTES_MAX  441
#define LS_ARMOR_HEAD_BYTES 32

#define LS_ARMOR_TEXT_BYTES(head_bytes, bytes) ((head_bytes) + (bytes) / 3 * 4 + 1 + 1)

typedef struct ls_armor {
    const char *what; /* "a connect token", for messages */
    const char *head; /* with its newline, at most LS_ARMOR_HEAD_BYTES */
    size_t bytes;     /* of the content; a multiple of 3, so that no bit of the text is unused */
} ls_armor;

/* `text` has room for LS_ARMOR_TEXT_BYTES of head and content, which counts the end. */
void ls_armor_format(const ls_armor *armor, const uint8_t *bytes, char *text);
/* Accepts exactly the output of format; false leaves `bytes` zeroed. */
bool ls_armor_parse(const ls_armor *armor, const char *text, uint8_t *bytes) LS_MUST_USE;

/* As ls_identity_load and ls_identity_save. */
ls_status ls_armor_load(const ls_armor *armor, const char *path, uint8_t *bytes,
                        ls_error *error) LS_MUST_USE;
ls_status ls_armor_save(const ls_armor *armor, const char *path, const uint8_t *bytes,
                        ls_error *error) LS_MUST_USE;

#endif
