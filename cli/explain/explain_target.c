#include "cli/explain/explain_target.h"

#include "cli/explain/explain_rows.h"

#include <stdio.h>
#include <string.h>

struct look {
    ls_explain_result *result;
    uint8_t **text; /* owns the texts of ls_result_pack() */
};

/* Runs the row again for its root before `tick`. False when the row fails or crashes earlier. */
static bool find_root(const struct look *look, const ls_explain_row *row, uint64_t tick,
                      uint64_t *root)
{
    ls_error why;
    ls_explain_case subject = *look->result->subject;
    ls_explain_row again = {.kind = row->kind, .number = row->number, .from = row->from};
    subject.tick = tick;
    if (ls_explain_row_run(&subject, &again, &why) != LS_OK || again.side >= LS_SIDE_FAILED)
        return false;
    *root = again.root;
    return true;
}

/* Finds the first tick before which a row that joins late differs from a plain run. The file is no
 * measure: the row begins with the state of a plain run, which may already differ from the file. */
static uint64_t find_late_tick(const struct look *look, const ls_explain_row *row)
{
    uint64_t same = row->from, differs = look->result->subject->tick;
    while (differs - same > 1) {
        uint64_t middle = same + (differs - same) / 2, plain, late;
        if (!find_root(look, &look->result->rows[0], middle, &plain) ||
            !find_root(look, row, middle, &late))
            break;
        if (plain == late)
            same = middle;
        else
            differs = middle;
    }
    return differs;
}

/* Returns the first tick before which the row or a plain run differs from the file. A late row is
 * compared with a plain run. */
static uint64_t tick_of(const struct look *look, const ls_explain_row *row)
{
    const ls_explain_result *result = look->result;
    uint64_t first = result->subject->tick;
    if (row->kind == LS_EXPLAIN_LATE)
        return find_late_tick(look, row);
    for (uint32_t i = 0; i < result->row_count; i++) {
        const ls_explain_row *other = &result->rows[i];
        bool counts = other == row || other->kind == LS_EXPLAIN_PLAIN;
        if (counts && other->has_difference && other->tick < first)
            first = other->tick;
    }
    return first;
}

static bool look_into(struct look *look, const ls_explain_row *row)
{
    size_t count;
    ls_explain_result *result = look->result;
    uint64_t tick = tick_of(look, row);
    if (ls_explain_row_take(result->subject, row, LS_EXPLAIN_WHERE, tick, look->text, &count,
                            &result->why) != LS_OK)
        return false;
    result->where = (const char *)*look->text;
    result->where_json = result->where + strlen(result->where) + 1;
    return true;
}

/* Returns the run from the match's start, if it repeats the server's root and a plain run does not.
 * It is preferred because both results of the hidden state are then known; a late joiner shows only
 * one. */
static const ls_explain_row *find_start(const ls_explain_result *result)
{
    for (uint32_t i = 0; i < result->row_count; i++) {
        const ls_explain_row *row = &result->rows[i];
        if (row->kind == LS_EXPLAIN_START && row->side == LS_SIDE_SERVER &&
            row->root != result->rows[0].root)
            return row;
    }
    return NULL;
}

/* Finds system and store from the row that decided the class. If that row now agrees with a plain
 * run, tries rows of the same kind, and then compares a plain run with the other machine's cells or
 * with the file. */
static void find_where(struct look *look)
{
    ls_explain_result *result = look->result;
    const ls_explain_row *row = result->diagnosis.row, *plain = &result->rows[0];
    const ls_explain_row *start =
        result->diagnosis.cause == LS_CLASS_UNSAVED ? find_start(result) : NULL;
    bool is_found = start && look_into(look, start);
    if (!is_found && row && row != start)
        is_found = look_into(look, row);
    for (uint32_t i = 0; row && !is_found && i < result->row_count; i++) {
        const ls_explain_row *other = &result->rows[i];
        if (other != row && other != start && other->kind == row->kind &&
            other->root != plain->root)
            is_found = look_into(look, other);
    }
    bool differs = result->subject->evidence || plain->side == LS_SIDE_NEITHER;
    if (!is_found && row != plain && differs)
        is_found = look_into(look, plain);
    /* The check executor found state outside of the world: a second run in one process shows it
     * too. */
    for (uint32_t i = 0; row && row->is_hidden && !is_found && i < result->row_count; i++)
        if (result->rows[i].kind == LS_EXPLAIN_REPEAT && result->rows[i].root != plain->root)
            is_found = look_into(look, &result->rows[i]);
}

/* Reports the place of the crash. The row is not run again, because it would crash in the same
 * way. */
static void take_crash(struct look *look, const ls_explain_row *row)
{
    ls_builder text = {0};
    ls_explain_result *result = look->result;
    if (!row->crash.is_in_system) {
        (void)ls_error_set(&result->why, LS_ERROR_NOT_FOUND, "%s", "it is in none when it dies");
        return;
    }
    ls_explain_print_crash(&row->crash, &text);
    *look->text = (uint8_t *)text.data;
    result->where = text.data;
    result->where_json = result->where + strlen(result->where) + 1;
}

