#include "cli/common/arguments.h"

#include "cli/common/command.h"
#include "cli/common/number.h"
#include "cli/common/suggest.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX 96
#define KEY_FIRST   0x100
#define KEY_USAGE   0x1000

/* The options of a command and of its parts, in one list. */
struct all {
    const ls_arguments *command;
    struct argp_option options[OPTIONS_MAX + 4]; /* with those of the help; ends with zeros */
    const ls_argument *arguments[OPTIONS_MAX];   /* by option; NULL for a title */
    uint8_t *targets[OPTIONS_MAX]; /* by option: the struct that its value goes into */
    uint32_t count;
    uint8_t *target; /* the struct of the command itself */
};

static void add_all(struct all *all, const ls_arguments *arguments, uint8_t *target, int *group)
{
    const ls_argument *argument = arguments->list;
    for (; argument && (argument->name || argument->help); argument++) {
        LS_ASSERT(all->count < OPTIONS_MAX);
        uint32_t i = all->count++;
        all->arguments[i] = argument->name ? argument : NULL;
        all->targets[i] = target;
        if (!argument->name)
            ++*group;
        all->options[i] = (struct argp_option){.name = argument->name,
                                               .key = !argument->name    ? 0
                                                      : argument->letter ? argument->letter
                                                                         : KEY_FIRST + (int)i,
                                               .arg = argument->value,
                                               .flags = argument->is_hidden ? OPTION_HIDDEN : 0,
                                               .doc = argument->help,
                                               .group = *group};
    }
    for (const ls_arguments_part *part = arguments->parts; part && part->arguments; part++)
        add_all(all, part->arguments, target + part->at, group);
}

static void add_help(struct all *all)
{
    static const struct argp_option help[] = {
        {"help", 'h', NULL, 0, "Print this help", -1},
        {NULL, '?', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, -1},
        {"usage", KEY_USAGE, NULL, 0, "Print a summary of the options", -1},
        {0},
    };
    memcpy(all->options + all->count, help, sizeof help);
}

