/* Reads the arguments of a command by its tables. Options may be abbreviated and may follow other
 * arguments; `--` ends them. `-h`, `-?` and `--help` print the help. A mistyped option gets a
 * suggestion. */
#ifndef LS_ARGUMENTS_H
#define LS_ARGUMENTS_H

#include "cli/common/argument_table.h"

/* Reads all arguments into `options`, which already hold the defaults. Help ends the process with
 * 0, a wrong argument with LS_EXIT_USAGE.
 *   shape   texts[0] is the name of the command; the vector is reordered */
void ls_arguments_parse(const ls_arguments *arguments, int count, char **texts, void *options);

/* Prints "COMMAND: text" on stderr and ends the process with LS_EXIT_USAGE. */
_Noreturn void ls_argument_fail(const ls_argument_state *state, const char *format, ...)
    __attribute__((format(LS_PRINTF_STYLE_, 2, 3)));

/* Returns a number from min to max; otherwise calls ls_argument_fail(). */
uint64_t ls_argument_number(const ls_argument_state *state, const char *name, const char *text,
                            uint64_t min, uint64_t max);

/* --timeout: the longest time without a finished tick, in seconds; stored as nanoseconds. */
#define LS_TIMEOUT_S_MAX 86400

#endif
