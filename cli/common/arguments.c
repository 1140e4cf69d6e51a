#include "cli/common/arguments.h"

#include "cli/common/candidates.h"
#include "cli/common/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exits. */
static void print_help(const ls_argument_state *state, const ls_argument *argument, void *options,
                       char *text)
{
    (void)options, (void)text;
    const ls_argument_help help = {state->command, state->arguments, &state->list, LS_HELP_COLUMNS};
    if (argument->letter)
        ls_argument_help_print(&help, stdout);
    else
        ls_argument_usage_print(&help, stdout);
    exit(LS_EXIT_GOOD);
}

static const ls_argument help_arguments[] = {
    LS_ARGUMENT_CALL("help", NULL, print_help, "Print this help", .letter = 'h', .is_action = true),
    LS_ARGUMENT_CALL("usage", NULL, print_help, "Print a summary of the options",
                     .is_action = true),
};

/* Kept for the rest of the process, because the options point into it. */
static ls_argument_settings given;
static ls_argument_state parsed; /* the settings point into its list */

static void add_all(ls_argument_list *list, const ls_arguments *arguments, uint8_t *target,
                    uint32_t *group)
{
    const ls_argument *argument = arguments->list;
    for (; argument && (argument->name || argument->help); argument++) {
        LS_ASSERT(list->count < LS_ARGUMENTS_MAX - LS_COUNT_OF(help_arguments));
        if (!argument->name)
            ++*group;
        list->entries[list->count++] = (ls_argument_entry){argument, target, *group};
    }
    for (const ls_arguments_part *part = arguments->parts; part && part->arguments; part++)
        add_all(list, part->arguments, target + part->at, group);
}

static void add_help(ls_argument_list *list, uint32_t group)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(help_arguments); i++)
        list->entries[list->count++] = (ls_argument_entry){&help_arguments[i], NULL, group};
}

static void take_file(const ls_argument_state *state, uint8_t *target, char *text)
{
    const ls_arguments *command = state->arguments;
    const char **file = (const char **)(void *)(target + command->file);
    size_t bytes = strlen(text);
    bool is_module = bytes > 3 && strcmp(text + bytes - 3, ".so") == 0;
    if (command->take)
        command->take(state, NULL, target, text);
    else if (!command->file_twice)
        ls_argument_fail(state, "unexpected argument '%s'%s%s", text,
                         is_module ? "; name a simulation by --sim " : "", is_module ? text : "");
    else if (*file)
        ls_argument_fail(state, "%s, not also '%s'", command->file_twice, text);
    else
        *file = text;
}

static void check_all(const ls_argument_state *state, const ls_arguments *arguments,
                      uint8_t *target)
{
    if (arguments->file_missing && !*(const char **)(void *)(target + arguments->file))
        ls_argument_fail(state, "%s", arguments->file_missing);
    if (arguments->check)
        arguments->check(state, target);
    for (const ls_arguments_part *part = arguments->parts; part && part->arguments; part++)
        check_all(state, part->arguments, target + part->at);
}

static _Noreturn void fail_ambiguous(const ls_argument_state *state, const char *name, size_t bytes)
{
    char all[1024] = "";
    for (uint32_t i = 0; i < state->list.count; i++) {
        const ls_argument *argument = state->list.entries[i].argument;
        size_t used = strlen(all);
        if (argument->name && !argument->is_hidden && strncmp(argument->name, name, bytes) == 0)
            snprintf(all + used, sizeof all - used, " '--%s'", argument->name);
    }
    ls_argument_fail(state, "option '--%.*s' is ambiguous; possibilities:%s", (int)bytes, name,
                     all);
}

/* Finds the option of this name, or the only one that begins with it. */
static const ls_argument_entry *find_name(const ls_argument_state *state, const char *name,
                                          size_t bytes)
{
    const ls_argument_entry *found = NULL;
    bool is_ambiguous = false;
    for (uint32_t i = 0; i < state->list.count; i++) {
        const ls_argument_entry *entry = &state->list.entries[i];
        const char *known = entry->argument->name;
        if (!known || strncmp(known, name, bytes) != 0)
            continue;
        if (!known[bytes])
            return entry;
        is_ambiguous = is_ambiguous || found;
        found = entry;
    }
    if (is_ambiguous)
        fail_ambiguous(state, name, bytes);
    if (!found)
        ls_argument_fail_unknown(state, name, bytes);
    return found;
}

