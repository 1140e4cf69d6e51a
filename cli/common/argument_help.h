/* Prints the help and the summary of a command's options. */
#ifndef LS_ARGUMENT_HELP_H
#define LS_ARGUMENT_HELP_H

#include "cli/common/argument_table.h"

#include <stdio.h>

enum { LS_ARGUMENTS_MAX = 96, LS_HELP_COLUMNS = 79 };

/* The options of a command and of its parts, in one list. */
typedef struct ls_argument_entry {
    const ls_argument *argument; /* an option or a title */
    void *target;                /* the struct that its value goes into */
    uint32_t group;              /* rises with each title */
} ls_argument_entry;
typedef struct ls_argument_list {
    ls_argument_entry entries[LS_ARGUMENTS_MAX];
    uint32_t count;
} ls_argument_list;

/* Sorts the options of each group by name, and keeps its title first. */
void ls_argument_list_sort(ls_argument_list *list);

/* The options to print, and the width of the text. */
typedef struct ls_argument_help {
    const char *command; /* "lockstep run" */
    const ls_arguments *arguments;
    const ls_argument_list *list; /* sorted */
    uint32_t columns;             /* the longest line, unless one word is longer */
} ls_argument_help;

void ls_argument_help_print(const ls_argument_help *help, FILE *file);
void ls_argument_usage_print(const ls_argument_help *help, FILE *file);

#endif
