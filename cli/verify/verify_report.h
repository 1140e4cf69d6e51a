/* Prints the output of `lockstep verify`: lines for people, JSON lines, JUnit XML, and the exit
 * code. */
#ifndef LS_VERIFY_REPORT_H
#define LS_VERIFY_REPORT_H

#include "cli/common/command.h"
#include "cli/common/verify_file.h"

/* For a single file: prints the result on stdout, and an error on stderr. */
void ls_verify_print_alone(const char *path, const ls_verify_result *result);
/* For one of several files: prints a line, and further lines about what went wrong. */
void ls_verify_print(const char *path, const ls_verify_result *result);
/* Prints a JSON object and a newline. */
void ls_verify_print_json(const char *path, const ls_verify_result *result);

typedef struct ls_verify_report {
    const char *const *names; /* paths or URLs */
    const ls_verify_result *results;
    uint32_t count;
    uint64_t ns;     /* from the first start to the last end */
    const char *sim; /* the argument of --sim; or NULL */
    const char *key; /* the argument of --key; or NULL */
    bool requires_signed, is_strict;
} ls_verify_report;

void ls_verify_print_total(const ls_verify_report *report, bool is_json);
/* Writes the results as JUnit XML.
 *   errors  IO: the file cannot be written */
ls_status ls_verify_write_junit(const ls_verify_report *report, const char *path,
                                ls_error *error) LS_MUST_USE;
/* Returns the exit code of the worst file. From the worst: diverged, corrupt, incompatible,
 * refused, not readable, not found. */
ls_exit ls_verify_exit(const ls_verify_report *report);

#endif
