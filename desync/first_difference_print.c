/* A first difference for people, and for programs. */
#include "desync/first_difference.h"

#include "core/base/json_writer.h"
#include "core/schedule/program_data.h"
#include "core/schedule/value_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "system", "order" and the like. */
static const char *blame_word(ls_blame blame)
{
    static const char *const words[] = {
        [LS_BLAME_NOBODY] = "nobody",   [LS_BLAME_START] = "start",
        [LS_BLAME_SYSTEM] = "system",   [LS_BLAME_ORDER] = "order",
        [LS_BLAME_PRESENT] = "present", [LS_BLAME_OUTSIDE] = "outside",
    };
    return words[blame];
}

static const char *lane_name(const ls_first_difference *difference)
{
    return difference->program->lanes[difference->lane];
}

static void add_place(ls_builder *text, const ls_source_place *place)
{
    ls_builder_add(text, "%s", place->function ? place->function : "?");
    if (place->line)
        ls_builder_add(text, " at %s:%" PRIu32, place->file, place->line);
    else if (place->module)
        ls_builder_add(text, "+0x%" PRIxPTR " in %s", place->offset, place->module);
}

static void add_indented(ls_builder *text, const char *lines)
{
    while (*lines) {
        size_t count = strcspn(lines, "\n");
        ls_builder_add(text, "    %.*s\n", (int)count, lines);
        lines += count + (lines[count] == '\n');
    }
}

static void print_store(const ls_first_difference *difference, uint32_t side, const char *name,
                        ls_builder *text)
{
    const ls_first_difference_store *store = &difference->stores[side];
    if (!store->is_there) {
        ls_builder_add(text, "store      %s: none like it\n", name);
        return;
    }
    ls_builder_add(text, "store      %s: %s (byte %" PRIu32 ")\n", name, store->text, store->byte);
    ls_builder_add(text, "line       ");
    add_place(text, &store->place);
    ls_builder_add(text, "\n");
    add_indented(text, store->trace);
    if (store->left_out)
        ls_builder_add(text, "    (%" PRIu32 " stores more were not kept)\n", store->left_out);
}

static void print_cell(const ls_first_difference *difference, const char *const names[2],
                       ls_builder *text)
{
    const ls_suspect *suspect = &difference->suspect;
    if (difference->has_page)
        ls_builder_add(text, "page       %" PRIu32 " of lane %s\n", difference->page,
                       lane_name(difference));
    if (suspect->component)
        ls_builder_add(text, "component  %s\n", suspect->component->name);
    if (suspect->entity != LS_ENTITY_NULL) {
        ls_builder_add(text, "entity     ");
        ls_entity_print(text, difference->program, suspect->entity);
        ls_builder_add(text, "\n");
    }
    if (suspect->field)
        ls_builder_add(text, "field      %s\n", suspect->field->name);
    if (suspect->a || suspect->b)
        ls_builder_add(text, "value      %s: %s, %s: %s\n", names[0],
                       suspect->a ? suspect->a : "nothing", names[1],
                       suspect->b ? suspect->b : "nothing");
}

/* No system stored there in this run: one of these may have, on the other side. The next one from
 * position `*at` on; NULL after the last. */
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

static void print_writers(const ls_first_difference *difference, ls_builder *text)
{
    uint32_t at = 0, count = 0;
    for (const char *name; (name = next_writer(difference, &at)) != NULL; count++)
        ls_builder_add(text, "%s%s", count ? ", " : "writers    ", name);
    if (count)
        ls_builder_add(text, " (may write %s; so may code outside of systems)\n",
                       difference->suspect.component->name);
}

static void add_writers(const ls_first_difference *difference, ls_builder *text)
{
    uint32_t at = 0;
    ls_json_open(text, "writers", '[');
    for (const char *name; (name = next_writer(difference, &at)) != NULL;)
        ls_json_string(text, NULL, name);
    ls_json_close(text, ']');
}

