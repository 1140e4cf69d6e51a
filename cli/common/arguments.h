/* Reads the arguments of a command by its tables. Options may be abbreviated and may follow other
 * arguments; `--` ends them. `-h`, `-?` and `--help` print the help. A mistyped option gets a
 * suggestion. */
#ifndef LS_ARGUMENTS_H
#define LS_ARGUMENTS_H

#include "cli/common/argument_config.h"

/* Reads all arguments into `options`, which already hold the defaults. Help, completion and an
 * option that prints all options end the process with 0, a wrong argument with LS_EXIT_USAGE.
 *   shape   texts[0] is the name of the command; the vector is reordered */
void ls_arguments_parse(const ls_arguments *arguments, int count, char **texts, void *options);

/* Puts the place of an option before an error that the command has found: a line of the file of
 * `config` or a variable, or nothing. */
void ls_arguments_locate(char text[LS_ERROR_TEXT_BYTES]);

/* About the command that was parsed last: whether the command line or the environment has a value
 * of the option, and ls_argument_settings_reread(). Another thread may call them. */
bool ls_arguments_outrank_config(const char *name);
ls_status ls_arguments_reread_config(ls_argument_reread take, void *context,
                                     ls_error *error) LS_MUST_USE;

/* The maximum of --timeout, the longest time without a finished tick, in seconds. The value is
 * stored as nanoseconds. */
#define LS_TIMEOUT_S_MAX 86400

#endif
