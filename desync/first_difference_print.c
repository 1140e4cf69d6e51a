/* A first difference for people, and for programs. */
#include "desync/first_difference.h"

#include "core/schedule/program_data.h"
#include "core/schedule/value_text.h"

#include <inttypes.h>
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

static const char *lane_name(const ls_first_difference *culprit)
{
    return culprit->program->lanes[culprit->lane];
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

static void print_store(const ls_first_difference *culprit, uint32_t side, const char *name,
                        ls_builder *text)
{
    const ls_first_difference_store *store = &culprit->stores[side];
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

static void print_cell(const ls_first_difference *culprit, const char *const names[2],
                       ls_builder *text)
{
    const ls_suspect *suspect = &culprit->suspect;
    if (culprit->has_page)
        ls_builder_add(text, "page       %" PRIu32 " of lane %s\n", culprit->page,
                       lane_name(culprit));
    if (suspect->component)
        ls_builder_add(text, "component  %s\n", suspect->component->name);
    if (suspect->entity != LS_ENTITY_NULL) {
        ls_builder_add(text, "entity     ");
        ls_entity_print(text, culprit->program, suspect->entity);
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
static const char *next_writer(const ls_first_difference *culprit, uint32_t *at)
{
    const ls_program *program = culprit->program;
    while (!culprit->suspect.system && culprit->suspect.component && *at < program->system_count) {
        const ls_plan_system *plan = ls_plan_at(program, (*at)++);
        if (plan->step == LS_STEP_NONE && plan->touches[culprit->suspect.column] & LS_TOUCH_WRITE)
            return plan->system->name;
    }
    return NULL;
}

static void print_writers(const ls_first_difference *culprit, ls_builder *text)
{
    uint32_t at = 0, count = 0;
    for (const char *name; (name = next_writer(culprit, &at)) != NULL; count++)
        ls_builder_add(text, "%s%s", count ? ", " : "writers    ", name);
    if (count)
        ls_builder_add(text, " (may write %s; so may code outside of systems)\n",
                       culprit->suspect.component->name);
}

static void add_writers(const ls_first_difference *culprit, ls_builder *text)
{
    uint32_t at = 0, count = 0;
    ls_builder_add(text, "\"writers\":[");
    for (const char *name; (name = next_writer(culprit, &at)) != NULL; count++) {
        ls_builder_add(text, "%s", count ? "," : "");
        ls_builder_add_string(text, name);
    }
    ls_builder_add(text, "],");
}

void ls_first_difference_print(const ls_first_difference *culprit, const char *const names[2],
                               ls_builder *text)
{
    const ls_suspect *suspect = &culprit->suspect;
    if (suspect->system)
        ls_builder_add(text, "system     %s%s%s\n", suspect->system,
                       suspect->stage ? ", stage " : "", suspect->stage ? suspect->stage : "");
    else if (culprit->same_system)
        ls_builder_add(text,
                       "system     none that changed it when the tick ran here; \"%s\" stored what "
                       "was there\n",
                       culprit->same_system);
    else if (culprit->is_alone)
        ls_builder_add(text, "system     none that stored there when the tick ran here\n");
    print_cell(culprit, names, text);
    print_writers(culprit, text);
    ls_builder_add(text, "why        %s\n", suspect->text);
    for (uint32_t i = 0; culprit->has_store && i < 2u - culprit->is_alone; i++)
        print_store(culprit, i, names[i], text);
    if (!culprit->has_store && suspect->blame != LS_BLAME_NOBODY && culprit->why.text[0])
        ls_builder_add(text, "store      unknown: %s\n", culprit->why.text);
}

/* `"name":"value",`; null without a value. */
static void add_member(ls_builder *text, const char *name, const char *value)
{
    ls_builder_add(text, "\"%s\":", name);
    if (value)
        ls_builder_add_string(text, value);
    else
        ls_builder_add(text, "null");
    ls_builder_add(text, ",");
}

static void add_trace(ls_builder *text, const char *lines)
{
    ls_builder_add(text, "\"backtrace\":[");
    for (bool is_first = true; *lines; is_first = false) {
        size_t count = strcspn(lines, "\n");
        ls_builder line = {0};
        ls_builder_put(&line, lines, count);
        ls_builder_add(text, "%s", is_first ? "" : ",");
        ls_builder_add_string(text, line.data ? line.data : "");
        ls_free(line.data);
        lines += count + (lines[count] == '\n');
    }
    ls_builder_add(text, "]");
}

static void add_store(ls_builder *text, const ls_first_difference_store *store)
{
    if (!store->is_there) {
        ls_builder_add(text, "null");
        return;
    }
    ls_builder_add(text, "{");
    add_member(text, "old", store->old);
    add_member(text, "new", store->now);
    ls_builder_add(text, "\"byte\":%" PRIu32 ",\"instruction\":\"0x%" PRIxPTR "\",", store->byte,
                   store->instruction);
    add_member(text, "function", store->place.function);
    add_member(text, "file", store->place.file);
    ls_builder_add(text, "\"line\":%" PRIu32 ",", store->place.line);
    add_trace(text, store->trace);
    ls_builder_add(text, "}");
}

static void add_cell(ls_builder *text, const ls_first_difference *culprit)
{
    const ls_suspect *suspect = &culprit->suspect;
    ls_builder entity = {0};
    if (suspect->entity != LS_ENTITY_NULL)
        ls_entity_print(&entity, culprit->program, suspect->entity);
    if (culprit->has_page)
        ls_builder_add(text, "\"page\":%" PRIu32 ",", culprit->page);
    else
        add_member(text, "page", NULL);
    add_member(text, "lane", culprit->has_page ? lane_name(culprit) : NULL);
    add_member(text, "component", suspect->component ? suspect->component->name : NULL);
    add_member(text, "entity", entity.data);
    add_member(text, "field", suspect->field ? suspect->field->name : NULL);
    ls_free(entity.data);
}

void ls_first_difference_json(const ls_first_difference *culprit, const char *const names[2],
                              ls_builder *text)
{
    const ls_suspect *suspect = &culprit->suspect;
    ls_builder_add(text, "{");
    add_member(text, "blame", blame_word(suspect->blame));
    add_member(text, "system", suspect->system);
    add_member(text, "stage", suspect->stage);
    add_writers(culprit, text);
    add_cell(text, culprit);
    add_member(text, "text", suspect->text);
    add_member(text, "no_store", culprit->has_store ? NULL : culprit->why.text);
    add_member(text, "same_system", culprit->same_system);
    ls_builder_add(text, "\"unstored\":%s,", culprit->is_unstored ? "true" : "false");
    ls_builder_add(text, "\"sides\":[");
    for (uint32_t i = 0; i < 2; i++) {
        ls_builder_add(text, "%s{", i ? "," : "");
        add_member(text, "name", names[i]);
        add_member(text, "value", i ? suspect->b : suspect->a);
        add_member(text, "changed_last_by", suspect->others[i]);
        ls_builder_add(text, "\"store\":");
        add_store(text, &culprit->stores[i]);
        ls_builder_add(text, "}");
    }
    ls_builder_add(text, "],\"system_ms\":%.3f,\"store_ms\":%.3f}",
                   (double)culprit->system_ns / 1e6, (double)culprit->store_ns / 1e6);
}
