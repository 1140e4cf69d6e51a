#include "proto/frame_diff.h"

#include <string.h>

/* Counts the changed bytes. LS_FRAME_DIFF_WHOLE if the lengths differ, if the changes would take as
 * many bytes as the frame, if they are too many for their count, or if one is too far after the one
 * before for a distance of one byte. */
static uint32_t count_changes(const ls_ticks_body *other, const ls_ticks_body *body)
{
    uint32_t changes = 0, next = 0;
    if (other->bytes != body->bytes)
        return LS_FRAME_DIFF_WHOLE;
    for (uint32_t at = 0; at < body->bytes; at++) {
        if (other->data[at] == body->data[at])
            continue;
        changes++;
        if (at - next > UINT8_MAX || 2 * changes >= body->bytes || changes == LS_FRAME_DIFF_WHOLE)
            return LS_FRAME_DIFF_WHOLE;
        next = at + 1;
    }
    return changes;
}

void ls_frame_diff_write(ls_writer *writer, const ls_ticks_body *other, const ls_ticks_body *body)
{
    uint32_t changes = count_changes(other, body), next = 0;
    ls_write_u8(writer, (uint8_t)changes);
    if (changes == LS_FRAME_DIFF_WHOLE) {
        ls_write_bytes(writer, body->data, body->bytes);
        return;
    }
    for (uint32_t at = 0; changes; at++) {
        if (other->data[at] == body->data[at])
            continue;
        ls_write_u8(writer, (uint8_t)(at - next));
        ls_write_u8(writer, body->data[at]);
        next = at + 1;
        changes--;
    }
}

bool ls_frame_diff_read(ls_reader *reader, uint32_t changes, const ls_ticks_body *other,
                        uint8_t *bytes)
{
    uint32_t next = 0;
    memcpy(bytes, other->data, other->bytes);
    for (; changes; changes--) {
        uint32_t at = next + ls_read_u8(reader);
        uint8_t value = ls_read_u8(reader);
        if (reader->failed || at >= other->bytes)
            return false;
        bytes[at] = value;
        next = at + 1;
    }
    return true;
}
