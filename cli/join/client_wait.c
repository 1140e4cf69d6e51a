#include "cli/join/client_wait.h"

#include "cli/common/clock.h"
#include "cli/common/loop.h"

static bool look(ls_socket_set *links, uint64_t timeout_ns, uint8_t *flags)
{
    uint64_t timeout_ms = timeout_ns / LS_NS_PER_MS;
    if (timeout_ms > LS_LOOP_WAIT_MS_MAX)
        timeout_ms = LS_LOOP_WAIT_MS_MAX;
    return ls_socket_set_look(links, (uint32_t)timeout_ms, flags);
}

void ls_client_wait_for(ls_socket_set *links, uint64_t wake_ns, uint8_t *flags)
{
    uint64_t now_ns = ls_clock_now_ns(), sleep_ns = now_ns + LS_LOOP_SLEEP_NS;
    bool is_any = look(links, wake_ns > now_ns ? wake_ns - now_ns : 0, flags);
    now_ns = ls_clock_now_ns();
    if (is_any && sleep_ns < wake_ns)
        ls_clock_sleep_until(sleep_ns);
    else if (wake_ns > now_ns && wake_ns - now_ns < LS_NS_PER_MS)
        ls_clock_sleep_until(wake_ns);
    if (is_any)
        (void)look(links, 0, flags);
}
