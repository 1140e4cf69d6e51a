#include "server/state_slack.h"
#include "proto/message.h"
#include <lockstep/limits.h>

void ls_state_slack_init(ls_state_slack *slack, uint64_t now_ns)
{
    *slack = (ls_state_slack){.least_us = {LS_SLACK_NONE, LS_SLACK_NONE}, .since_ns = now_ns};
}

void ls_state_slack_note(ls_state_slack *slack, int64_t slack_ns, uint64_t now_ns)
{
    uint64_t age_ns = now_ns - slack->since_ns;
    if (age_ns >= LS_SECOND_NS) {
        slack->since_ns = now_ns;
        slack->least_us[1] = age_ns < 2 * LS_SECOND_NS ? slack->least_us[0] : LS_SLACK_NONE;
        slack->least_us[0] = LS_SLACK_NONE;
    }
    int64_t us = slack_ns / 1000;
    int64_t bound = LS_SLACK_NONE - 1;
    us = us > bound ? bound : us < -bound ? -bound : us;
    if (us < slack->least_us[0])
        slack->least_us[0] = (int32_t)us;
}

int32_t ls_state_slack_us(const ls_state_slack *slack, uint64_t now_ns)
{
    uint64_t age_ns = now_ns - slack->since_ns;
    if (age_ns >= 2 * LS_SECOND_NS)
        return LS_SLACK_NONE;
    return age_ns >= LS_SECOND_NS || slack->least_us[0] < slack->least_us[1] ? slack->least_us[0]
                                                                             : slack->least_us[1];
}
