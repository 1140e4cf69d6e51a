#include "desync/explain_row.h"

#include <stdio.h>

const char *ls_explain_side_name(ls_explain_side side)
{
    static const char *const names[] = {"server", "client",  "neither",
                                        "failed", "crashed", "not run"};
    return names[side];
}

void ls_explain_row_name(const ls_explain_row *row, char *text, size_t bytes)
{
    switch (row->kind) {
    case LS_EXPLAIN_PLAIN:
        snprintf(text, bytes, row->number > 1 ? "serially, time %u" : "serially", row->number);
        break;
    case LS_EXPLAIN_THREADS:
        snprintf(text, bytes, "on %u threads", row->number);
        break;
    case LS_EXPLAIN_SHUFFLE:
        snprintf(text, bytes, "shuffled, seed %u", row->number);
        break;
    case LS_EXPLAIN_ROUND_TRIP:
        snprintf(text, bytes, "through bytes each tick");
        break;
    case LS_EXPLAIN_LATE:
        snprintf(text, bytes, "joined %u tick%s before", row->number, row->number == 1 ? "" : "s");
        break;
    case LS_EXPLAIN_START:
        snprintf(text, bytes, row->number ? "from the file's start" : "from the start");
        break;
    case LS_EXPLAIN_PLACES:
        snprintf(text, bytes, "at other addresses, %u", row->number);
        break;
    case LS_EXPLAIN_HEAP:
        snprintf(text, bytes, "heap filled with %02x", row->number);
        break;
    case LS_EXPLAIN_HEAP_NOISE:
        snprintf(text, bytes, "heap of noise %02x", row->number);
        break;
    case LS_EXPLAIN_STACK:
        snprintf(text, bytes, "stack of noise %02x", row->number);
        break;
    case LS_EXPLAIN_REPEAT:
        snprintf(text, bytes, row->number > 2 ? "%u times in one process" : "twice in one process",
                 row->number);
        break;
    case LS_EXPLAIN_CHECK:
        snprintf(text, bytes, "check executor");
        break;
    case LS_EXPLAIN_OTHER:
        snprintf(text, bytes, "other build");
        break;
    case LS_EXPLAIN_KINDS:
        break;
    }
}
