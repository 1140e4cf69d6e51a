/* The measurements that the clients of a room report, for metrics. Each report counts once. */
#ifndef LS_CLIENT_TIMES_H
#define LS_CLIENT_TIMES_H

#include "core/base/histogram.h"
#include "proto/message.h"

/* Losses, counted in buckets of up to these bounds in thousandths: 1, 2, 5, 10 and so on to 1000.
 */
#define LS_CLIENT_LOSSES 10
extern const uint16_t ls_client_losses_permille[LS_CLIENT_LOSSES];
typedef struct ls_client_loss {
    uint64_t buckets[LS_CLIENT_LOSSES], sum_permille;
} ls_client_loss;

/* Empty when zeroed. */
typedef struct ls_client_times {
    ls_histogram round_trip;  /* not added while it is unknown */
    ls_client_loss loss;      /* of the server's packets */
    ls_histogram input_delay; /* the longest since the report before; none without inputs */
    ls_histogram rollback; /* the deepest since the report before; only of a client that predicts */
} ls_client_times;

void ls_client_times_add(ls_client_times *times, const ls_line_report *report, uint32_t tick_rate);

#endif
