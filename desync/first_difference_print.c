/* Prints a first difference, as text and as JSON. */
#include "desync/first_difference.h"

#include "core/base/json_writer.h"
#include "core/schedule/program_data.h"
#include "core/schedule/value_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Returns the word for JSON, such as "system". */
static const char *blame_word(ls_blame blame)
{
    static const char *const words[] = {
        [LS_BLAME_NONE] = "none",   [LS_BLAME_START] = "start",     [LS_BLAME_SYSTEM] = "system",
        [LS_BLAME_ORDER] = "order", [LS_BLAME_PRESENT] = "present", [LS_BLAME_OUTSIDE] = "outside",
    };
    return words[blame];
}

static const char *lane_name(const ls_first_difference *difference)
{
    return difference->program->lanes[difference->lane];
}

/* Prints the lines of a backtrace: indented in the text, an array in JSON. */
static void print_trace(ls_result_writer *result, const char *lines)
{
    ls_json_open(&result->json, "backtrace", '[');
    while (*lines) {
        size_t count = strcspn(lines, "\n");
        ls_builder line = {0};
        ls_builder_put(&line, lines, count);
        ls_builder_add(&result->lines, "    %s\n", line.data);
        ls_json_string(&result->json, NULL, line.data);
        ls_free(line.data);
        lines += count + (lines[count] == '\n');
    }
    ls_json_close(&result->json, ']');
}

static void print_place(ls_result_writer *result, const ls_source_place *place)
{
    char words[LS_SOURCE_PLACE_BYTES];
    ls_source_place_print(place, words, sizeof words);
    ls_result_line(result, "line", "%s", words);
    ls_json_string(&result->json, "function", place->function);
    ls_json_string(&result->json, "file", place->file);
    ls_json_u64(&result->json, "line", place->line);
}

static void print_store(ls_result_writer *result, const ls_first_difference_store *store,
                        const char *name)
{
    char instruction[24];
    snprintf(instruction, sizeof instruction, "0x%" PRIxPTR, store->instruction);
    ls_result_line(result, "store", "%s: %s (byte %" PRIu32 ")", name, store->text, store->byte);
    ls_json_open(&result->json, "store", '{');
    ls_json_string(&result->json, "old", store->old);
    ls_json_string(&result->json, "new", store->now);
    ls_json_u64(&result->json, "byte", store->byte);
    ls_json_string(&result->json, "instruction", instruction);
    print_place(result, &store->place);
    print_trace(result, store->trace);
    ls_json_close(&result->json, '}');
    if (store->left_out)
        ls_builder_add(&result->lines, "    (%" PRIu32 " stores more were not kept)\n",
                       store->left_out);
}

static void print_cell(const ls_first_difference *difference, const char *const names[2],
                       ls_result_writer *result)
{
    const ls_suspect *suspect = &difference->suspect;
    ls_builder entity = {0};
    if (difference->has_page)
        ls_result_line(result, "page", "%" PRIu32 " of lane %s", difference->page,
                       lane_name(difference));
    if (difference->has_page)
        ls_json_u64(&result->json, "page", difference->page);
    else
        ls_json_string(&result->json, "page", NULL);
    ls_json_string(&result->json, "lane", difference->has_page ? lane_name(difference) : NULL);
    if (suspect->entity != LS_ENTITY_NULL)
        ls_entity_print(&entity, difference->program, suspect->entity);
    ls_result_words(result, "component", "component",
                    suspect->component ? suspect->component->name : NULL);
    ls_result_words(result, "entity", "entity", entity.data);
    ls_result_words(result, "field", "field", suspect->field ? suspect->field->name : NULL);
    ls_free(entity.data);
    if (suspect->a || suspect->b)
        ls_result_line(result, "value", "%s: %s, %s: %s", names[0],
                       suspect->a ? suspect->a : "nothing", names[1],
                       suspect->b ? suspect->b : "nothing");
}

