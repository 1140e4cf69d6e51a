#include "cli/explain/explain_order.h"

#include <inttypes.h>
#include <stdio.h>

void ls_explain_order_print(const ls_explain_order *order, char text[LS_EXPLAIN_ORDER_BYTES])
{
    snprintf(text, LS_EXPLAIN_ORDER_BYTES, "%u:%u:%u:%" PRIu64 ":%" PRIu64, (unsigned)order->output,
             (unsigned)order->row.kind, order->row.number, order->row.from, order->tick);
}

bool ls_explain_order_parse(const char *text, ls_explain_order *order)
{
    unsigned output, kind, number;
    char more;
    order->row = (ls_explain_row){0};
    if (sscanf(text, "%u:%u:%u:%" SCNu64 ":%" SCNu64 "%c", &output, &kind, &number,
               &order->row.from, &order->tick, &more) != 5 ||
        kind >= LS_EXPLAIN_KINDS || output > LS_EXPLAIN_WHERE)
        return false;
    order->output = (ls_explain_output)output;
    order->row.kind = (ls_explain_kind)kind;
    order->row.number = number;
    return true;
}
