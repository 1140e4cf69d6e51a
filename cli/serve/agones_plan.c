#include "cli/serve/agones_plan.h"

/* Further failures are not counted, because the pause has its full length. */
#define FAILURES_MAX 16

static ls_agones_lane lane_of(ls_agones_request request)
{
    return request == LS_AGONES_SHUTDOWN ? LS_AGONES_SHUTDOWNS
           : request == LS_AGONES_HEALTH ? LS_AGONES_HEALTHS
           : request == LS_AGONES_WATCH  ? LS_AGONES_WATCHES
                                         : LS_AGONES_CALLS;
}

void ls_agones_plan_want(ls_agones_plan *plan, ls_agones_request request, uint64_t due_ns)
{
    plan->requests[request].is_wanted = true;
    if (!plan->requests[request].failures)
        plan->requests[request].due_ns = due_ns;
}

void ls_agones_plan_forget(ls_agones_plan *plan, ls_agones_request request)
{
    plan->requests[request].is_wanted = false;
    plan->requests[request].failures = 0;
}

ls_agones_request ls_agones_plan_take(ls_agones_plan *plan, ls_agones_lane lane, uint64_t now_ns)
{
    ls_agones_request request = 0;
    while (request < LS_AGONES_REQUESTS &&
           (lane_of(request) != lane || !plan->requests[request].is_wanted ||
            now_ns < plan->requests[request].due_ns))
        request++;
    if (request < LS_AGONES_REQUESTS)
        plan->requests[request].is_wanted = false;
    return request;
}

bool ls_agones_plan_succeed(ls_agones_plan *plan, ls_agones_request request)
{
    plan->requests[request].failures = 0;
    bool was_failing = plan->is_failing;
    plan->is_failing = false;
    for (uint32_t i = 0; i < LS_AGONES_REQUESTS; i++)
        plan->is_failing |= plan->requests[i].failures > 0;
    return was_failing && !plan->is_failing;
}

bool ls_agones_plan_fail(ls_agones_plan *plan, ls_agones_request request, uint64_t now_ns)
{
    uint64_t pause_ns = LS_AGONES_PAUSE_MIN_NS;
    for (uint32_t i = 0; i < plan->requests[request].failures; i++)
        pause_ns = 2 * pause_ns < LS_AGONES_PAUSE_MAX_NS ? 2 * pause_ns : LS_AGONES_PAUSE_MAX_NS;
    if (plan->requests[request].failures < FAILURES_MAX)
        plan->requests[request].failures++;
    plan->requests[request].is_wanted = true;
    plan->requests[request].due_ns = now_ns + pause_ns;
    bool was_failing = plan->is_failing;
    plan->is_failing = true;
    return !was_failing;
}
