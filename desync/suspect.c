#include "desync/suspect.h"

#include "core/schedule/value_text.h"

#include <inttypes.h>
#include <string.h>

char *ls_suspect_place(const ls_suspect *suspect, const ls_program *program)
{
    ls_builder text = {0};
    ls_builder_add(&text, "%s", suspect->component ? suspect->component->name : "");
    if (suspect->field)
        ls_builder_add(&text, ".%s", suspect->field->name);
    if (suspect->field && suspect->field->bytes > ls_type_bytes(suspect->field->type))
        ls_builder_add(&text, "[%" PRIu32 "]", suspect->item);
    if (suspect->entity != LS_ENTITY_NULL) {
        ls_builder_add(&text, "%s", suspect->component ? " of " : "");
        ls_entity_print(&text, program, suspect->entity);
    }
    return text.data;
}

static char *print_item(const ls_program *program, const ls_suspect *suspect, const uint8_t *cell)
{
    ls_builder text = {0};
    const ls_field *field = suspect->field;
    if (!cell)
        return NULL;
    if (!field)
        return ls_text_duplicate("present");
    ls_value_text_print(&text, program, field,
                        cell + field->offset + (size_t)suspect->item * ls_type_bytes(field->type));
    return text.data;
}

static bool find_item(const uint8_t *a, const uint8_t *b, ls_suspect *suspect)
{
    const ls_component *component = suspect->component;
    for (uint32_t i = 0; a && b && i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        uint32_t unit = ls_type_bytes(field->type);
        for (uint32_t at = 0; at < field->bytes; at += unit) {
            if (memcmp(a + field->offset + at, b + field->offset + at, unit) == 0)
                continue;
            suspect->field = field;
            suspect->item = at / unit;
            return true;
        }
    }
    return !a != !b;
}

bool ls_suspect_compare(ls_suspect *suspect, const ls_program *program, const uint8_t *a,
                        const uint8_t *b)
{
    if (!find_item(a, b, suspect))
        return false;
    suspect->a = print_item(program, suspect, a);
    suspect->b = print_item(program, suspect, b);
    return true;
}

void ls_suspect_reset(ls_suspect *suspect)
{
    ls_free(suspect->place);
    ls_free(suspect->a);
    ls_free(suspect->b);
    ls_free(suspect->text);
    *suspect = (ls_suspect){0};
}
