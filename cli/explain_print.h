/* What `lockstep explain` prints: lines while it works, or one JSON object at its end. */
#ifndef LS_EXPLAIN_PRINT_H
#define LS_EXPLAIN_PRINT_H

#include "cli/explain_case.h"
#include "core/builder.h"
#include "desync/diagnosis.h"

typedef struct ls_explain_result {
    const ls_explain_case *the;
    uint64_t server_root;
    bool has_client;
    uint64_t client_root;
    const ls_explain_row *rows;
    uint32_t row_count;
    ls_diagnosis diagnosis;
    const char *where;      /* lines; "": nobody looked, or in vain: */
    const char *where_json; /* one object, or NULL */
    ls_error why;           /* there is no `where` */
    bool is_json;           /* no other lines */
} ls_explain_result;

void ls_explain_print_head(const ls_explain_result *result);
void ls_explain_print_row(const ls_explain_row *row);
void ls_explain_print_end(const ls_explain_result *result);
void ls_explain_print_json(const ls_explain_result *result, ls_builder *text);

#endif
