#include "cli/common/candidates.h"

#include "cli/module/sim_load.h"
#include "core/base/builder.h"

#include <stdio.h>
#include <string.h>

static bool is_on; /* for the rest of the process */

void ls_candidates_begin(void)
{
    is_on = true;
}

bool ls_candidates_are_asked(void)
{
    return is_on;
}

/* Prints the description up to where its first part ends: a shell shows one short line. */
static void print_description(const char *text)
{
    size_t bytes = strcspn(text, ";:(\n");
    const char *sentence = strstr(text, ". ");
    if (sentence && (size_t)(sentence - text) < bytes)
        bytes = (size_t)(sentence - text);
    while (bytes > 0 && (text[bytes - 1] == ' ' || text[bytes - 1] == '.'))
        bytes--;
    printf("\t%.*s", (int)bytes, text);
}

void ls_candidates_add(const char *typed, const char *before, const char *word,
                       const char *description)
{
    size_t ahead = strlen(before), bytes = strlen(typed);
    if (bytes > ahead
            ? strncmp(typed, before, ahead) != 0 || strncmp(typed + ahead, word, bytes - ahead) != 0
            : strncmp(typed, before, bytes) != 0)
        return;
    printf("%s%s", before, word);
    if (description)
        print_description(description);
    putchar('\n');
}

void ls_candidates_add_files(const char *ending)
{
    printf(":files%s%s\n", ending ? " " : "", ending ? ending : "");
}

/* Adds the options of a simulation that `added` does not list yet: two simulations with one module
 * share its options. */
static void add_settings(const char *typed, const char *before, const ls_sim *sim,
                         ls_builder *added)
{
    for (uint32_t i = 0; i < sim->option_count; i++) {
        char setting[LS_NAME_BYTES_MAX + 2], line[sizeof setting + 2];
        snprintf(setting, sizeof setting, "%s=", sim->options[i].name);
        snprintf(line, sizeof line, "\n%s\n", setting);
        if (added->data && strstr(added->data, line))
            continue;
        ls_builder_add(added, "%s", line);
        ls_candidates_add(typed, before, setting, sim->options[i].summary);
    }
}

/* Adds the names of the built-in simulations, or the options of all of them and of their
 * modules. */
static void add_simulations(const char *typed, const char *before, bool wants_settings)
{
    const char *names[LS_SIM_NAMES_MAX];
    uint32_t named = ls_sim_names(names);
    ls_builder settings = {0};
    for (uint32_t i = 0; i < named; i++) {
        ls_loaded_sim loaded;
        if (ls_sim_load(names[i], &loaded, NULL))
            continue;
        if (wants_settings)
            add_settings(typed, before, loaded.sim, &settings);
        else
            ls_candidates_add(typed, before, names[i], loaded.sim->summary);
        ls_sim_unload(&loaded);
    }
    ls_free(settings.data);
}

/* Adds the candidates for one alternative in the placeholder of a value: a word in small letters
 * itself, or what a word in capitals means, such as files for FILE. */
static void add_alternative(const char *typed, const char *before, const char *alternative)
{
    static const char *const files[] = {"DIR", "FILE", "PATH", "TRACE"};
    for (size_t i = 0; i < LS_COUNT_OF(files); i++)
        if (strcmp(alternative, files[i]) == 0)
            ls_candidates_add_files(NULL);
    if (strcmp(alternative, "PATH.so") == 0)
        ls_candidates_add_files("so");
    else if (strcmp(alternative, "NAME=VALUE") == 0)
        add_simulations(typed, before, true);
    else if (*alternative >= 'a' && *alternative <= 'z')
        ls_candidates_add(typed, before, alternative, NULL);
}

/* `before` is "--NAME=", or "" if the value is a word of its own. */
static void add_values(const char *typed, const char *before, const ls_argument *argument)
{
    const char *next = argument->value;
    if (strcmp(next, "NAME|PATH.so") == 0)
        add_simulations(typed, before, false);
    while (*next) {
        char alternative[32];
        size_t bytes = strcspn(next, "|");
        snprintf(alternative, sizeof alternative, "%.*s", (int)bytes, next);
        alternative[strcspn(alternative, ":")] = 0; /* script:FILE */
        add_alternative(typed, before, alternative);
        next += bytes + (next[bytes] == '|');
    }
}

static void add_options(const char *typed, const ls_argument_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const ls_argument *argument = list->entries[i].argument;
        char option[64];
        if (!argument->name || argument->is_hidden)
            continue;
        snprintf(option, sizeof option, "--%s%s", argument->name, argument->value ? "=" : "");
        ls_candidates_add(typed, "", option, argument->help);
    }
}

/* The option of the word, "--NAME" or "-L", that still needs a value; NULL: none does. */
static const ls_argument *find_pending(const ls_argument_list *list, const char *word)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const ls_argument *argument = list->entries[i].argument;
        bool is_it = argument->name && word[1] == '-' ? strcmp(word + 2, argument->name) == 0
                                                      : argument->name && argument->letter &&
                                                            word[1] == argument->letter && !word[2];
        if (is_it)
            return argument->value ? argument : NULL;
    }
    return NULL;
}

/* Completes "--NAME=VALUE". */
static void add_assigned(const ls_argument_list *list, const char *word)
{
    char before[64];
    size_t bytes = strcspn(word, "=");
    snprintf(before, sizeof before, "%.*s", (int)bytes, word);
    const ls_argument *argument = find_pending(list, before);
    snprintf(before, sizeof before, "%.*s", (int)bytes + 1, word);
    if (argument)
        add_values(word, before, argument);
}

void ls_candidates_add_arguments(const ls_arguments *arguments, const ls_argument_list *list,
                                 int count, char **texts)
{
    const char *word = count > 1 ? texts[count - 1] : "";
    const ls_argument *pending = NULL;
    bool has_ended = false; /* by "--" */
    for (int i = 1; i < count - 1; i++) {
        bool is_value = pending != NULL;
        pending = NULL;
        if (is_value || has_ended || texts[i][0] != '-')
            continue;
        has_ended = strcmp(texts[i], "--") == 0;
        pending = find_pending(list, texts[i]);
    }
    if (pending)
        add_values(word, "", pending);
    else if (!has_ended && word[0] == '-' && strchr(word, '='))
        add_assigned(list, word);
    else if (!has_ended && word[0] == '-')
        add_options(word, list);
    else if (arguments->usage && strstr(arguments->usage, "FILE"))
        ls_candidates_add_files(arguments->file_ending);
}
