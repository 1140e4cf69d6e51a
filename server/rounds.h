/* The pace of the room: when the match begins, which ticks are due, how it ends. */
#ifndef LS_ROUNDS_H
#define LS_ROUNDS_H

#include "server/server_internal.h"

/* Begins when enough players are ready, and closes the ticks that are due: frame, recording,
 * broadcast, simulation, root. */
void ls_rounds_run(ls_server *server, uint64_t now_ns);
/* Sends un-acknowledged ticks again where no tick does it soon enough. */
void ls_rounds_repeat(ls_server *server, uint64_t now_ns);
/* No more ticks; writes the closing record. Nothing when it has ended before. */
void ls_rounds_end(ls_server *server, ls_closing_reason reason, uint64_t now_ns);
/* Tells the end to those who have everything, at last to all. */
void ls_rounds_farewell(ls_server *server, uint64_t now_ns);
/* When something is due next. */
uint64_t ls_rounds_next_ns(const ls_server *server, uint64_t now_ns);

#endif
