/* A menu: a list of commands, or of a command's actions. The first argument chooses an entry. */
#ifndef LS_MENU_H
#define LS_MENU_H

#include "cli/common/command.h"

#include <stdio.h>

/* A text that `help NAME` prints. */
typedef struct ls_menu_topic {
    const char *name, *summary, *text;
    void (*print)(FILE *stream); /* what follows the text; NULL: nothing */
} ls_menu_topic;

typedef struct ls_menu {
    const char *noun;           /* what an entry is called: "command" or "action" */
    const char *before, *after; /* help before and after the list; whole lines */
    const ls_command *entries; /* an entry without `run` is a heading, with its text in `summary` */
    uint32_t count;
    const ls_menu_topic *topics;
    uint32_t topic_count;
    bool has_version; /* the program takes --version before it calls ls_menu_run() */
} ls_menu;

/* Runs the entry that arguments[1] names, as "NAME ENTRY" with the remaining arguments. Prints the
 * help for `help`, `--help`, `-h` and `-?`, and for `help ENTRY` that of the entry or
 * topic.
 *   errors  USAGE: no entry is named, or an unknown one; then the nearest is suggested */
ls_exit ls_menu_run(const ls_menu *menu, int count, char **arguments);

/* Returns whether the text is an option that asks for help. */
bool ls_menu_asks_for_help(const char *text);

#endif
