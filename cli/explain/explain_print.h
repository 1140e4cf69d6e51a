/* Prints the output of `lockstep explain`: lines while it works, or one JSON object at the end. */
#ifndef LS_EXPLAIN_PRINT_H
#define LS_EXPLAIN_PRINT_H

#include "cli/explain/explain_case.h"
#include "core/base/builder.h"
#include "desync/diagnosis.h"

/* The ctest case that --to-test made. */
typedef struct ls_explain_test {
    bool is_there;
    char name[128];
    char list[512]; /* the path of the CMakeLists.txt with the case */
    bool needs_match;
    bool passes;   /* the case passes here although the fault is still there */
    char why[512]; /* if it passes: what it does not detect, and what would make it fail */
} ls_explain_test;

typedef struct ls_explain_result {
    const ls_explain_case *subject;
    uint64_t server_root;
    bool has_client;
    uint64_t client_root;
    const ls_explain_row *rows;
    uint32_t row_count;
    ls_diagnosis diagnosis;
    const char *where;      /* the found place, in lines; "": not searched, or not found */
    const char *where_json; /* `where` as one JSON object; or NULL */
    ls_error why;           /* why there is no `where` */
    ls_error doubt;         /* what contradicts `where`; or empty */
    bool is_json;           /* print nothing but the JSON */
    ls_explain_test test;
} ls_explain_result;

void ls_explain_print_head(const ls_explain_result *result);
void ls_explain_print_row(const ls_explain_result *result, const ls_explain_row *row);
/* Adds the place of a crash in the form of ls_result_pack(); it is printed instead of the place of
 * a store. */
void ls_explain_print_crash(const ls_crash *crash, ls_builder *text);
/* Prints the result of --agree; `odd` is the first row that does not agree, or NULL. */
void ls_explain_print_agreement(const ls_explain_result *result, const ls_explain_row *odd);
void ls_explain_print_end(const ls_explain_result *result);
void ls_explain_print_json(const ls_explain_result *result, ls_builder *text);

#endif
