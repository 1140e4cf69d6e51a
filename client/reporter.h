/* Collects what a client measures, and reports it to the server every LS_CLIENT_REPORT_NS, for the
 * server's metrics.
 *   source  docs/protocol.md, REPORT */
#ifndef LS_REPORTER_H
#define LS_REPORTER_H

#include "client/connection.h"

/* Empty when zeroed. */
typedef struct ls_reporter {
    uint64_t sent_ns;    /* the last report, or the begin of the session */
    uint32_t order;      /* one order that is under way, by its number; 0: none is timed */
    uint64_t order_tick; /* the world's tick when that order was given */
    bool has_delay, predicts;
    uint64_t delay_max, rollback_max; /* since the last report, in ticks */
} ls_reporter;

/* Called for another session: the first report follows LS_CLIENT_REPORT_NS later. */
void ls_reporter_restart(ls_reporter *reporter, uint64_t now_ns);
/* An input was given while the world was at tick `from`, and takes effect in `tick`. */
void ls_reporter_note_delay(ls_reporter *reporter, uint64_t from, uint64_t tick);
/* An order was given while the world was at tick `from`; ls_reporter_note_executed() tells in which
 * tick it takes effect. `number` rises with each order. Only one order is timed at a time. */
void ls_reporter_note_order(ls_reporter *reporter, uint32_t number, uint64_t from);
void ls_reporter_note_executed(ls_reporter *reporter, uint32_t number, uint64_t tick);
/* The client predicts, and has rolled back this many ticks, or none. */
void ls_reporter_note_rollback(ls_reporter *reporter, uint64_t ticks);
/* Sends a report if one is due and the server accepts reports. */
void ls_reporter_run(ls_reporter *reporter, ls_connection *connection);

#endif
