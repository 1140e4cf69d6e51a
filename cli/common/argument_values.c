#include "cli/common/argument_values.h"

#include "cli/common/command.h"
#include "cli/common/number.h"
#include "cli/common/suggest.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ls_argument_fail(const ls_argument_state *state, const char *format, ...)
{
    char text[LS_ERROR_TEXT_BYTES];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (state->locate)
        state->locate(text);
    fprintf(stderr, "%s: %s%s\n`%s --help` lists the options\n", state->command, state->place, text,
            state->command);
    exit(LS_EXIT_USAGE);
}

static ls_status parse_number(const char *name, const char *text, const uint64_t range[2],
                              uint64_t *value, ls_error *error)
{
    if (ls_parse_u64(text, range[0], range[1], value))
        return LS_OK;
    return ls_error_set(error, LS_ERROR_USAGE,
                        "--%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%.200s'", name,
                        range[0], range[1], text);
}

uint64_t ls_argument_number(const ls_argument_state *state, const char *name, const char *text,
                            uint64_t min, uint64_t max)
{
    const uint64_t range[] = {min, max};
    uint64_t value = 0;
    ls_error error;
    if (parse_number(name, text, range, &value, &error) != LS_OK)
        ls_argument_fail(state, "%s", error.text);
    return value;
}

static void store_number(const ls_argument *argument, uint8_t *at, uint64_t value)
{
    value *= argument->scale ? argument->scale : 1;
    if (argument->bytes == sizeof(uint16_t))
        *(uint16_t *)(void *)at = (uint16_t)value;
    else if (argument->bytes == sizeof(uint32_t))
        *(uint32_t *)(void *)at = (uint32_t)value;
    else
        *(uint64_t *)(void *)at = value;
}

static ls_status find_choice(const ls_argument *argument, const char *text, uint32_t *choice,
                             ls_error *error)
{
    char all[128] = "";
    for (*choice = 0; argument->choices[*choice]; ++*choice) {
        if (strcmp(text, argument->choices[*choice]) == 0)
            return LS_OK;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", *choice ? ", " : "",
                 argument->choices[*choice]);
    }
    return ls_error_set(error, LS_ERROR_USAGE, "--%s is one of: %s; not '%.200s'", argument->name,
                        all, text);
}

ls_status ls_argument_check(const ls_argument *argument, const char *text, ls_error *error)
{
    const uint64_t range[] = {argument->min, argument->max};
    uint64_t number;
    uint32_t choice;
    if (!argument->value && strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
        return ls_error_set(error, LS_ERROR_USAGE, "'%s' takes yes or no, not '%.200s'",
                            argument->name, text);
    if (argument->type == LS_ARGUMENT_NUMBER)
        return parse_number(argument->name, text, range, &number, error);
    if (argument->type == LS_ARGUMENT_CHOICE)
        return find_choice(argument, text, &choice, error);
    return LS_OK;
}

void ls_argument_store(const ls_argument_state *state, const ls_argument_entry *entry, char *text)
{
    const ls_argument *argument = entry->argument;
    uint8_t *target = entry->target;
    uint32_t *count;
    ls_error error;
    switch (argument->type) {
    case LS_ARGUMENT_FLAG:
        *(bool *)(void *)(target + argument->at) = true;
        break;
    case LS_ARGUMENT_TEXT:
        if (argument->max && strlen(text) > argument->max)
            ls_argument_fail(state, "--%s takes %" PRIu64 " bytes at most", argument->name,
                             argument->max);
        *(const char **)(void *)(target + argument->at) = text;
        break;
    case LS_ARGUMENT_TEXTS:
        count = (uint32_t *)(void *)(target + argument->count);
        if (*count == argument->max)
            ls_argument_fail(state, "--%s: at most %" PRIu64 " times", argument->name,
                             argument->max);
        ((const char **)(void *)(target + argument->at))[(*count)++] = text;
        break;
    case LS_ARGUMENT_NUMBER:
        store_number(argument, target + argument->at,
                     ls_argument_number(state, argument->name, text, argument->min, argument->max));
        break;
    case LS_ARGUMENT_CHOICE:
        if (find_choice(argument, text, (uint32_t *)(void *)(target + argument->at), &error))
            ls_argument_fail(state, "%s", error.text);
        break;
    case LS_ARGUMENT_CALL:
        argument->take(state, argument, target, text);
        break;
    }
    if (argument->has)
        *(bool *)(void *)(target + argument->has) = true;
}

const char *ls_argument_suggest(const ls_argument_list *list, const char *typed)
{
    const char *names[LS_ARGUMENTS_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const ls_argument *argument = list->entries[i].argument;
        if (argument->name && !argument->is_hidden)
            names[count++] = argument->name;
    }
    return ls_suggest(typed, names, count);
}

void ls_argument_fail_unknown(const ls_argument_state *state, const char *name, size_t bytes)
{
    const char *dashes = state->place[0] ? "" : "--";
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)bytes, name);
    const char *nearest = ls_argument_suggest(&state->list, typed);
    fprintf(stderr, "%s: %sunknown option '%s%s'", state->command, state->place, dashes, typed);
    if (nearest)
        fprintf(stderr, ", did you mean '%s%s'?\n", dashes, nearest);
    else
        fprintf(stderr, "; see `%s --help`\n", state->command);
    exit(LS_EXIT_USAGE);
}
