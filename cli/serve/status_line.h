/* The line that a running server prints every second. Turns counts into rates. */
#ifndef LS_STATUS_LINE_H
#define LS_STATUS_LINE_H

#include "cli/common/async_writer.h"
#include <lockstep/server.h>

typedef struct ls_status_line {
    uint64_t start_ns; /* begin of the present second */
    uint64_t cpu_ns;   /* CPU time of the process at start_ns */
    uint64_t step_max_ns;
    uint64_t inputs;
    ls_server_stats before;
} ls_status_line;

void ls_status_line_start(ls_status_line *meter, uint64_t now_ns, const ls_server *server);
/* Adds the time that one step of the network took. */
void ls_status_line_add(ls_status_line *meter, uint64_t step_ns);
/* Returns when the next line is due. */
uint64_t ls_status_line_due_ns(const ls_status_line *meter);
/* Prints the line and starts the next second. */
void ls_status_line_print(ls_status_line *meter, uint64_t now_ns, const ls_server *server,
                          ls_async_writer *out);

#endif
