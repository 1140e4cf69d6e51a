/* The work of a process of `lockstep explain`. */
#ifndef LS_EXPLAIN_ORDER_H
#define LS_EXPLAIN_ORDER_H

#include "cli/explain/explain_case.h"
#include "desync/diagnosis.h"

/* The result that a row's process is asked for. */
typedef enum ls_explain_output {
    LS_EXPLAIN_ROOT = 0, /* an ls_explain_row with the result */
    LS_EXPLAIN_STATE,    /* the state before `tick`, encoded */
    LS_EXPLAIN_WHERE,    /* the text of ls_explain_where_find() */
} ls_explain_output;

typedef struct ls_explain_order {
    ls_explain_config config; /* of the process; its `progress` and `shows_progress` are not used */
    ls_explain_output output;
    ls_explain_row row; /* only kind, number and from are used */
    uint64_t tick;
} ls_explain_order;

/* The size of an order's text, which leaves out its config. */
#define LS_EXPLAIN_ORDER_BYTES 96
void ls_explain_order_print(const ls_explain_order *order, char text[LS_EXPLAIN_ORDER_BYTES]);
bool ls_explain_order_parse(const char *text, ls_explain_order *order) LS_MUST_USE;

#endif
