#include "desync/divergence.h"

#include "core/base/json_writer.h"

#include <inttypes.h>
#include <string.h>

static void add_row(ls_builder *text, const char *indent, const char *name, const char *value)
{
    if (value[0])
        ls_builder_add(text, "%s%-10s %s\n", indent, name, value);
}

static void add_system(ls_builder *text, const char *indent, const ls_divergence *departure)
{
    if (departure->system[0] || departure->is_start)
        add_row(text, indent, "system", departure->system);
    else if (departure->writers[0])
        ls_builder_add(text, "%s%-10s one of those that write %s: %s\n", indent, "system",
                       departure->component, departure->writers);
    else
        add_row(text, indent, "system", departure->agrees_tick ? "" : "unknown");
}

void ls_divergence_print(const ls_divergence *departure, const char *indent, ls_builder *text)
{
    if (departure->is_start)
        ls_builder_add(text, "%s%-10s none: the state before tick %" PRIu64 " differs\n", indent,
                       "tick", departure->tick);
    else
        ls_builder_add(text, "%s%-10s %" PRIu64 "\n", indent, "tick", departure->tick);
    add_system(text, indent, departure);
    add_row(text, indent, "component", departure->component);
    if (strcmp(departure->columns, departure->component) != 0)
        add_row(text, indent, "of", departure->columns);
    add_row(text, indent, "entity", departure->entity);
    add_row(text, indent, "field", departure->field);
    if (departure->expected[0] || departure->found[0])
        ls_builder_add(text, "%s%-10s expected %s, found %s\n", indent, "value",
                       departure->expected[0] ? departure->expected : "nothing",
                       departure->found[0] ? departure->found : "nothing");
    add_row(text, indent, "why", departure->why);
    add_row(text, indent, "line", departure->line);
    add_row(text, indent, "known", departure->how);
}

void ls_divergence_json(const ls_divergence *departure, ls_builder *text)
{
    ls_json_open(text, NULL, '{');
    ls_json_u64(text, "tick", departure->tick);
    ls_json_bool(text, "is_start", departure->is_start);
    ls_json_root(text, "expected_root", departure->expected_root);
    ls_json_root(text, "found_root", departure->found_root);
    ls_json_words(text, "system", departure->system);
    ls_json_words(text, "writers", departure->writers);
    ls_json_words(text, "component", departure->component);
    ls_json_words(text, "columns", departure->columns);
    ls_json_words(text, "entity", departure->entity);
    ls_json_words(text, "field", departure->field);
    ls_json_words(text, "expected", departure->expected);
    ls_json_words(text, "found", departure->found);
    ls_json_words(text, "why", departure->why);
    ls_json_words(text, "line", departure->line);
    if (departure->component[0] || departure->system[0])
        ls_json_u64(text, "seen_tick", departure->seen_tick);
    if (departure->agrees_tick)
        ls_json_u64(text, "agrees_tick", departure->agrees_tick);
    ls_json_words(text, "known", departure->how);
    ls_json_close(text, '}');
}
