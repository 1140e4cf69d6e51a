/* A list of commands, or of a command's actions, from which the first argument chooses. */
#ifndef LS_MENU_H
#define LS_MENU_H

#include "cli/common/command.h"

typedef struct ls_menu {
    const char *noun;           /* "command", "action": what an entry is called */
    const char *before, *after; /* help around the list; whole lines */
    const ls_command *entries;  /* one without `run` is a heading: its summary */
    uint32_t count;
} ls_menu;

/* Runs the entry that arguments[1] names, as "NAME ENTRY" with the remaining arguments. Prints the
 * help for `help`, `--help`, `-h` and `-?`.
 *   errors  USAGE without an entry, or for an unknown one: the nearest is proposed */
ls_exit ls_menu_run(const ls_menu *menu, int count, char **arguments);

/* Whether this is an option that asks for help. */
bool ls_menu_asks_for_help(const char *text);

#endif
