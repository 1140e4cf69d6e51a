#include "client/input_delay.h"

#include "proto/message.h"

void ls_input_delay_init(ls_input_delay *delay, uint32_t tick_rate)
{
    *delay = (ls_input_delay){.ticks = LS_CLIENT_INPUT_DELAY_START,
                              .tick_ns = LS_SECOND_NS / tick_rate,
                              .nearest = UINT64_MAX};
}

/* Begins a new measurement: states must again be early for LS_CLIENT_INPUT_DELAY_LOWER_NS before
 * the delay falls. */
static void restart(ls_input_delay *delay)
{
    delay->early_ns = 0;
    delay->nearest = UINT64_MAX;
}

void ls_input_delay_note_state(ls_input_delay *delay, uint64_t ticks)
{
    if (ticks >= delay->nearest)
        return;
    if (delay->nearest != UINT64_MAX)
        delay->early_ns = 0; /* no slack has been reported for it yet */
    delay->nearest = ticks;
}

/* Whether reports now describe only states from after the last raise. A report comes a round trip
 * after its states and covers the last `report_ns`. */
static bool is_settled(const ls_input_delay *delay, uint64_t report_ns, uint64_t rtt_ns,
                       uint64_t now_ns)
{
    return delay->raised_ns == 0 || now_ns - delay->raised_ns >= report_ns + rtt_ns;
}

static void raise_by(ls_input_delay *delay, uint64_t ticks, uint64_t now_ns)
{
    delay->ticks = ticks < LS_CLIENT_INPUT_DELAY_MAX - delay->ticks ? delay->ticks + (uint32_t)ticks
                                                                    : LS_CLIENT_INPUT_DELAY_MAX;
    delay->raised_ns = now_ns;
    restart(delay);
}

/* Raises the delay after a late state. A state delayed by an outage is ignored: it does not
 * describe the line, and no input delay would have helped. */
static void note_late(ls_input_delay *delay, uint64_t late_ns, uint64_t rtt_ns, uint64_t now_ns)
{
    restart(delay);
    if (is_settled(delay, LS_CLIENT_INPUT_DELAY_REPORT_NS, rtt_ns, now_ns))
        delay->reported = delay->ticks;
    uint64_t ticks = delay->reported + late_ns / delay->tick_ns + 1;
    if (late_ns <= rtt_ns + LS_CLIENT_INPUT_DELAY_LATE_NS && ticks > delay->ticks)
        raise_by(delay, ticks - delay->ticks, now_ns);
}

/* Returns by how many ticks the delay can fall. If states were submitted further ahead than the
 * delay requires, their slack is reduced by the difference. */
static uint64_t too_high_by(const ls_input_delay *delay)
{
    uint64_t further = delay->nearest > delay->ticks ? delay->nearest - delay->ticks : 0;
    uint64_t ticks = delay->spare_ns / delay->tick_ns;
    ticks -= further < ticks ? further : ticks;
    return ticks < delay->ticks ? ticks : delay->ticks - 1;
}

/* Lowers the delay. The next ticks already have their states, so the slack shows the change only
 * after them; early_ns is set to that time. */
static void lower(ls_input_delay *delay, uint64_t rtt_ns, uint64_t now_ns)
{
    uint64_t ticks = too_high_by(delay);
    restart(delay);
    if (!ticks)
        return;
    delay->ticks -= (uint32_t)ticks;
    delay->early_ns = now_ns + ticks * delay->tick_ns + rtt_ns;
    delay->spare_ns = UINT64_MAX;
}

void ls_input_delay_note_slack(ls_input_delay *delay, int32_t slack_us, uint64_t rtt_ns,
                               uint64_t now_ns)
{
    if (slack_us == LS_SLACK_NONE)
        return;
    if (slack_us < 0) {
        note_late(delay, (uint64_t)(-(int64_t)slack_us) * 1000, rtt_ns, now_ns);
        return;
    }
    uint64_t slack_ns = (uint64_t)slack_us * 1000;
    /* The slack must cover the margin even with one tick less of delay. */
    if (slack_ns < delay->tick_ns + LS_CLIENT_INPUT_DELAY_MARGIN_NS || delay->ticks == 1) {
        restart(delay);
        return;
    }
    uint64_t spare_ns = slack_ns - LS_CLIENT_INPUT_DELAY_MARGIN_NS;
    if (delay->early_ns == 0) {
        delay->early_ns = now_ns;
        delay->spare_ns = spare_ns;
    }
    if (spare_ns < delay->spare_ns)
        delay->spare_ns = spare_ns;
    if (now_ns >= delay->early_ns + LS_CLIENT_INPUT_DELAY_LOWER_NS &&
        is_settled(delay, LS_CLIENT_INPUT_DELAY_REPORT_NS, rtt_ns, now_ns))
        lower(delay, rtt_ns, now_ns);
}

void ls_input_delay_note_substitute(ls_input_delay *delay, uint64_t rtt_ns, uint64_t now_ns)
{
    restart(delay);
    if (!is_settled(delay, LS_SECOND_NS, rtt_ns, now_ns))
        return;
    if (is_settled(delay, LS_CLIENT_INPUT_DELAY_REPORT_NS, rtt_ns, now_ns))
        delay->reported = delay->ticks;
    raise_by(delay, 1, now_ns);
}
