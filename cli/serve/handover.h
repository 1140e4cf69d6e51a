/* `lockstep admin drain --successor`: hands the rooms of this server over to another process, one
 * after the other. A room that cannot be handed over is played to its end here; if the other
 * process does not take a room, this process takes the room back and goes on.
 *   thread  that of the server */
#ifndef LS_HANDOVER_H
#define LS_HANDOVER_H

#include "cli/serve/rooms.h"
#include "cli/serve/successor.h"

typedef struct ls_handover ls_handover;

/* How far the last handover is, for `lockstep admin drain`, which waits for its end. */
typedef struct ls_handover_news {
    char state[24]; /* "" before the first; begins, waits, done or failed */
    char reason[LS_REASON_BYTES];
    uint32_t moved; /* matches */
} ls_handover_news;

/* owns  server and rooms outlive it */
ls_handover *ls_handover_create(ls_server *server, ls_rooms *rooms, ls_log *log);
void ls_handover_destroy(ls_handover *handover); /* NULL is allowed */

/* Begins a handover. Owns the successor's socket from now on, also after an error.
 *   errors  REFUSED: a handover is under way, or the server is ending */
ls_status ls_handover_begin(ls_handover *handover, const ls_successor *successor,
                            ls_error *error) LS_MUST_USE;
const ls_handover_news *ls_handover_get_news(const ls_handover *handover);
/* Call it before each step of the server. True while a match waits for the other process: call it
 * again soon. */
bool ls_handover_step(ls_handover *handover, uint64_t now_ns);

#endif
