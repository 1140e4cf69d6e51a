/* How early the states of a client arrive before their ticks close: the least slack of one to two
 * seconds, which the client learns with its ticks. */
#ifndef LS_STATE_SLACK_H
#define LS_STATE_SLACK_H

#include <lockstep/base.h>

/* Members are private. */
typedef struct ls_state_slack {
    int32_t least_us[2]; /* of the present and the previous period, or LS_SLACK_NONE */
    uint64_t since_ns;   /* when the present period began */
} ls_state_slack;

void ls_state_slack_init(ls_state_slack *slack, uint64_t now_ns);
/* Notes that a state arrived `slack_ns` before its tick closes; negative: after that. */
void ls_state_slack_note(ls_state_slack *slack, int64_t slack_ns, uint64_t now_ns);
/* The least slack in microseconds; LS_SLACK_NONE when no state came. */
int32_t ls_state_slack_us(const ls_state_slack *slack, uint64_t now_ns);

#endif
