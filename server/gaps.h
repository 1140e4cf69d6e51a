/* Answers gap requests: clients that ask again for lost ticks. */
#ifndef LS_GAPS_H
#define LS_GAPS_H

#include "server/server_session.h"

/* Sends the part of the gap that the ring has and the budgets of session and server allow; the
 * client asks again for the rest. May end the session. */
void ls_gaps_answer(ls_server_session *session, const ls_update *update, uint64_t now_ns);

#endif
