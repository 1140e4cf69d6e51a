#include "desync/divergence.h"

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
    ls_builder_add(text,
                   "{\"tick\":%" PRIu64 ",\"is_start\":%s,\"expected_root\":\"%016" PRIx64
                   "\",\"found_root\":\"%016" PRIx64 "\"",
                   departure->tick, departure->is_start ? "true" : "false",
                   departure->expected_root, departure->found_root);
    ls_builder_add_member(text, "system", departure->system);
    ls_builder_add_member(text, "writers", departure->writers);
    ls_builder_add_member(text, "component", departure->component);
    ls_builder_add_member(text, "columns", departure->columns);
    ls_builder_add_member(text, "entity", departure->entity);
    ls_builder_add_member(text, "field", departure->field);
    ls_builder_add_member(text, "expected", departure->expected);
    ls_builder_add_member(text, "found", departure->found);
    ls_builder_add_member(text, "why", departure->why);
    ls_builder_add_member(text, "line", departure->line);
    if (departure->component[0] || departure->system[0])
        ls_builder_add(text, ",\"seen_tick\":%" PRIu64, departure->seen_tick);
    if (departure->agrees_tick)
        ls_builder_add(text, ",\"agrees_tick\":%" PRIu64, departure->agrees_tick);
    ls_builder_add_member(text, "known", departure->how);
    ls_builder_add(text, "}");
}
