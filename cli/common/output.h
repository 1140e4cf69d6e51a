/* A file that a user asked for, or stdout. A failed write is an error that names the
 * file; for stdout main() looks at the end. */
#ifndef LS_OUTPUT_H
#define LS_OUTPUT_H

#include "core/base/builder.h"

#include <stdio.h>

/* NULL for the path is stdout.
 *   errors  IO: the path and why */
ls_status ls_output_open(const char *path, FILE **file, ls_error *error) LS_MUST_USE;
/* Writes what is left, and closes all but stdout.
 *   errors  IO: what is there is incomplete, for instance because the disk is full */
ls_status ls_output_close(const char *path, FILE *file, ls_error *error) LS_MUST_USE;
/* All of `text`, opened and closed. */
ls_status ls_output_write(const char *path, const ls_builder *text, ls_error *error) LS_MUST_USE;

#endif
