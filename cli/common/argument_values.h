/* Reads the value of one option and stores it. Errors end the process. */
#ifndef LS_ARGUMENT_VALUES_H
#define LS_ARGUMENT_VALUES_H

#include "cli/common/argument_help.h"

struct ls_argument_state {
    const char *command; /* "lockstep run" */
    const ls_arguments *arguments;
    ls_argument_list list;
    char **texts;
    int count, next; /* number of the texts, index of the next one */
    /* Where the value was read, for errors: "FILE:LINE: ", "VARIABLE: ", or "" on the command
     * line. */
    char place[320];
    /* Puts the place of an option before an error: ls_arguments_locate(). NULL: all options are on
     * the command line. */
    void (*locate)(char text[LS_ERROR_TEXT_BYTES]);
};

/* Prints "COMMAND: text" on stderr and ends the process with LS_EXIT_USAGE. */
_Noreturn void ls_argument_fail(const ls_argument_state *state, const char *format, ...)
    __attribute__((format(LS_PRINTF_STYLE_, 2, 3)));

/* Returns a number from min to max; otherwise calls ls_argument_fail(). */
uint64_t ls_argument_number(const ls_argument_state *state, const char *name, const char *text,
                            uint64_t min, uint64_t max);

/* Checks a value without storing it: yes or no, a number or one of the choices. Other values are
 * not checked.
 *   errors  USAGE names the option */
ls_status ls_argument_check(const ls_argument *argument, const char *text,
                            ls_error *error) LS_MUST_USE;

/* Stores a value in the options of the entry; `text` is NULL for an option without one. */
void ls_argument_store(const ls_argument_state *state, const ls_argument_entry *entry, char *text);

/* Returns the option that is nearest to a mistyped one; NULL if none is near enough. */
const char *ls_argument_suggest(const ls_argument_list *list, const char *typed);

/* Reports an option that the command lacks, with the nearest one. */
_Noreturn void ls_argument_fail_unknown(const ls_argument_state *state, const char *name,
                                        size_t bytes);

#endif
