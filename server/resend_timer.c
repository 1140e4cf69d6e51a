#include "server/resend_timer.h"

#include "proto/rtt.h"
#include <lockstep/limits.h>

void ls_resend_timer_sent(ls_resend_timer *timer, uint64_t next, uint64_t now_ns)
{
    if (timer->next)
        return;
    timer->next = next;
    timer->since_ns = now_ns;
}

/* An ACK above the timed tick gives no sample: the timed packet may have been lost and a later one
 * delivered. */
void ls_resend_timer_acked(ls_resend_timer *timer, uint64_t ack, uint64_t arrived_ns)
{
    if (!timer->next || ack < timer->next)
        return;
    uint64_t sample_ns = arrived_ns > timer->since_ns ? arrived_ns - timer->since_ns : 0;
    if (ack == timer->next)
        ls_rtt_smooth(&timer->mean_ns, &timer->off_ns,
                      sample_ns < LS_SERVER_RESEND_MAX_NS ? sample_ns : LS_SERVER_RESEND_MAX_NS);
    timer->next = 0;
}

uint64_t ls_resend_timer_ns(const ls_resend_timer *timer)
{
    uint64_t ns = timer->mean_ns + 4 * timer->off_ns;
    ns = ns > LS_SERVER_RESEND_NS ? ns : LS_SERVER_RESEND_NS;
    return ns < LS_SERVER_RESEND_MAX_NS ? ns : LS_SERVER_RESEND_MAX_NS;
}
