/* Prints model states in the format of the paper's listings 3 and 7. */
#include "tests/model/model.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text {
    char *data;
    size_t count, capacity;
};

static void append(struct text *text, const char *format, ...) LS_PRINTF(2, 3);

static void append(struct text *text, const char *format, ...)
{
    if (text->capacity - text->count < 128) {
        text->capacity = text->capacity * 2 + 1024;
        text->data = ls_realloc(text->data, text->capacity);
    }
    va_list arguments;
    va_start(arguments, format);
    text->count += (size_t)vsnprintf(text->data + text->count, 128, format, arguments);
    va_end(arguments);
}

/* Prints a component of one i32. */
static void append_value(struct text *text, const char *name, const uint8_t *value, bool is_bare)
{
    int32_t number;
    memcpy(&number, value, sizeof number);
    if (is_bare)
        append(text, "%" PRId32, number);
    else
        append(text, number < 0 ? "%s (%" PRId32 ")" : "%s %" PRId32, name, number);
}

char *model_print(const model_state *state, bool is_bare)
{
    struct text text = {0};
    for (uint32_t i = 0; i < state->schema->component_count; i++) {
        const model_map *map = &state->maps[i];
        append(&text, "%s→{", state->schema->components[i]->name);
        for (uint32_t j = 0; j < map->count; j++) {
            append(&text, "%se%" PRIu32 " ↦ ", j ? ", " : "", ls_entity_slot(map->cells[j].entity));
            append_value(&text, state->schema->components[i]->name, map->cells[j].value, is_bare);
        }
        append(&text, "} :+ ");
    }
    append(&text, "Metadata {nextFresh = e%" PRIu32 "}", ls_entity_slot(model_fresh(state, 1, 0)));
    return text.data;
}
