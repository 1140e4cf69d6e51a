#include "cli/common/loop.h"

#include "cli/common/clock.h"
#include "core/base/platform.h"

static void wait_for(ls_link *link, uint64_t now_ns, uint64_t wake_ns)
{
    uint64_t left_ms = (wake_ns - now_ns) / LS_NS_PER_MS;
    if (left_ms >= LS_LOOP_WAIT_MS_MAX) {
        (void)ls_link_wait(link, LS_LOOP_WAIT_MS_MAX);
        return;
    }
    if (left_ms > 0 && ls_link_wait(link, (uint32_t)left_ms))
        return;
    now_ns = ls_monotonic_ns();
    if (wake_ns > now_ns && wake_ns - now_ns < LS_NS_PER_MS)
        ls_clock_sleep_until(wake_ns);
}

void ls_loop_sleep(ls_link *link, uint64_t sleep_ns, bool is_busy, uint64_t wake_ns)
{
    uint64_t now_ns = ls_monotonic_ns();
    if (wake_ns <= now_ns)
        return;
    ls_clock_sleep_until(wake_ns - now_ns < sleep_ns ? wake_ns : now_ns + sleep_ns);
    if (is_busy || wake_ns - now_ns <= sleep_ns)
        return;
    now_ns = ls_monotonic_ns();
    if (now_ns < wake_ns)
        wait_for(link, now_ns, wake_ns);
}

/* Takes at least LS_LOOP_SLEEP_NS, unless `wake_ns` is earlier: waking up costs more than handling
 * a packet, so under load several packets are taken at once. */
void ls_loop_wait(ls_link *link, uint64_t wake_ns)
{
    uint64_t now_ns = ls_monotonic_ns();
    if (wake_ns <= now_ns)
        return;
    uint64_t sleep_ns = now_ns + LS_LOOP_SLEEP_NS;
    if (sleep_ns > wake_ns)
        sleep_ns = wake_ns;
    wait_for(link, now_ns, wake_ns);
    if (ls_monotonic_ns() < sleep_ns)
        ls_clock_sleep_until(sleep_ns);
}
