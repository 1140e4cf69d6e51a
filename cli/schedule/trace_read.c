#include "cli/schedule/trace_read.h"

#include "cli/common/text_file.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)1 << 30)

typedef struct totals {
    const ls_schedule_graph *graph;
    uint64_t *times; /* by position of the system */
    uint64_t ticks;
    char stranger[256]; /* a system that the schedule does not have; or "" */
} totals;

static bool is_criterion(const ls_schedule_graph *graph, const char *name)
{
    for (uint32_t i = 0; i < graph->gate_count; i++) {
        const ls_system *criterion = graph->gates[i].when->criterion;
        if (criterion && strcmp(criterion->name, name) == 0)
            return true;
    }
    return false;
}

static const char *text_of(const json_t *event, const char *member)
{
    const char *text = json_string_value(json_object_get(event, member));
    return text ? text : "";
}

static void add_event(totals *to, const json_t *event)
{
    const char *category = text_of(event, "cat"), *name = text_of(event, "name");
    double dur = json_number_value(json_object_get(event, "dur"));
    to->ticks += strcmp(category, "tick") == 0;
    if (strcmp(category, "begin") != 0 && strcmp(category, "part") != 0 &&
        strcmp(category, "end") != 0)
        return;
    for (uint32_t i = 0; i < to->graph->node_count; i++) {
        if (strcmp(to->graph->nodes[i].system->name, name) != 0)
            continue;
        if (dur > 0 && dur < 1e12)
            to->times[i] += (uint64_t)(dur * 1000 + 0.5);
        return;
    }
    if (!is_criterion(to->graph, name))
        snprintf(to->stranger, sizeof to->stranger, "%s", name);
}

/* Whether the sign comes next, after blanks; if so, steps over it. */
static bool take(char **at, char sign)
{
    *at += strspn(*at, " \n\t\r");
    bool is_next = **at == sign;
    *at += is_next;
    return is_next;
}

/* Reads the events one by one, because the tree of a long trace would be large, and overwrites them
 * with blanks. On an error, `wrong` has the position in the text. */
static ls_status read_events(char *text, const char *end, totals *to, json_error_t *wrong)
{
    static const char member[] = "\"traceEvents\"";
    char *at = text;
    do {
        at = strstr(at, member);
        if (!at)
            return LS_OK;
        at += strlen(member);
    } while (!take(&at, ':') || !take(&at, '['));
    char *first = at;
    take(&at, ' ');
    for (bool is_more = *at != ']'; is_more; is_more = take(&at, ',')) {
        json_t *event = json_loadb(at, (size_t)(end - at), JSON_DISABLE_EOF_CHECK, wrong);
        at += wrong->position;
        wrong->position = (int)(at - text);
        if (!event)
            return LS_ERROR_CORRUPT;
        add_event(to, event);
        json_decref(event);
    }
    memset(first, ' ', (size_t)(at - first));
    return LS_OK;
}

static ls_status read_trace(const char *path, char *text, size_t bytes, totals *found,
                            ls_error *error)
{
    json_error_t wrong;
    json_t *rest = NULL;
    if (!read_events(text, text + bytes, found, &wrong))
        rest = json_loadb(text, bytes, 0, &wrong);
    json_decref(rest);
    if (!rest)
        return ls_error_set(
            error, LS_ERROR_CORRUPT,
            "%s is not a trace of `lockstep run --trace`: unexpected text at byte %d", path,
            wrong.position);
    if (found->stranger[0])
        return ls_error_set(
            error, LS_ERROR_INCOMPATIBLE,
            "%s is a trace of another simulation: this one has no system \"%.100s\"", path,
            found->stranger);
    if (found->ticks == 0)
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "%s has no tick; record one with `lockstep run --trace`", path);
    return LS_OK;
}

ls_status ls_trace_read_times(const char *path, const ls_schedule_graph *graph, uint64_t *times,
                              ls_error *error)
{
    char *text;
    size_t bytes;
    totals found = {.graph = graph, .times = times};
    memset(times, 0, sizeof *times * graph->node_count);
    ls_status status = ls_text_file_read_bytes(path, FILE_BYTES_MAX, &text, &bytes, error);
    if (!status)
        status = read_trace(path, text, bytes, &found, error);
    for (uint32_t i = 0; !status && i < graph->node_count; i++)
        times[i] /= found.ticks;
    ls_free(text);
    return status;
}
