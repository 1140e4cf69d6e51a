/* The input delay: how many ticks ahead of the server's head a state is submitted, so that it
 * arrives in time. The delay rises at once after a late state, and falls when all states were early
 * for a while. Pure.
 *   source  docs/protocol.md, "State inputs" */
#ifndef LS_INPUT_DELAY_H
#define LS_INPUT_DELAY_H

#include <lockstep/limits.h>

/* START: the first delay. MARGIN_NS: the slack that must remain after the delay falls. LOWER_NS:
 * how long states must have had that slack before the delay falls. LATE_NS: a state later than a
 * round trip plus LATE_NS was delayed by an outage and is ignored. REPORT_NS: the server reports
 * the worst slack of the last REPORT_NS. */
#define LS_CLIENT_INPUT_DELAY_START     3
#define LS_CLIENT_INPUT_DELAY_MARGIN_NS (LS_SECOND_NS / 100)
#define LS_CLIENT_INPUT_DELAY_LOWER_NS  (2 * LS_SECOND_NS)
#define LS_CLIENT_INPUT_DELAY_LATE_NS   (2 * LS_SECOND_NS / 5)
#define LS_CLIENT_INPUT_DELAY_REPORT_NS (2 * LS_SECOND_NS)

typedef struct ls_input_delay {
    uint32_t ticks; /* 1..LS_CLIENT_INPUT_DELAY_MAX */
    uint64_t tick_ns;
    uint64_t raised_ns; /* states sent before this may still be reported late; 0: never raised */
    uint32_t reported;  /* the least delay in ticks of states that may be reported late */
    uint64_t early_ns;  /* since when all states were early, may be in the future; 0: one was not */
    uint64_t spare_ns;  /* the least slack since early_ns, minus the margin */
    uint64_t nearest;   /* least distance of states from the head, in ticks; UINT64_MAX: none */
} ls_input_delay;

void ls_input_delay_init(ls_input_delay *delay, uint32_t tick_rate);
/* Notes submitted states, of which the first is for the tick `ticks` ahead of the head. */
void ls_input_delay_note_state(ls_input_delay *delay, uint64_t ticks);
/* Takes the slack that the server reports for this client's worst recent state (`ls_ticks`);
 * LS_SLACK_NONE: no state came. A report that may cover states from before the last raise raises
 * the delay only to what those states needed. */
void ls_input_delay_note_slack(ls_input_delay *delay, int32_t slack_us, uint64_t rtt_ns,
                               uint64_t now_ns);
/* Notes that the server closed a tick with a substitute in place of this client's state. */
void ls_input_delay_note_substitute(ls_input_delay *delay, uint64_t rtt_ns, uint64_t now_ns);

#endif
