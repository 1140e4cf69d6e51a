#include "core/schedule/value_text.h"

#include <lockstep/fix.h>

#include <inttypes.h>
#include <string.h>

void ls_fix_print(ls_builder *text, ls_fix value)
{
    uint64_t magnitude = value < 0 ? (uint64_t) - (int64_t)value : (uint64_t)value;
    ls_builder_add(text, "%s%" PRIu64 ".%05" PRIu64, value < 0 ? "-" : "", magnitude >> 16,
                   ((magnitude & 0xffff) * 100000 + 0x8000) >> 16);
}

static void print_short_fix(ls_builder *text, ls_fix value)
{
    ls_fix_print(text, value);
    size_t zeros = 0;
    while (text->data[text->count - 1 - zeros] == '0')
        zeros++;
    ls_builder_cut(text, zeros == 5 ? zeros + 1 : zeros); /* also cuts the decimal point */
}

void ls_entity_print(ls_builder *text, const ls_program *program, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity);
    if (entity == LS_ENTITY_NULL)
        ls_builder_add(text, "null");
    else if (lane >= program->lane_count)
        ls_builder_add(text, "0x%016" PRIx64, entity);
    else
        ls_builder_add(text, "%s/%" PRIu32 ":%" PRIu32, program->lanes[lane],
                       ls_entity_slot(entity), ls_entity_generation(entity));
}

void ls_value_text_print(ls_builder *text, const ls_program *program, const ls_field *field,
                         const void *item)
{
    uint64_t number = ls_value_read(field->type, item);
    switch (field->type) {
    case LS_TYPE_FIX:
        print_short_fix(text, (ls_fix)number);
        return;
    case LS_TYPE_FIX2:
    case LS_TYPE_FIX3:
        for (uint32_t at = 0; at < ls_type_bytes(field->type); at += sizeof(ls_fix)) {
            ls_builder_add(text, "%s", at ? ", " : "(");
            print_short_fix(text, (ls_fix)ls_value_read(LS_TYPE_FIX, (const uint8_t *)item + at));
        }
        ls_builder_add(text, ")");
        return;
    case LS_TYPE_BOOL:
        ls_builder_add(text, "%s", number ? "true" : "false");
        return;
    case LS_TYPE_ENTITY:
        ls_entity_print(text, program, number);
        return;
    case LS_TYPE_ENUM:
        if (number <= field->max) {
            ls_builder_add(text, "%s", field->names[number]);
            return;
        }
        break;
    default:
        break;
    }
    if (ls_type_is_signed(field->type))
        ls_builder_add(text, "%" PRId64, (int64_t)number);
    else
        ls_builder_add(text, "%" PRIu64, number);
}

bool ls_number_parse(const char *text, const char *end, uint32_t base, uint64_t max,
                     uint64_t *value)
{
    *value = 0;
    if (text == end || (base == 10 && *text == '0' && end - text > 1))
        return false;
    for (; text < end; text++) {
        uint32_t digit = *text >= '0' && *text <= '9'   ? (uint32_t)(*text - '0')
                         : *text >= 'a' && *text <= 'f' ? (uint32_t)(*text - 'a' + 10)
                                                        : base;
        if (digit >= base || digit > max || *value > (max - digit) / base)
            return false;
        *value = *value * base + digit;
    }
    return true;
}

/* Searches from the right, because a lane's name may contain any character. */
bool ls_entity_parse(const ls_program *program, const char *text, ls_entity *entity)
{
    const char *end = text + strlen(text), *colon = strrchr(text, ':');
    const char *slash = colon;
    uint64_t handle, slot, generation;
    *entity = LS_ENTITY_NULL;
    if (strncmp(text, "0x", 2) == 0 && end - text == 18 &&
        ls_number_parse(text + 2, end, 16, UINT64_MAX, &handle)) {
        bool has_lane = ls_entity_lane(handle) < program->lane_count;
        if (!has_lane) /* each handle has only one text */
            *entity = handle;
        return !has_lane;
    }
    while (slash && slash > text && *slash != '/')
        slash--;
    if (!slash || *slash != '/' ||
        !ls_number_parse(slash + 1, colon, 10, LS_SLOTS_MAX - 1, &slot) ||
        !ls_number_parse(colon + 1, end, 10, UINT32_MAX, &generation))
        return false;
    for (uint32_t lane = 0; lane < program->lane_count; lane++) {
        size_t bytes = strlen(program->lanes[lane]);
        if (bytes == (size_t)(slash - text) && memcmp(program->lanes[lane], text, bytes) == 0) {
            *entity = ls_entity_make(lane, (uint32_t)slot, (uint32_t)generation);
            return true;
        }
    }
    return false;
}
