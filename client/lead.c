#include "client/lead.h"

#include "proto/message.h"

void ls_lead_init(ls_lead *lead, uint32_t tick_rate)
{
    *lead = (ls_lead){.ticks = LS_CLIENT_LEAD_START, .tick_ns = LS_SECOND_NS / tick_rate};
}

/* The slack is over one second, and the word about a state takes a round trip. */
static bool is_settled(const ls_lead *lead, uint64_t rtt_ns, uint64_t now_ns)
{
    return lead->raised_ns == 0 || now_ns - lead->raised_ns >= LS_SECOND_NS + rtt_ns;
}

static void raise_by(ls_lead *lead, uint64_t ticks, uint64_t now_ns)
{
    lead->ticks = ticks < LS_CLIENT_LEAD_MAX - lead->ticks ? lead->ticks + (uint32_t)ticks
                                                           : LS_CLIENT_LEAD_MAX;
    lead->raised_ns = now_ns;
    lead->early_ns = 0;
}

void ls_lead_hear(ls_lead *lead, int32_t slack_us, uint64_t rtt_ns, uint64_t now_ns)
{
    if (slack_us == LS_SLACK_NONE)
        return;
    if (slack_us < 0) {
        uint64_t late_ns = (uint64_t)(-(int64_t)slack_us) * 1000;
        lead->early_ns = 0;
        if (is_settled(lead, rtt_ns, now_ns))
            raise_by(lead, late_ns / lead->tick_ns + 1, now_ns);
        return;
    }
    /* One tick fewer must leave the margin still. */
    if ((uint64_t)slack_us * 1000 < lead->tick_ns + LS_CLIENT_LEAD_MARGIN_NS || lead->ticks == 1) {
        lead->early_ns = 0;
    } else if (lead->early_ns == 0) {
        lead->early_ns = now_ns;
    } else if (now_ns - lead->early_ns >= LS_CLIENT_LEAD_LOWER_NS &&
               is_settled(lead, rtt_ns, now_ns)) {
        lead->ticks--;
        lead->early_ns = now_ns;
    }
}

void ls_lead_hear_substitute(ls_lead *lead, uint64_t rtt_ns, uint64_t now_ns)
{
    lead->early_ns = 0;
    if (is_settled(lead, rtt_ns, now_ns))
        raise_by(lead, 1, now_ns);
}
