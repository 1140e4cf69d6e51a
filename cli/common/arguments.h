/* Reads a command's arguments: argp with `-h`, a proposal for a mistyped option, and a help that
 * contains only the command's own text. */
#ifndef LS_ARGUMENTS_H
#define LS_ARGUMENTS_H

#include <argp.h>

/* Parses all arguments. Help ends the process with 0, a wrong argument with LS_EXIT_USAGE.
 *   argp   has no help filter, and at most LS_ARGUMENTS_CHILDREN_MAX children
 *   input  of argp's parser */
#define LS_ARGUMENTS_CHILDREN_MAX 4
void ls_arguments_parse(const struct argp *argp, int count, char **arguments, void *input);

#endif
