/* Candidates for the last word of a command line: what a shell proposes (cli/completion.c). The
 * command line is read as always, but menus and tables of options print the words that fit, and no
 * command runs. */
#ifndef LS_CANDIDATES_H
#define LS_CANDIDATES_H

#include "cli/common/argument_help.h"

/* Begins the completion of this process's command line. From then on ls_menu_run()
 * prints candidates and returns LS_EXIT_GOOD; ls_arguments_parse() prints them and ends the
 * process. */
void ls_candidates_begin(void);
bool ls_candidates_are_asked(void);

/* Prints one candidate if it begins with what was typed: `before` and `word`, a tab, and the first
 * part of the description, which may be NULL. `before` is the beginning of the same shell word,
 * such as "--policy=". */
void ls_candidates_add(const char *typed, const char *before, const char *word,
                       const char *description);
/* Prints that files fit whose names end with ".ENDING"; NULL: all files. */
void ls_candidates_add_files(const char *ending);

/* Prints the candidates for the last of the texts. */
void ls_candidates_add_arguments(const ls_arguments *arguments, const ls_argument_list *list,
                                 int count, char **texts);

#endif