uint64_t ls_argument_number(const struct argp_state *state, const char *name, const char *text,
                            uint64_t min, uint64_t max)
{
    uint64_t value = 0;
    if (!ls_parse_u64(text, min, max, &value))
        argp_error(state, "--%s takes a number from %llu to %llu, not '%s'", name,
                   (unsigned long long)min, (unsigned long long)max, text);
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

static uint32_t find_choice(const struct argp_state *state, const ls_argument *argument,
                            const char *text)
{
    char all[128] = "";
    for (uint32_t i = 0; argument->choices[i]; i++) {
        if (strcmp(text, argument->choices[i]) == 0)
            return i;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", argument->choices[i]);
    }
    argp_error(state, "--%s is one of: %s; not '%s'", argument->name, all, text);
    return 0;
}

static void store(const struct argp_state *state, const ls_argument *argument, uint8_t *target,
                  char *text)
{
    uint8_t *at = target + argument->at;
    switch (argument->type) {
    case LS_ARGUMENT_FLAG:
        *(bool *)(void *)at = true;
        break;
    case LS_ARGUMENT_TEXT:
        *(const char **)(void *)at = text;
        break;
    case LS_ARGUMENT_NUMBER:
        store_number(argument, at,
                     ls_argument_number(state, argument->name, text, argument->min, argument->max));
        break;
    case LS_ARGUMENT_CHOICE:
        *(uint32_t *)(void *)at = find_choice(state, argument, text);
        break;
    case LS_ARGUMENT_CALL:
        argument->take(state, argument, target, text);
        break;
    }
    if (argument->has)
        *(bool *)(void *)(target + argument->has) = true;
}

static void take_file(const struct argp_state *state, const ls_arguments *command, uint8_t *target,
                      char *text)
{
    const char **file = (const char **)(void *)(target + command->file);
    size_t bytes = strlen(text);
    bool is_module = bytes > 3 && strcmp(text + bytes - 3, ".so") == 0;
    if (command->take)
        command->take(state, NULL, target, text);
    else if (!command->file_twice)
        argp_error(state, "unexpected argument '%s'%s%s", text,
                   is_module ? "; name a simulation by --sim " : "", is_module ? text : "");
    else if (*file)
        argp_error(state, "%s, not also '%s'", command->file_twice, text);
    else
        *file = text;
}

static void check_all(const struct argp_state *state, const ls_arguments *arguments,
                      uint8_t *target)
{
    if (arguments->file_missing && !*(const char **)(void *)(target + arguments->file))
        argp_error(state, "%s", arguments->file_missing);
    if (arguments->check)
        arguments->check(state, target);
    for (const ls_arguments_part *part = arguments->parts; part && part->arguments; part++)
        check_all(state, part->arguments, target + part->at);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    const struct all *all = state->input;
    if (key == ARGP_KEY_ARG)
        take_file(state, all->command, all->target, text);
    else if (key == ARGP_KEY_END)
        check_all(state, all->command, all->target);
    else if (key == 'h' || key == '?')
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
    else if (key == KEY_USAGE)
        argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
    else {
        for (uint32_t i = 0; i < all->count; i++) {
            if (!all->arguments[i] || all->options[i].key != key)
                continue;
            store(state, all->arguments[i], all->targets[i], text);
            return 0;
        }
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* Removes argp's note about arguments of long and short options, which says nothing about this
 * command. */
static char *filter_help(int key, const char *text, void *input)
{
    (void)input;
    return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)(uintptr_t)text;
}

/* The options in the form of getopt, and their names for suggestions. */
struct known {
    struct option options[OPTIONS_MAX + 4]; /* ends with zeros */
    const char *names[OPTIONS_MAX + 3];     /* visible options */
    char letters[2 * OPTIONS_MAX];          /* for getopt */
    uint32_t count, name_count;
};

static void add_known(struct known *known, const struct argp_option *option)
{
    size_t used = strlen(known->letters);
    if (option->key > ' ' && option->key < 0x7f && option->key != '?')
        snprintf(known->letters + used, sizeof known->letters - used, "%c%s", (char)option->key,
                 option->arg ? ":" : "");
    if (!option->name)
        return;
    known->options[known->count++] = (struct option){
        option->name, option->arg ? required_argument : no_argument, NULL, option->key};
    if (!(option->flags & OPTION_HIDDEN))
        known->names[known->name_count++] = option->name;
}

static void fail_unknown(const char *command, const struct known *known, const char *typed)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
    for (uint32_t i = 0; i < known->count; i++) {
        if (strncmp(known->options[i].name, name, strlen(name)) == 0)
            return; /* ambiguous: argp lists the candidates */
    }
    const char *nearest = ls_suggest(name, known->names, known->name_count);
    if (nearest)
        fprintf(stderr, "%s: unknown option '--%s', did you mean '--%s'?\n", command, name,
                nearest);
    else
        fprintf(stderr, "%s: unknown option '--%s'; see `%s --help`\n", command, name, command);
    exit(LS_EXIT_USAGE);
}

/* Reports an unknown option with a suggestion. argp would leave it to getopt, whose message has
 * none. */
static void check_options(const struct argp_option *option, int count, char **arguments)
{
    struct known known = {.letters = ":"};
    /* A copy, because getopt reorders the arguments. */
    char **copy = ls_alloc(sizeof *copy * ((size_t)count + 1));
    memcpy(copy, arguments, sizeof *copy * ((size_t)count + 1));
    for (; option->name || option->key || option->doc; option++)
        add_known(&known, option);
    int key;
    opterr = 0;
    optind = 0;
    do {
        optopt = 0;
        key = getopt_long(count, copy, known.letters, known.options, NULL);
        if (key == '?' && optopt == 0)
            fail_unknown(arguments[0], &known, copy[optind - 1] + 2);
    } while (key != -1 && key != '?' && key != ':' && key != 'h');
    ls_free(copy);
}

void ls_arguments_parse(const ls_arguments *arguments, int count, char **texts, void *options)
{
    struct all all = {.command = arguments, .target = options};
    int group = 0;
    add_all(&all, arguments, options, &group);
    add_help(&all);
    const struct argp argp = {.options = all.options,
                              .parser = parse,
                              .args_doc = arguments->usage,
                              .doc = arguments->doc,
                              .help_filter = filter_help};
    check_options(all.options, count, texts);
    argp_parse(&argp, count, texts, ARGP_NO_HELP, NULL, &all);
}
