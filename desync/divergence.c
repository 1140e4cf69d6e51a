#include "desync/divergence.h"

#include "core/base/json_writer.h"
#include "core/schedule/value_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ls_divergence_set(char to[LS_DIVERGENCE_NAME_BYTES], const char *text)
{
    snprintf(to, LS_DIVERGENCE_NAME_BYTES, "%s", text ? text : "");
}

void ls_divergence_add_name(char *to, size_t bytes, const char *name)
{
    size_t used = strlen(to);
    snprintf(to + used, bytes - used, "%s%s", used ? ", " : "", name);
}

void ls_divergence_set_place(ls_divergence *divergence, const ls_program *program,
                             const ls_difference *difference)
{
    ls_builder entity = {0};
    const ls_field *field = difference->field;
    char *to = divergence->field;
    if (difference->entity != LS_ENTITY_NULL)
        ls_entity_print(&entity, program, difference->entity);
    ls_divergence_set(divergence->entity, entity.data);
    ls_free(entity.data);
    ls_divergence_set(divergence->component,
                      difference->component ? difference->component->name : NULL);
    ls_divergence_set(to, field ? field->name : NULL);
    if (field && field->bytes > ls_type_bytes(field->type))
        snprintf(to + strlen(to), LS_DIVERGENCE_NAME_BYTES - strlen(to), "[%" PRIu32 "]",
                 difference->item);
    ls_divergence_set(divergence->expected, difference->a ? difference->a : "nothing");
    ls_divergence_set(divergence->found, difference->b ? difference->b : "nothing");
}

void ls_divergence_print_cell(const ls_divergence *divergence, ls_result_writer *result)
{
    if (!divergence->system[0] && divergence->writers[0])
        ls_result_line(result, "system", "one of those that write %s: %s", divergence->component,
                       divergence->writers);
    ls_json_words(&result->json, "writers", divergence->writers);
    ls_result_words(result, "component", "component", divergence->component);
    if (divergence->columns[0] && strcmp(divergence->columns, divergence->component) != 0)
        ls_result_line(result, "of", "%s", divergence->columns);
    ls_json_words(&result->json, "columns", divergence->columns);
    ls_result_words(result, "entity", "entity", divergence->entity);
    ls_result_words(result, "field", "field", divergence->field);
}

static void print_tick(const ls_divergence *divergence, ls_result_writer *result)
{
    if (divergence->is_start)
        ls_result_line(result, "tick", "none: the state before tick %" PRIu64 " differs",
                       divergence->tick);
    else
        ls_result_line(result, "tick", "%" PRIu64, divergence->tick);
    ls_json_u64(&result->json, "tick", divergence->tick);
    ls_json_bool(&result->json, "is_start", divergence->is_start);
    ls_json_root(&result->json, "expected_root", divergence->expected_root);
    ls_json_root(&result->json, "found_root", divergence->found_root);
    if (divergence->component[0] || divergence->system[0])
        ls_json_u64(&result->json, "seen_tick", divergence->seen_tick);
    if (divergence->agrees_tick)
        ls_json_u64(&result->json, "agrees_tick", divergence->agrees_tick);
}

void ls_divergence_print(const ls_divergence *divergence, ls_result_writer *result)
{
    const char *expected = divergence->expected, *found = divergence->found;
    print_tick(divergence, result);
    if (!divergence->system[0] && !divergence->writers[0] && !divergence->is_start &&
        !divergence->agrees_tick)
        ls_result_line(result, "system", "unknown");
    ls_result_words(result, "system", "system", divergence->system);
    ls_divergence_print_cell(divergence, result);
    if (expected[0] || found[0])
        ls_result_line(result, "value", "expected %s, found %s", expected[0] ? expected : "nothing",
                       found[0] ? found : "nothing");
    ls_json_words(&result->json, "expected", expected);
    ls_json_words(&result->json, "found", found);
    ls_result_words(result, "why", "why", divergence->why);
    ls_result_words(result, "line", "line", divergence->line);
    ls_result_words(result, "known", "known", divergence->how);
}