bool ls_explain_target_name(const ls_explain_result *result, const char *member,
                            char name[LS_EXPLAIN_NAME_BYTES])
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": \"", member);
    const char *at = result->where_json ? strstr(result->where_json, key) : NULL;
    return at && sscanf(at + strlen(key), "%127[^\"]", name) == 1;
}

/* Lists the components in which the sides differ. False when `found` is among them,
 * or when none differs. */
static bool list_components(const ls_explain_case *subject, const char *found, ls_builder *text)
{
    const ls_evidence *evidence = subject->evidence;
    const ls_program *program = subject->loaded.program;
    for (uint32_t i = 0; i < evidence->column_count && i < ls_program_column_count(program); i++) {
        const ls_component *component = ls_program_component(program, i);
        if (!component || evidence->server.columns[i] == evidence->client.columns[i])
            continue;
        if (strcmp(component->name, found) == 0)
            return false;
        ls_builder_add(text, "%s%s", text->count ? ", " : "", component->name);
    }
    return text->count > 0;
}

/* Gives the system that the check executor names. False when it names none, or also names
 * `found`. */
static bool take_checked(const ls_explain_result *result, const char *found,
                         char name[LS_EXPLAIN_NAME_BYTES])
{
    bool is_there = false;
    for (uint32_t i = 0; i < result->row_count; i++) {
        const ls_explain_row *row = &result->rows[i];
        const char *at = row->kind == LS_EXPLAIN_CHECK ? strstr(row->text, "system \"") : NULL;
        for (; at; at = strstr(at + 1, "system \"")) {
            char next[LS_EXPLAIN_NAME_BYTES];
            if (sscanf(at, "system \"%127[^\"]", next) != 1)
                continue;
            if (strcmp(next, found) == 0)
                return false;
            if (!is_there)
                snprintf(name, LS_EXPLAIN_NAME_BYTES, "%s", next);
            is_there = true;
        }
    }
    return is_there;
}

/* Sets `doubt` if the evidence and the check executor both contradict the result. */
void ls_explain_target_find_doubt(ls_explain_result *result)
{
    char system[LS_EXPLAIN_NAME_BYTES], component[LS_EXPLAIN_NAME_BYTES],
        checked[LS_EXPLAIN_NAME_BYTES];
    ls_builder components = {0};
    if (result->subject->evidence && ls_explain_target_name(result, "system", system) &&
        ls_explain_target_name(result, "component", component) &&
        list_components(result->subject, component, &components) &&
        take_checked(result, system, checked))
        ls_error_set(&result->doubt, LS_ERROR_NOT_FOUND,
                     "the sides differ in %s, not in %s, and the check executor names system "
                     "\"%s\": what follows is one effect, and may not be the cause",
                     components.data, component, checked);
    ls_free(components.data);
}

/* Searches the row again, and gives the system that this search names. */
static bool find_again(const struct look *look, const ls_explain_row *row,
                       char name[LS_EXPLAIN_NAME_BYTES])
{
    uint8_t *text = NULL;
    size_t count;
    ls_error why;
    ls_explain_result again = {0};
    if (ls_explain_row_take(look->result->subject, row, LS_EXPLAIN_WHERE, tick_of(look, row), &text,
                            &count, &why) != LS_OK)
        return false;
    again.where_json = (const char *)text + strlen((const char *)text) + 1;
    bool is_found = ls_explain_target_name(&again, "system", name);
    ls_free(text);
    return is_found;
}

/* Sets `doubt` if another row, or the same row again, names another system. In a race either system
 * may show first, so both answers are equally good. */
static void doubt_race(struct look *look)
{
    enum { LOOKS = 4 };
    ls_explain_result *result = look->result;
    char first[LS_EXPLAIN_NAME_BYTES], other[LS_EXPLAIN_NAME_BYTES];
    if (!ls_explain_target_name(result, "system", first))
        return;
    for (uint32_t i = 0, looks = 0; i < result->row_count && looks < LOOKS; i++) {
        const ls_explain_row *row = &result->rows[i];
        bool is_order = row->kind == LS_EXPLAIN_THREADS || row->kind == LS_EXPLAIN_SHUFFLE;
        if (!is_order || row->side >= LS_SIDE_FAILED || row->root == result->rows[0].root)
            continue;
        looks++;
        if (!find_again(look, row, other) || strcmp(first, other) == 0)
            continue;
        char name[64];
        ls_explain_row_name(row, name, sizeof name);
        ls_error_set(
            &result->doubt, LS_ERROR_NOT_FOUND,
            "the system differs from run to run: \"%s\" here, \"%s\" %s; look at both, and "
            "at each system that has no order with them",
            first, other, name);
        return;
    }
}

void ls_explain_target_find(ls_explain_result *result, uint8_t **text)
{
    struct look look = {result, text};
    const ls_explain_row *row = result->diagnosis.row;
    if (row && (row->side == LS_SIDE_CRASHED || row->is_stuck)) {
        take_crash(&look, row);
        return;
    }
    find_where(&look);
    ls_explain_target_find_doubt(result);
    if (result->diagnosis.cause == LS_CLASS_ORDER && !result->doubt.text[0])
        doubt_race(&look);
}