/* When no system stored into the cell in this run, a system that may write it can have done so on
 * the other side. Returns the next such system from position `*at` on; NULL after the last. */
static const char *next_writer(const ls_first_difference *difference, uint32_t *at)
{
    const ls_program *program = difference->program;
    while (!difference->suspect.system && difference->suspect.component &&
           *at < program->system_count) {
        const ls_plan_system *plan = ls_plan_at(program, (*at)++);
        if (plan->step == LS_STEP_NONE &&
            plan->touches[difference->suspect.column] & LS_TOUCH_WRITE)
            return plan->system->name;
    }
    return NULL;
}

static void print_writers(const ls_first_difference *difference, ls_result_writer *result)
{
    uint32_t at = 0;
    ls_builder names = {0};
    ls_json_open(&result->json, "writers", '[');
    for (const char *name; (name = next_writer(difference, &at)) != NULL;) {
        ls_builder_add(&names, "%s%s", names.count ? ", " : "", name);
        ls_json_string(&result->json, NULL, name);
    }
    ls_json_close(&result->json, ']');
    if (names.count)
        ls_result_line(result, "writers", "%s (may write %s; so may code outside of systems)",
                       names.data, difference->suspect.component->name);
    ls_free(names.data);
}

static void print_system(const ls_first_difference *difference, ls_result_writer *result)
{
    const ls_suspect *suspect = &difference->suspect;
    if (suspect->system)
        ls_result_line(result, "system", "%s%s%s", suspect->system,
                       suspect->stage ? ", stage " : "", suspect->stage ? suspect->stage : "");
    else if (difference->same_system)
        ls_result_line(result, "system",
                       "none that changed it when the tick ran here; \"%s\" stored what was there",
                       difference->same_system);
    else if (difference->is_alone)
        ls_result_line(result, "system", "none that stored there when the tick ran here");
    ls_json_string(&result->json, "blame", blame_word(suspect->blame));
    ls_json_string(&result->json, "system", suspect->system);
    ls_json_string(&result->json, "stage", suspect->stage);
    ls_json_string(&result->json, "same_system", difference->same_system);
    ls_json_bool(&result->json, "unstored", difference->is_unstored);
}

static void print_side(const ls_first_difference *difference, uint32_t side, const char *name,
                       ls_result_writer *result)
{
    const ls_suspect *suspect = &difference->suspect;
    bool is_searched = difference->has_store && side < 2u - difference->is_alone;
    ls_json_open(&result->json, NULL, '{');
    ls_json_string(&result->json, "name", name);
    ls_json_string(&result->json, "value", side ? suspect->b : suspect->a);
    ls_json_string(&result->json, "changed_last_by", suspect->others[side]);
    if (difference->stores[side].is_there)
        print_store(result, &difference->stores[side], name);
    else
        ls_json_string(&result->json, "store", NULL);
    if (is_searched && !difference->stores[side].is_there)
        ls_result_line(result, "store", "%s: none like it", name);
    ls_json_close(&result->json, '}');
}

void ls_first_difference_print(const ls_first_difference *difference, const char *const names[2],
                               ls_result_writer *result)
{
    const ls_suspect *suspect = &difference->suspect;
    print_system(difference, result);
    print_cell(difference, names, result);
    print_writers(difference, result);
    ls_result_words(result, "why", "text", suspect->text);
    ls_json_open(&result->json, "sides", '[');
    for (uint32_t i = 0; i < 2; i++)
        print_side(difference, i, names[i], result);
    ls_json_close(&result->json, ']');
    if (!difference->has_store && suspect->blame != LS_BLAME_NONE && difference->why.text[0])
        ls_result_line(result, "store", "unknown: %s", difference->why.text);
    ls_json_string(&result->json, "no_store", difference->has_store ? NULL : difference->why.text);
    ls_json_decimal(&result->json, "system_ms", difference->system_ns / 1000, 3);
    ls_json_decimal(&result->json, "store_ms", difference->store_ns / 1000, 3);
}
