#include "core/check/findings.h"

#include "core/schedule/value_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 480, FINDINGS_BYTES = LS_ERROR_TEXT_BYTES - 64 };

void ls_check_add(ls_check *check, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    check->finding_count++;
    size_t before = check->findings.count;
    ls_builder_add(&check->findings, "%stick %" PRIu64 ": system \"%s\" %s", before ? "\n" : "",
                   check->world->state.tick, check->plan->system->name, line);
    if (before == 0 || check->findings.count < FINDINGS_BYTES)
        return;
    ls_builder_cut(&check->findings, check->findings.count - before);
    check->left_out++;
}

void ls_check_print_cell(ls_check *check, ls_builder *text, const ls_page_place *place,
                         uint32_t slot, const ls_field *field)
{
    const ls_world *world = check->world;
    const ls_page_source *source = &world->sources[place->column];
    ls_builder_add(text, "%s", source->component->name);
    if (field)
        ls_builder_add(text, ".%s", field->name);
    if (source->component->is_singleton)
        return;
    const ls_page *lives = ls_world_page(world, ls_liveness(world), place->lane, place->page);
    uint32_t generation = lives ? ls_page_generations(lives)[slot] : 0;
    ls_builder_add(text, " of %s", generation & 1 ? "" : "the free slot ");
    ls_entity_print(
        text, world->program,
        ls_entity_make(place->lane, place->page * LS_PAGE_SLOTS + slot, generation | !generation));
}

static const ls_field *find_change(const ls_component *component, const uint8_t *before,
                                   const uint8_t *after, uint32_t *item)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        uint32_t unit = ls_type_bytes(field->type);
        for (uint32_t at = 0; at < field->bytes; at += unit) {
            *item = field->offset + at;
            if (memcmp(before + *item, after + *item, unit) != 0)
                return field;
        }
    }
    return NULL;
}

void ls_check_print_change(ls_check *check, ls_builder *text, const ls_page_place *place,
                           uint32_t slot, const uint8_t *before, const uint8_t *after)
{
    const ls_program *program = check->world->program;
    uint32_t item = 0;
    const ls_field *field =
        find_change(check->world->sources[place->column].component, before, after, &item);
    ls_check_print_cell(check, text, place, slot, field);
    if (!field)
        return;
    ls_builder_add(text, " is ");
    ls_value_text_print(text, program, field, after + item);
    ls_builder_add(text, " instead of ");
    ls_value_text_print(text, program, field, before + item);
}
