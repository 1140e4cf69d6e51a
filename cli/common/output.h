/* Output to a file that a user named, or to stdout. A failed write is an error that names the file;
 * for stdout main() checks at the end. */
#ifndef LS_OUTPUT_H
#define LS_OUTPUT_H

#include "core/base/builder.h"

#include <stdio.h>

/* NULL for the path is stdout.
 *   errors  IO: the path and why */
ls_status ls_output_open(const char *path, FILE **file, ls_error *error) LS_MUST_USE;
/* Flushes, and closes any file but stdout.
 *   errors  IO: the file is incomplete, for instance because the disk is full */
ls_status ls_output_close(const char *path, FILE *file, ls_error *error) LS_MUST_USE;
/* All of `text`, opened and closed. */
ls_status ls_output_write(const char *path, const ls_builder *text, ls_error *error) LS_MUST_USE;

#endif
