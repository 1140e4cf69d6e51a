/* The line that a running server prints every second: counts become rates here. */
#ifndef LS_METER_H
#define LS_METER_H

#include "cli/outlet.h"
#include "server/server.h"

typedef struct ls_meter {
    uint64_t start_ns; /* of this second */
    uint64_t busy_ns;  /* spent in steps */
    uint64_t busy_max_ns;
    uint64_t inputs;
    ls_server_stats before;
} ls_meter;

void ls_meter_start(ls_meter *meter, uint64_t now_ns, const ls_server *server);
/* One step of the network took so long. */
void ls_meter_add(ls_meter *meter, uint64_t step_ns);
/* When the next line is due. */
uint64_t ls_meter_due_ns(const ls_meter *meter);
/* Prints the line and starts the next second. */
void ls_meter_print(ls_meter *meter, uint64_t now_ns, const ls_server *server, ls_outlet *out);

#endif
