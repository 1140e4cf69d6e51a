#include "cli/join/seat_file.h"

#include "proto/armor.h"
#include "proto/private_file.h"

#include <string.h>

/* Key, secret and two zeros: the size must be a multiple of three for the text encoding. */
enum { CONTENT_BYTES = LS_PUBLIC_KEY_BYTES + LS_RESUME_BYTES + 2 };

static const ls_armor armor = {
    .what = "a seat", .head = "lockstep-seat-1\n", .bytes = CONTENT_BYTES};

ls_status ls_seat_file_read(const char *path, ls_resume_ticket *ticket, ls_error *error)
{
    uint8_t content[CONTENT_BYTES];
    *ticket = (ls_resume_ticket){0};
    ls_status status = ls_armor_load(&armor, path, content, error);
    if (status == LS_OK && (content[CONTENT_BYTES - 2] || content[CONTENT_BYTES - 1]))
        status = ls_error_set(error, LS_ERROR_CORRUPT,
                              "%s is a seat of another version, or damaged; join without it", path);
    if (status == LS_OK) {
        memcpy(ticket->server.bytes, content, LS_PUBLIC_KEY_BYTES);
        memcpy(ticket->secret, content + LS_PUBLIC_KEY_BYTES, LS_RESUME_BYTES);
    }
    ls_wipe(content, sizeof content);
    return status;
}

ls_status ls_seat_file_write(const char *path, const ls_resume_ticket *ticket, ls_error *error)
{
    uint8_t content[CONTENT_BYTES] = {0};
    char text[LS_ARMOR_TEXT_BYTES(sizeof "lockstep-seat-1\n", CONTENT_BYTES)];
    memcpy(content, ticket->server.bytes, LS_PUBLIC_KEY_BYTES);
    memcpy(content + LS_PUBLIC_KEY_BYTES, ticket->secret, LS_RESUME_BYTES);
    ls_armor_format(&armor, content, text);
    ls_status status = ls_private_file_write(
        path, &(ls_private_file_content){.bytes = text, .count = strlen(text), .replace = true},
        error);
    ls_wipe(content, sizeof content);
    ls_wipe(text, sizeof text);
    return status;
}
