/* How many ticks ahead of the server's head a state input is proposed so that it comes in time:
 * raised at once when one was late, lowered to what is needed when all came early for a while.
 * Pure.
 *   source  docs/protocol.md, "State inputs" */
#ifndef LS_INPUT_DELAY_H
#define LS_INPUT_DELAY_H

#include <lockstep/limits.h>

/* Ticks at first; what must be left of the slack when they are lowered, and how long it must have
 * been there; what is later than a round trip and this was held up by an outage. A slack is the
 * least of the server's present period and the last, of a second each. */
#define LS_CLIENT_INPUT_DELAY_START     3
#define LS_CLIENT_INPUT_DELAY_MARGIN_NS (LS_SECOND_NS / 100)
#define LS_CLIENT_INPUT_DELAY_LOWER_NS  (2 * LS_SECOND_NS)
#define LS_CLIENT_INPUT_DELAY_LATE_NS   (2 * LS_SECOND_NS / 5)
#define LS_CLIENT_INPUT_DELAY_TOLD_NS   (2 * LS_SECOND_NS)

typedef struct ls_input_delay {
    uint32_t ticks; /* 1..LS_CLIENT_INPUT_DELAY_MAX */
    uint64_t tick_ns;
    uint64_t raised_ns; /* what was sent before this may still be told to be late; 0: never */
    uint64_t early_ns;  /* since then (it may be to come) all came early; 0: they do not */
    uint64_t spare_ns;  /* the least slack since then, less the margin */
    uint64_t nearest;   /* so far ahead of the head at least states were said; UINT64_MAX: none */
} ls_input_delay;

void ls_input_delay_init(ls_input_delay *delay, uint32_t tick_rate);
/* A state was said, the first of it for a tick so far ahead of the head. */
void ls_input_delay_note_state(ls_input_delay *delay, uint64_t ticks);
/* What TICKS say: the slack of the last second's latest state, LS_SLACK_NONE: there was none. Late
 * words that can be about states from before the last raise are not counted twice. */
void ls_input_delay_note_slack(ls_input_delay *delay, int32_t slack_us, uint64_t rtt_ns,
                               uint64_t now_ns);
/* A tick was closed with a substitute for the own state. */
void ls_input_delay_note_substitute(ls_input_delay *delay, uint64_t rtt_ns, uint64_t now_ns);

#endif
