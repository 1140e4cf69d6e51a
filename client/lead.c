#include "client/lead.h"

#include "proto/message.h"

void ls_lead_init(ls_lead *lead, uint32_t tick_rate)
{
    *lead = (ls_lead){.ticks = LS_CLIENT_LEAD_START, .tick_ns = LS_SECOND_NS / tick_rate};
}

/* The word about a state takes a round trip, and tells the worst of so long. */
static bool is_settled(const ls_lead *lead, uint64_t told_ns, uint64_t rtt_ns, uint64_t now_ns)
{
    return lead->raised_ns == 0 || now_ns - lead->raised_ns >= told_ns + rtt_ns;
}

static void raise_by(ls_lead *lead, uint64_t ticks, uint64_t now_ns)
{
    lead->ticks = ticks < LS_CLIENT_LEAD_MAX - lead->ticks ? lead->ticks + (uint32_t)ticks
                                                           : LS_CLIENT_LEAD_MAX;
    lead->raised_ns = now_ns;
    lead->early_ns = 0;
}

/* What was said before an outage and came behind it says nothing of the line, and no lead would
 * have helped. */
static void hear_late(ls_lead *lead, uint64_t late_ns, uint64_t rtt_ns, uint64_t now_ns)
{
    lead->early_ns = 0;
    if (late_ns <= rtt_ns + LS_CLIENT_LEAD_LATE_NS &&
        is_settled(lead, LS_CLIENT_LEAD_TOLD_NS, rtt_ns, now_ns))
        raise_by(lead, late_ns / lead->tick_ns + 1, now_ns);
}

/* Until the lowered lead shows in the slack, so many ticks have their state already. */
static void lower(ls_lead *lead, uint64_t rtt_ns, uint64_t now_ns)
{
    uint64_t ticks = lead->spare_ns / lead->tick_ns;
    if (ticks > lead->ticks - 1)
        ticks = lead->ticks - 1;
    lead->ticks -= (uint32_t)ticks;
    lead->early_ns = now_ns + ticks * lead->tick_ns + rtt_ns;
    lead->spare_ns = UINT64_MAX;
}

void ls_lead_hear(ls_lead *lead, int32_t slack_us, uint64_t rtt_ns, uint64_t now_ns)
{
    if (slack_us == LS_SLACK_NONE)
        return;
    if (slack_us < 0) {
        hear_late(lead, (uint64_t)(-(int64_t)slack_us) * 1000, rtt_ns, now_ns);
        return;
    }
    uint64_t slack_ns = (uint64_t)slack_us * 1000;
    /* One tick fewer must leave the margin still. */
    if (slack_ns < lead->tick_ns + LS_CLIENT_LEAD_MARGIN_NS || lead->ticks == 1) {
        lead->early_ns = 0;
        return;
    }
    uint64_t spare_ns = slack_ns - LS_CLIENT_LEAD_MARGIN_NS;
    if (lead->early_ns == 0) {
        lead->early_ns = now_ns;
        lead->spare_ns = spare_ns;
    }
    if (spare_ns < lead->spare_ns)
        lead->spare_ns = spare_ns;
    if (now_ns >= lead->early_ns + LS_CLIENT_LEAD_LOWER_NS &&
        is_settled(lead, LS_CLIENT_LEAD_TOLD_NS, rtt_ns, now_ns))
        lower(lead, rtt_ns, now_ns);
}

void ls_lead_hear_substitute(ls_lead *lead, uint64_t rtt_ns, uint64_t now_ns)
{
    lead->early_ns = 0;
    if (is_settled(lead, LS_SECOND_NS, rtt_ns, now_ns))
        raise_by(lead, 1, now_ns);
}
