#include "desync/divergence.h"

#include "core/base/json_writer.h"

#include <inttypes.h>
#include <string.h>

static void add_row(ls_builder *text, const char *indent, const char *name, const char *value)
{
    if (value[0])
        ls_builder_add(text, "%s%-10s %s\n", indent, name, value);
}

static void add_system(ls_builder *text, const char *indent, const ls_divergence *divergence)
{
    if (divergence->system[0] || divergence->is_start)
        add_row(text, indent, "system", divergence->system);
    else if (divergence->writers[0])
        ls_builder_add(text, "%s%-10s one of those that write %s: %s\n", indent, "system",
                       divergence->component, divergence->writers);
    else
        add_row(text, indent, "system", divergence->agrees_tick ? "" : "unknown");
}

void ls_divergence_print(const ls_divergence *divergence, const char *indent, ls_builder *text)
{
    if (divergence->is_start)
        ls_builder_add(text, "%s%-10s none: the state before tick %" PRIu64 " differs\n", indent,
                       "tick", divergence->tick);
    else
        ls_builder_add(text, "%s%-10s %" PRIu64 "\n", indent, "tick", divergence->tick);
    add_system(text, indent, divergence);
    add_row(text, indent, "component", divergence->component);
    if (strcmp(divergence->columns, divergence->component) != 0)
        add_row(text, indent, "of", divergence->columns);
    add_row(text, indent, "entity", divergence->entity);
    add_row(text, indent, "field", divergence->field);
    if (divergence->expected[0] || divergence->found[0])
        ls_builder_add(text, "%s%-10s expected %s, found %s\n", indent, "value",
                       divergence->expected[0] ? divergence->expected : "nothing",
                       divergence->found[0] ? divergence->found : "nothing");
    add_row(text, indent, "why", divergence->why);
    add_row(text, indent, "line", divergence->line);
    add_row(text, indent, "known", divergence->how);
}

void ls_divergence_json(const ls_divergence *divergence, ls_builder *text)
{
    ls_json_open(text, NULL, '{');
    ls_json_u64(text, "tick", divergence->tick);
    ls_json_bool(text, "is_start", divergence->is_start);
    ls_json_root(text, "expected_root", divergence->expected_root);
    ls_json_root(text, "found_root", divergence->found_root);
    ls_json_words(text, "system", divergence->system);
    ls_json_words(text, "writers", divergence->writers);
    ls_json_words(text, "component", divergence->component);
    ls_json_words(text, "columns", divergence->columns);
    ls_json_words(text, "entity", divergence->entity);
    ls_json_words(text, "field", divergence->field);
    ls_json_words(text, "expected", divergence->expected);
    ls_json_words(text, "found", divergence->found);
    ls_json_words(text, "why", divergence->why);
    ls_json_words(text, "line", divergence->line);
    if (divergence->component[0] || divergence->system[0])
        ls_json_u64(text, "seen_tick", divergence->seen_tick);
    if (divergence->agrees_tick)
        ls_json_u64(text, "agrees_tick", divergence->agrees_tick);
    ls_json_words(text, "known", divergence->how);
    ls_json_close(text, '}');
}
