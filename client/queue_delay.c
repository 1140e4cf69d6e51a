#include "client/queue_delay.h"

static uint64_t min_of(uint64_t a, uint64_t b)
{
    return !b || (a && a < b) ? a : b;
}

void ls_queue_delay_note_base(ls_queue_delay *delay, uint64_t rtt_ns, uint64_t now_ns)
{
    if (now_ns - delay->since_ns >= LS_QUEUE_DELAY_PERIOD_NS) {
        delay->since_ns = now_ns;
        delay->base_ns[1] = delay->base_ns[0];
        delay->base_ns[0] = 0;
    }
    delay->base_ns[0] = min_of(rtt_ns, delay->base_ns[0]);
}

void ls_queue_delay_note(ls_queue_delay *delay, uint64_t rtt_ns, uint64_t now_ns)
{
    ls_queue_delay_note_base(delay, rtt_ns, now_ns);
    delay->recent_ns[delay->count++ % LS_QUEUE_DELAY_SAMPLES] = rtt_ns;
}

uint64_t ls_queue_delay_base_ns(const ls_queue_delay *delay)
{
    return min_of(delay->base_ns[0], delay->base_ns[1]);
}

uint64_t ls_queue_delay_ns(const ls_queue_delay *delay)
{
    uint64_t now_ns = 0, base_ns = ls_queue_delay_base_ns(delay);
    for (uint32_t i = 0; i < LS_QUEUE_DELAY_SAMPLES; i++)
        now_ns = min_of(delay->recent_ns[i], now_ns);
    return now_ns > base_ns ? now_ns - base_ns : 0;
}

uint64_t ls_queue_delay_target_ns(const ls_queue_delay *delay)
{
    uint64_t target_ns = ls_queue_delay_base_ns(delay) / 8;
    return target_ns > LS_QUEUE_DELAY_TARGET_MIN_NS ? target_ns : LS_QUEUE_DELAY_TARGET_MIN_NS;
}
