#include "client/input_delay.h"

#include "proto/message.h"

void ls_input_delay_init(ls_input_delay *lead, uint32_t tick_rate)
{
    *lead = (ls_input_delay){
        .ticks = LS_CLIENT_LEAD_START, .tick_ns = LS_SECOND_NS / tick_rate, .nearest = UINT64_MAX};
}

/* They do not all come early, or it begins anew to be so. */
static void wait_anew(ls_input_delay *lead)
{
    lead->early_ns = 0;
    lead->nearest = UINT64_MAX;
}

void ls_input_delay_note(ls_input_delay *lead, uint64_t ticks)
{
    if (ticks >= lead->nearest)
        return;
    if (lead->nearest != UINT64_MAX)
        lead->early_ns = 0; /* no slack tells of it yet */
    lead->nearest = ticks;
}

/* The word about a state takes a round trip, and tells the worst of so long. */
static bool is_settled(const ls_input_delay *lead, uint64_t told_ns, uint64_t rtt_ns,
                       uint64_t now_ns)
{
    return lead->raised_ns == 0 || now_ns - lead->raised_ns >= told_ns + rtt_ns;
}

static void raise_by(ls_input_delay *lead, uint64_t ticks, uint64_t now_ns)
{
    lead->ticks = ticks < LS_CLIENT_LEAD_MAX - lead->ticks ? lead->ticks + (uint32_t)ticks
                                                           : LS_CLIENT_LEAD_MAX;
    lead->raised_ns = now_ns;
    wait_anew(lead);
}

/* What was said before an outage and came behind it says nothing of the line, and no lead would
 * have helped. */
static void hear_late(ls_input_delay *lead, uint64_t late_ns, uint64_t rtt_ns, uint64_t now_ns)
{
    wait_anew(lead);
    if (late_ns <= rtt_ns + LS_CLIENT_LEAD_LATE_NS &&
        is_settled(lead, LS_CLIENT_LEAD_TOLD_NS, rtt_ns, now_ns))
        raise_by(lead, late_ns / lead->tick_ns + 1, now_ns);
}

/* States that came early because they were said further ahead than the lead asks for do not say
 * that it is too high. */
static uint64_t too_high_by(const ls_input_delay *lead)
{
    uint64_t further = lead->nearest > lead->ticks ? lead->nearest - lead->ticks : 0;
    uint64_t ticks = lead->spare_ns / lead->tick_ns;
    ticks -= further < ticks ? further : ticks;
    return ticks < lead->ticks ? ticks : lead->ticks - 1;
}

/* Until the lowered lead shows in the slack, so many ticks have their state already. */
static void lower(ls_input_delay *lead, uint64_t rtt_ns, uint64_t now_ns)
{
    uint64_t ticks = too_high_by(lead);
    wait_anew(lead);
    if (!ticks)
        return;
    lead->ticks -= (uint32_t)ticks;
    lead->early_ns = now_ns + ticks * lead->tick_ns + rtt_ns;
    lead->spare_ns = UINT64_MAX;
}

void ls_input_delay_hear(ls_input_delay *lead, int32_t slack_us, uint64_t rtt_ns, uint64_t now_ns)
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
        wait_anew(lead);
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

void ls_input_delay_hear_substitute(ls_input_delay *lead, uint64_t rtt_ns, uint64_t now_ns)
{
    wait_anew(lead);
    if (is_settled(lead, LS_SECOND_NS, rtt_ns, now_ns))
        raise_by(lead, 1, now_ns);
}
