/* The output of `lockstep verify`: lines for people, JSON lines, JUnit XML, and how it ends. */
#ifndef LS_VERIFY_REPORT_H
#define LS_VERIFY_REPORT_H

#include "cli/common/command.h"
#include "cli/common/verify_file.h"

/* One file alone: what there is to say on stdout, the error on stderr. */
void ls_verify_print_alone(const char *path, const ls_verify_result *result);
/* One of several: a line, and those of what went wrong. */
void ls_verify_print(const char *path, const ls_verify_result *result);
/* A JSON object and the end of its line. */
void ls_verify_print_json(const char *path, const ls_verify_result *result);

typedef struct ls_verify_report {
    char *const *paths;
    const ls_verify_result *results;
    uint32_t count;
    uint64_t ns;     /* from the first start to the last end */
    const char *sim; /* of --sim; or NULL */
    const char *key; /* of --key; or NULL */
    bool requires_signed, is_strict;
} ls_verify_report;

void ls_verify_print_total(const ls_verify_report *report, bool is_json);
/* errors  IO: the file cannot be written */
ls_status ls_verify_write_junit(const ls_verify_report *report, const char *path,
                                ls_error *error) LS_MUST_USE;
/* The exit code of the worst file. From bad to less bad: diverged, corrupt, incompatible, refused,
 * not readable, not found. */
ls_exit ls_verify_exit(const ls_verify_report *report);

#endif
