/* Ticks that a client lacks and asks for again. */
#ifndef LS_GAPS_H
#define LS_GAPS_H

#include "server/session.h"

/* Sends of the gap what the ring has and the budgets of the session and of all sessions allow; the
 * client asks again for the rest. May end the session. */
void ls_gaps_answer(ls_session *session, const ls_update *update, uint64_t now_ns);

#endif
