#include "cli/schedule/trace_read.h"

#include "cli/common/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, WORD_BYTES = 256 };
#define FILE_BYTES_MAX ((size_t)1 << 30)

/* A pass over the text. It stops at the first error. */
typedef struct reader {
    const char *text, *at;
    bool is_broken;
} reader;

typedef struct event {
    char name[WORD_BYTES], category[16];
    double dur;
} event;

typedef struct totals {
    const ls_schedule_graph *graph;
    uint64_t *times; /* by position of the system */
    uint64_t ticks;
    char stranger[WORD_BYTES]; /* a system that the schedule does not have; or "" */
} totals;

static char next(reader *from)
{
    while (*from->at == ' ' || *from->at == '\n' || *from->at == '\t' || *from->at == '\r')
        from->at++;
    return *from->at;
}

static bool take(reader *from, char sign)
{
    if (from->is_broken || next(from) != sign)
        return false;
    from->at++;
    return true;
}

static void expect(reader *from, char sign)
{
    if (!take(from, sign))
        from->is_broken = true;
}

static void put(char *word, size_t bytes, size_t *used, char letter)
{
    if (*used + 1 < bytes)
        word[(*used)++] = letter;
}

/* Reads an escape sequence. Our own files have \u only for bytes below 128; other letters become
 * '?'. */
static char escaped(reader *from)
{
    static const char signs[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char sign = *from->at++;
    const char *found = sign ? strchr(signs, sign) : NULL;
    unsigned code;
    int count = 0;
    if (found)
        return meant[found - signs];
    if (sign != 'u' || sscanf(from->at, "%4x%n", &code, &count) != 1 || count != 4) {
        from->at--;
        from->is_broken = true;
        return 0;
    }
    from->at += 4;
    return code < 128 ? (char)code : '?';
}

/* Reads a string; a long one is cut. */
static void read_string(reader *from, char *word, size_t bytes)
{
    size_t used = 0;
    expect(from, '"');
    while (!from->is_broken && *from->at != '"') {
        if ((uint8_t)*from->at < 0x20)
            from->is_broken = true;
        else if (*from->at == '\\' && from->at++)
            put(word, bytes, &used, escaped(from));
        else
            put(word, bytes, &used, *from->at++);
    }
    word[used] = 0;
    expect(from, '"');
}

static double read_number(reader *from)
{
    char *end = NULL;
    char first = next(from);
    double value = first == '-' || (first >= '0' && first <= '9') ? strtod(from->at, &end) : 0;
    from->is_broken |= !end || end == from->at;
    from->at = from->is_broken ? from->at : end;
    return value;
}

static void skip_word(reader *from)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < LS_COUNT_OF(words); i++) {
        size_t bytes = strlen(words[i]);
        if (strncmp(from->at, words[i], bytes) == 0) {
            from->at += bytes;
            return;
        }
    }
    (void)read_number(from);
}

/* Skips a value. DEPTH_MAX limits the recursion. */
static void skip_value(reader *from, uint32_t depth)
{
    char word[WORD_BYTES], first = next(from);
    char end = first == '{' ? '}' : ']';
    if (first == '"') {
        read_string(from, word, sizeof word);
        return;
    }
    if (first != '{' && first != '[') {
        skip_word(from);
        return;
    }
    from->is_broken |= depth == DEPTH_MAX;
    expect(from, first);
    if (take(from, end))
        return;
    do {
        if (first == '{') {
            read_string(from, word, sizeof word);
            expect(from, ':');
        }
        if (!from->is_broken)
            skip_value(from, depth + 1);
    } while (take(from, ','));
    expect(from, end);
}

static void read_event(reader *from, event *found)
{
    char member[WORD_BYTES];
    *found = (event){.dur = 0};
    expect(from, '{');
    if (take(from, '}'))
        return;
    do {
        read_string(from, member, sizeof member);
        expect(from, ':');
        if (from->is_broken)
            return;
        if (strcmp(member, "name") == 0)
            read_string(from, found->name, sizeof found->name);
        else if (strcmp(member, "cat") == 0)
            read_string(from, found->category, sizeof found->category);
        else if (strcmp(member, "dur") == 0)
            found->dur = read_number(from);
        else
            skip_value(from, 2);
    } while (take(from, ','));
    expect(from, '}');
}

static bool is_criterion(const ls_schedule_graph *graph, const char *name)
{
    for (uint32_t i = 0; i < graph->gate_count; i++) {
        const ls_system *criterion = graph->gates[i].when->criterion;
        if (criterion && strcmp(criterion->name, name) == 0)
            return true;
    }
    return false;
}

static void add_event(totals *to, const event *found)
{
    const char *category = found->category;
    to->ticks += strcmp(category, "tick") == 0;
    if (strcmp(category, "begin") != 0 && strcmp(category, "part") != 0 &&
        strcmp(category, "end") != 0)
        return;
    for (uint32_t i = 0; i < to->graph->node_count; i++) {
        if (strncmp(to->graph->nodes[i].system->name, found->name, WORD_BYTES - 1) != 0)
            continue;
        if (found->dur > 0 && found->dur < 1e12)
            to->times[i] += (uint64_t)(found->dur * 1000 + 0.5);
        return;
    }
    if (!is_criterion(to->graph, found->name))
        memcpy(to->stranger, found->name, sizeof to->stranger);
}

static void read_events(reader *from, totals *to)
{
    event found;
    expect(from, '[');
    if (take(from, ']'))
        return;
    do {
        read_event(from, &found);
        if (!from->is_broken)
            add_event(to, &found);
    } while (take(from, ','));
    expect(from, ']');
}

static void read_trace(reader *from, totals *to)
{
    char member[WORD_BYTES];
    expect(from, '{');
    do {
        read_string(from, member, sizeof member);
        expect(from, ':');
        if (from->is_broken)
            return;
        if (strcmp(member, "traceEvents") == 0)
            read_events(from, to);
        else
            skip_value(from, 1);
    } while (take(from, ','));
    expect(from, '}');
    from->is_broken |= next(from) != 0;
}

static ls_status judge(const char *path, const reader *from, const totals *found, ls_error *error)
{
    if (from->is_broken)
        return ls_error_set(
            error, LS_ERROR_CORRUPT,
            "%s is not a trace of `lockstep run --trace`: unexpected text at byte %zu", path,
            (size_t)(from->at - from->text));
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
    totals found = {.graph = graph, .times = times};
    memset(times, 0, sizeof *times * graph->node_count);
    ls_status status = ls_text_file_read(path, FILE_BYTES_MAX, &text, error);
    reader from = {.text = text, .at = text};
    if (!status) {
        read_trace(&from, &found);
        status = judge(path, &from, &found, error);
    }
    for (uint32_t i = 0; !status && i < graph->node_count; i++)
        times[i] /= found.ticks;
    ls_free(text);
    return status;
}