/* Takes the value of an option. If the file and the environment can have options too, the value is
 * stored after all of them are read; but help is printed at once, even if one of them has an
 * error. */
static void take_value(const ls_argument_state *state, const ls_argument_entry *entry, char *text)
{
    if (state->arguments->environment && entry->target)
        ls_argument_settings_add(
            &given, &(ls_argument_setting){
                        .entry = entry, .value = text, .source = LS_ARGUMENT_COMMAND_LINE});
    else
        ls_argument_store(state, entry, text);
}

/* Takes what follows "--". */
static void take_name(ls_argument_state *state, char *text)
{
    size_t bytes = strcspn(text, "=");
    char *value = text[bytes] ? text + bytes + 1 : NULL;
    const ls_argument_entry *entry = find_name(state, text, bytes);
    const char *name = entry->argument->name;
    if (value && !entry->argument->value)
        ls_argument_fail(state, "option '--%s' doesn't allow an argument", name);
    if (!value && entry->argument->value) {
        if (state->next == state->count)
            ls_argument_fail(state, "option '--%s' requires an argument", name);
        value = state->texts[state->next++];
    }
    take_value(state, entry, value);
}

static const ls_argument_entry *find_letter(const ls_argument_state *state, char letter)
{
    for (uint32_t i = 0; i < state->list.count; i++) {
        const ls_argument *argument = state->list.entries[i].argument;
        if (argument->name &&
            (argument->letter == letter || (letter == '?' && argument->take == print_help)))
            return &state->list.entries[i];
    }
    ls_argument_fail(state, "invalid option -- '%c'", letter);
}

/* Takes what follows '-': letters, and maybe the value of the last one. */
static void take_letters(ls_argument_state *state, char *text)
{
    while (*text) {
        const ls_argument_entry *entry = find_letter(state, *text++);
        if (!entry->argument->value) {
            take_value(state, entry, NULL);
            continue;
        }
        if (!*text && state->next == state->count)
            ls_argument_fail(state, "option requires an argument -- '%c'", text[-1]);
        take_value(state, entry, *text ? text : state->texts[state->next++]);
        return;
    }
}

/* Takes all options, and moves the other arguments to the front. Returns the end of those. */
static int take_options(ls_argument_state *state)
{
    int end = 1;
    bool has_ended = false;
    while (state->next < state->count) {
        char *text = state->texts[state->next++];
        if (has_ended || text[0] != '-' || !text[1])
            state->texts[end++] = text;
        else if (strcmp(text, "--") == 0)
            has_ended = true;
        else if (text[1] == '-')
            take_name(state, text + 2);
        else
            take_letters(state, text + 1);
    }
    return end;
}

void ls_arguments_parse(const ls_arguments *arguments, int count, char **texts, void *options)
{
    ls_argument_state *state = &parsed;
    *state = (ls_argument_state){
        .command = texts[0], .arguments = arguments, .texts = texts, .count = count, .next = 1};
    uint32_t group = 0;
    ls_argument_settings_reset(&given);
    add_all(&state->list, arguments, options, &group);
    add_help(&state->list, group + 1);
    ls_argument_list_sort(&state->list);
    if (ls_candidates_are_asked()) {
        ls_candidates_add_arguments(arguments, &state->list, count, texts);
        exit(LS_EXIT_GOOD);
    }
    int end = take_options(state);
    for (int i = 1; i < end; i++)
        take_file(state, options, texts[i]);
    if (arguments->environment) {
        ls_argument_settings_read_environment(state, &given);
        ls_argument_settings_read_file(state, &given);
        state->locate = ls_arguments_locate;
        ls_argument_settings_store(state, &given);
    }
    check_all(state, arguments, options);
    if (arguments->environment && *((const bool *)options + arguments->prints_config)) {
        ls_argument_settings_print(state, &given, stdout);
        exit(LS_EXIT_GOOD);
    }
}

void ls_arguments_locate(char text[LS_ERROR_TEXT_BYTES])
{
    ls_argument_settings_locate(&parsed, &given, text);
}

bool ls_arguments_outrank_config(const char *name)
{
    return ls_argument_settings_outrank_file(&given, &parsed.list, name);
}

ls_status ls_arguments_reread_config(ls_argument_reread take, void *context, ls_error *error)
{
    return ls_argument_settings_reread(&given, &parsed.list, take, context, error);
}
