#include "server/resend_timer.h"

#include "proto/rtt.h"
#include <lockstep/limits.h>

void ls_resend_timer_sent(ls_resend_timer *patience, uint64_t next, uint64_t now_ns)
{
    if (patience->next)
        return;
    patience->next = next;
    patience->since_ns = now_ns;
}

/* Who has more than what is timed may have lost that, and got it with a later tick. */
void ls_resend_timer_heard(ls_resend_timer *patience, uint64_t ack, uint64_t now_ns)
{
    if (!patience->next || ack < patience->next)
        return;
    uint64_t rtt_ns = now_ns - patience->since_ns;
    if (ack == patience->next)
        ls_rtt_smooth(&patience->rtt_ns, &patience->off_ns,
                      rtt_ns < LS_SERVER_RESEND_MAX_NS ? rtt_ns : LS_SERVER_RESEND_MAX_NS);
    patience->next = 0;
}

uint64_t ls_resend_timer_ns(const ls_resend_timer *patience)
{
    uint64_t ns = patience->rtt_ns + 4 * patience->off_ns;
    ns = ns > LS_SERVER_RESEND_NS ? ns : LS_SERVER_RESEND_NS;
    return ns < LS_SERVER_RESEND_MAX_NS ? ns : LS_SERVER_RESEND_MAX_NS;
}
