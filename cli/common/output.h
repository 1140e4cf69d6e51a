/* Output to a file that a user named, or to stdout. A failed write is an error that names the file;
 * main() checks stdout at the end. */
#ifndef LS_OUTPUT_H
#define LS_OUTPUT_H

#include "core/base/builder.h"

#include <stdio.h>

/* Opens the file; a path of NULL means stdout.
 *   errors  IO, with the path and the reason */
ls_status ls_output_open(const char *path, FILE **file, ls_error *error) LS_MUST_USE;
/* Flushes and closes the file, unless it is stdout.
 *   errors  IO: the file is incomplete, for instance because the disk is full */
ls_status ls_output_close(const char *path, FILE *file, ls_error *error) LS_MUST_USE;
/* Opens the file, writes all of `text` and closes it. */
ls_status ls_output_write(const char *path, const ls_builder *text, ls_error *error) LS_MUST_USE;

#endif
