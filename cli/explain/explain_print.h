/* The output of `lockstep explain`: lines while it works, or one JSON object at its end. */
#ifndef LS_EXPLAIN_PRINT_H
#define LS_EXPLAIN_PRINT_H

#include "cli/explain/explain_case.h"
#include "core/base/builder.h"
#include "desync/diagnosis.h"

/* The case that --to-test made. */
typedef struct ls_explain_test {
    bool is_there;
    char name[128];
    char list[512]; /* the file that has it */
    bool needs_match;
    bool passes;   /* here and now, though nothing is mended; */
    char why[512]; /* then what it cannot see, and what would make it fail */
} ls_explain_test;

typedef struct ls_explain_result {
    const ls_explain_case *the;
    uint64_t server_root;
    bool has_client;
    uint64_t client_root;
    const ls_explain_row *rows;
    uint32_t row_count;
    ls_diagnosis diagnosis;
    const char *where;      /* lines; "": no search ran, or in vain: */
    const char *where_json; /* one object, or NULL */
    ls_error why;           /* there is no `where` */
    ls_error doubt;         /* what speaks against `where`; or empty */
    bool is_json;           /* no other lines */
    ls_explain_test test;
} ls_explain_result;

void ls_explain_print_head(const ls_explain_result *result);
void ls_explain_print_row(const ls_explain_result *result, const ls_explain_row *row);
/* Where it crashed, as ls_result_pack() gives it: this takes the place of a store. */
void ls_explain_print_crash(const ls_crash *crash, ls_builder *text);
/* The result of --agree; `odd`: the first run that does not agree, or NULL. */
void ls_explain_print_agreement(const ls_explain_result *result, const ls_explain_row *odd);
void ls_explain_print_end(const ls_explain_result *result);
void ls_explain_print_json(const ls_explain_result *result, ls_builder *text);

#endif
