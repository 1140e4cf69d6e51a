/* The measurements that the clients of a room report, for metrics. Each report counts once. */
#ifndef LS_CLIENT_TIMES_H
#define LS_CLIENT_TIMES_H

#include "core/base/histogram.h"
#include "proto/message.h"

/* Empty when zeroed. */
typedef struct ls_client_times {
    ls_histogram round_trip;  /* where it is known */
    ls_histogram loss;        /* of the server's packets: a second stands for all of them */
    ls_histogram input_delay; /* the longest of the time between two reports, if it gave inputs */
    ls_histogram rollback;    /* the deepest of that time, of clients that predict */
} ls_client_times;

void ls_client_times_add(ls_client_times *times, const ls_line_report *report, uint32_t tick_rate);

#endif
