#include "cli/common/menu.h"

#include "cli/common/candidates.h"
#include "cli/common/suggest.h"

#include <stdio.h>
#include <string.h>

#define NAMES_MAX 40 /* of entries and topics */

static void print_help(const ls_menu *menu, FILE *stream)
{
    fputs(menu->before, stream);
    for (uint32_t i = 0; i < menu->count; i++) {
        const ls_command *entry = &menu->entries[i];
        if (entry->run)
            fprintf(stream, "  %-11s %s\n", entry->name, entry->summary);
        else
            fprintf(stream, "%s%s\n", i ? "\n" : "", entry->summary);
    }
    fputs(menu->after, stream);
}

bool ls_menu_asks_for_help(const char *text)
{
    static const char *const words[] = {"--help", "-h", "-?"};
    for (uint32_t i = 0; i < LS_COUNT_OF(words); i++) {
        if (strcmp(text, words[i]) == 0)
            return true;
    }
    return false;
}

static ls_exit fail_unknown(const ls_menu *menu, const char *name, const char *typed, bool is_help)
{
    const char *names[NAMES_MAX], *or_topic = is_help && menu->topic_count ? " or topic" : "";
    static const char *const options[] = {"--help", "--version"};
    bool is_option = *typed == '-';
    size_t count = 0;
    LS_ASSERT(menu->count + menu->topic_count <= NAMES_MAX);
    for (uint32_t i = 0; i < menu->count; i++) {
        if (menu->entries[i].run)
            names[count++] = menu->entries[i].name;
    }
    for (uint32_t i = 0; is_help && i < menu->topic_count; i++)
        names[count++] = menu->topics[i].name;
    const char *nearest = is_option ? ls_suggest(typed, options, menu->has_version ? 2 : 1)
                                    : ls_suggest(typed, names, count);
    if (nearest && is_option)
        fprintf(stderr, "%s: unknown option '%s', did you mean '%s'?\n", name, typed, nearest);
    else if (nearest)
        fprintf(stderr, "%s: unknown %s%s '%s', did you mean '%s'?\n", name, menu->noun, or_topic,
                typed, nearest);
    else if (is_option)
        fprintf(stderr, "%s: the %s comes before options such as '%s'; see `%s --help`\n", name,
                menu->noun, typed, name);
    else
        fprintf(stderr, "%s: unknown %s%s '%s'; see `%s --help`\n", name, menu->noun, or_topic,
                typed, name);
    return LS_EXIT_USAGE;
}

static void complete(const ls_menu *menu, const char *typed, bool is_help)
{
    for (uint32_t i = 0; i < menu->count; i++)
        if (menu->entries[i].run)
            ls_candidates_add(typed, "", menu->entries[i].name, menu->entries[i].summary);
    for (uint32_t i = 0; is_help && i < menu->topic_count; i++)
        ls_candidates_add(typed, "", menu->topics[i].name, menu->topics[i].summary);
}

static const ls_command *find_entry(const ls_menu *menu, const char *name)
{
    for (uint32_t i = 0; i < menu->count; i++)
        if (menu->entries[i].run && strcmp(menu->entries[i].name, name) == 0)
            return &menu->entries[i];
    return NULL;
}

/* Prints a topic, or runs "NAME ENTRY ... --help" for "NAME help ENTRY ...". */
static ls_exit run_help(const ls_menu *menu, int count, char **arguments)
{
    char option[] = "--help";
    for (uint32_t i = 0; i < menu->topic_count; i++) {
        if (strcmp(menu->topics[i].name, arguments[2]) != 0)
            continue;
        fputs(menu->topics[i].text, stdout);
        if (menu->topics[i].print)
            menu->topics[i].print(stdout);
        return LS_EXIT_GOOD;
    }
    if (!find_entry(menu, arguments[2]))
        return fail_unknown(menu, arguments[0], arguments[2], true);
    for (int i = 1; i < count - 1; i++)
        arguments[i] = arguments[i + 1];
    arguments[count - 1] = option;
    return ls_menu_run(menu, count, arguments);
}

ls_exit ls_menu_run(const ls_menu *menu, int count, char **arguments)
{
    bool is_help = count > 1 && strcmp(arguments[1], "help") == 0;
    if (ls_candidates_are_asked() && (count <= 2 || is_help)) {
        complete(menu, count == 2 + is_help ? arguments[count - 1] : "", is_help);
        return LS_EXIT_GOOD;
    }
    if (count < 2) {
        print_help(menu, stderr);
        return LS_EXIT_USAGE;
    }
    if (is_help && count > 2 && !ls_menu_asks_for_help(arguments[2]))
        return run_help(menu, count, arguments);
    if (is_help || ls_menu_asks_for_help(arguments[1])) {
        print_help(menu, stdout);
        return LS_EXIT_GOOD;
    }
    const ls_command *entry = find_entry(menu, arguments[1]);
    if (!entry)
        return ls_candidates_are_asked() ? LS_EXIT_GOOD
                                         : fail_unknown(menu, arguments[0], arguments[1], false);
    char name[64];
    snprintf(name, sizeof name, "%s %s", arguments[0], entry->name);
    arguments[1] = name;
    return entry->run(count - 1, arguments + 1);
}
