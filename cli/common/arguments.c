#include "cli/common/arguments.h"

#include "cli/common/command.h"
#include "cli/common/suggest.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX 128
#define KEY_USAGE   0x1000

/* Every long option of a command, its children's included. */
struct known {
    struct option options[OPTIONS_MAX + 1]; /* ends with zeros */
    const char *names[OPTIONS_MAX];         /* visible ones */
    char letters[2 * OPTIONS_MAX + 2];      /* for getopt */
    uint32_t count, name_count;
};

/* Asked after all other parsers of the command: an argument that reaches it has no use. */
static error_t parse_help(int key, char *text, struct argp_state *state)
{
    if (key == ARGP_KEY_ARG) {
        size_t bytes = strlen(text);
        bool is_module = bytes > 3 && strcmp(text + bytes - 3, ".so") == 0;
        argp_error(state, "unexpected argument '%s'%s%s", text,
                   is_module ? "; name a simulation by --sim " : "", is_module ? text : "");
    }
    if (key == 'h' || key == '?')
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
    else if (key == KEY_USAGE)
        argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static const struct argp_option help_options[] = {
    {"help", 'h', NULL, 0, "Print this help", -1},
    {NULL, '?', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, -1},
    {"usage", KEY_USAGE, NULL, 0, "Print a summary of the options", -1},
    {0},
};
static const struct argp help_argp = {.options = help_options, .parser = parse_help};

/* argp's own remark about long and short options says nothing about this command. */
static char *filter_help(int key, const char *text, void *input)
{
    (void)input;
    return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)(uintptr_t)text;
}

static void add_known(struct known *known, const struct argp_option *option)
{
    LS_ASSERT(known->count < OPTIONS_MAX);
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

static void add_all_known(struct known *known, const struct argp *argp)
{
    const struct argp_option *option = argp->options;
    for (; option && (option->name || option->key || option->doc); option++)
        add_known(known, option);
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        add_all_known(known, child->argp);
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

/* argp leaves unknown options to getopt, whose message proposes nothing. */
static void check_options(const struct argp *argp, int count, char **arguments)
{
    struct known known = {.letters = ":"};
    char **copy = ls_alloc(sizeof *copy * ((size_t)count + 1)); /* getopt moves them */
    memcpy(copy, arguments, sizeof *copy * ((size_t)count + 1));
    add_all_known(&known, argp);
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

void ls_arguments_parse(const struct argp *argp, int count, char **arguments, void *input)
{
    struct argp_child children[LS_ARGUMENTS_CHILDREN_MAX + 2] = {{0}};
    uint32_t used = 0;
    for (; argp->children && argp->children[used].argp; used++) {
        LS_ASSERT(used < LS_ARGUMENTS_CHILDREN_MAX);
        children[used] = argp->children[used];
    }
    children[used] = (struct argp_child){.argp = &help_argp, .group = -1};
    struct argp whole = *argp;
    whole.children = children;
    whole.help_filter = filter_help;
    check_options(&whole, count, arguments);
    argp_parse(&whole, count, arguments, ARGP_NO_HELP, NULL, input);
}