void ls_first_difference_print(const ls_first_difference *difference, const char *const names[2],
                               ls_builder *text)
{
    const ls_suspect *suspect = &difference->suspect;
    if (suspect->system)
        ls_builder_add(text, "system     %s%s%s\n", suspect->system,
                       suspect->stage ? ", stage " : "", suspect->stage ? suspect->stage : "");
    else if (difference->same_system)
        ls_builder_add(text,
                       "system     none that changed it when the tick ran here; \"%s\" stored what "
                       "was there\n",
                       difference->same_system);
    else if (difference->is_alone)
        ls_builder_add(text, "system     none that stored there when the tick ran here\n");
    print_cell(difference, names, text);
    print_writers(difference, text);
    ls_builder_add(text, "why        %s\n", suspect->text);
    for (uint32_t i = 0; difference->has_store && i < 2u - difference->is_alone; i++)
        print_store(difference, i, names[i], text);
    if (!difference->has_store && suspect->blame != LS_BLAME_NOBODY && difference->why.text[0])
        ls_builder_add(text, "store      unknown: %s\n", difference->why.text);
}

static void add_trace(ls_builder *text, const char *lines)
{
    ls_json_open(text, "backtrace", '[');
    while (*lines) {
        size_t count = strcspn(lines, "\n");
        ls_builder line = {0};
        ls_builder_put(&line, lines, count);
        ls_json_string(text, NULL, line.data);
        ls_free(line.data);
        lines += count + (lines[count] == '\n');
    }
    ls_json_close(text, ']');
}

static void add_store(ls_builder *text, const ls_first_difference_store *store)
{
    char instruction[24];
    if (!store->is_there) {
        ls_json_string(text, "store", NULL);
        return;
    }
    snprintf(instruction, sizeof instruction, "0x%" PRIxPTR, store->instruction);
    ls_json_open(text, "store", '{');
    ls_json_string(text, "old", store->old);
    ls_json_string(text, "new", store->now);
    ls_json_u64(text, "byte", store->byte);
    ls_json_string(text, "instruction", instruction);
    ls_json_string(text, "function", store->place.function);
    ls_json_string(text, "file", store->place.file);
    ls_json_u64(text, "line", store->place.line);
    add_trace(text, store->trace);
    ls_json_close(text, '}');
}

static void add_cell(ls_builder *text, const ls_first_difference *difference)
{
    const ls_suspect *suspect = &difference->suspect;
    ls_builder entity = {0};
    if (suspect->entity != LS_ENTITY_NULL)
        ls_entity_print(&entity, difference->program, suspect->entity);
    if (difference->has_page)
        ls_json_u64(text, "page", difference->page);
    else
        ls_json_string(text, "page", NULL);
    ls_json_string(text, "lane", difference->has_page ? lane_name(difference) : NULL);
    ls_json_string(text, "component", suspect->component ? suspect->component->name : NULL);
    ls_json_string(text, "entity", entity.data);
    ls_json_string(text, "field", suspect->field ? suspect->field->name : NULL);
    ls_free(entity.data);
}

static void add_side(ls_builder *text, const ls_first_difference *difference, uint32_t side,
                     const char *name)
{
    const ls_suspect *suspect = &difference->suspect;
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "name", name);
    ls_json_string(text, "value", side ? suspect->b : suspect->a);
    ls_json_string(text, "changed_last_by", suspect->others[side]);
    add_store(text, &difference->stores[side]);
    ls_json_close(text, '}');
}

void ls_first_difference_json(const ls_first_difference *difference, const char *const names[2],
                              ls_builder *text)
{
    const ls_suspect *suspect = &difference->suspect;
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "blame", blame_word(suspect->blame));
    ls_json_string(text, "system", suspect->system);
    ls_json_string(text, "stage", suspect->stage);
    add_writers(difference, text);
    add_cell(text, difference);
    ls_json_string(text, "text", suspect->text);
    ls_json_string(text, "no_store", difference->has_store ? NULL : difference->why.text);
    ls_json_string(text, "same_system", difference->same_system);
    ls_json_bool(text, "unstored", difference->is_unstored);
    ls_json_open(text, "sides", '[');
    for (uint32_t i = 0; i < 2; i++)
        add_side(text, difference, i, names[i]);
    ls_json_close(text, ']');
    ls_json_decimal(text, "system_ms", difference->system_ns / 1000, 3);
    ls_json_decimal(text, "store_ms", difference->store_ns / 1000, 3);
    ls_json_close(text, '}');
}
