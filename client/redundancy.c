#include "client/redundancy.h"

static uint64_t longest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void judge(ls_redundancy *redundancy, const ls_queue_delay *line, uint64_t now_ns)
{
    uint64_t least_ns = ls_queue_delay_least_ns(line);
    uint64_t target_ns = ls_queue_delay_target_ns(line);
    uint64_t wait_ns = redundancy->least_ns > least_ns ? redundancy->least_ns - least_ns : 0;
    if (wait_ns > target_ns)
        redundancy->calm_ns = now_ns;
    if (wait_ns > longest(least_ns, 2 * target_ns))
        redundancy->withheld = LS_WITHHELD_MAX;
    else if (wait_ns > 2 * target_ns)
        redundancy->withheld += redundancy->withheld < LS_WITHHELD_MAX;
    else if (redundancy->withheld && now_ns - redundancy->calm_ns >= LS_REDUNDANCY_CALM_NS) {
        redundancy->withheld--;
        redundancy->calm_ns = now_ns;
    }
}

void ls_redundancy_note(ls_redundancy *redundancy, const ls_queue_delay *line, uint64_t rtt_ns,
                        uint64_t now_ns)
{
    if (!redundancy->least_ns || rtt_ns < redundancy->least_ns)
        redundancy->least_ns = rtt_ns;
    uint64_t round_ns = longest(2 * ls_queue_delay_least_ns(line), LS_REDUNDANCY_ROUND_NS);
    if (now_ns - redundancy->round_ns < round_ns)
        return;
    judge(redundancy, line, now_ns);
    redundancy->round_ns = now_ns;
    redundancy->least_ns = 0;
}
