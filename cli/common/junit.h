/* Writes the results of a command as JUnit XML, which CI systems display. */
#ifndef LS_JUNIT_H
#define LS_JUNIT_H

#include "core/base/builder.h"

typedef enum ls_junit_result {
    LS_JUNIT_GOOD,
    LS_JUNIT_FAILED, /* the tested thing is wrong */
    LS_JUNIT_ERROR,  /* it could not be tested */
    LS_JUNIT_SKIPPED,
} ls_junit_result;

typedef struct ls_junit_case {
    const char *group; /* viewers group cases by it: the simulation, a folder */
    const char *name;
    uint64_t ns;
    ls_junit_result result;
    const char *text; /* why the case is not good; the first line is the summary */
    const char *note; /* a remark on a good case; or NULL */
} ls_junit_case;

/* Adds the whole document, with one suite. Bytes that XML cannot hold become '?'. */
void ls_junit_add(ls_builder *text, const char *suite, const ls_junit_case *cases, uint32_t count);

#endif
