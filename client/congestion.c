#include "client/congestion.h"

#include "core/base/bounds.h"

/* LOSS: no line loses this much without congestion. FULL_LOSS: with this loss or more, a wait that
 * a trial did not shorten may still come from a full queue. */
#define LOSS_PERMILLE      400
#define FULL_LOSS_PERMILLE 100

void ls_congestion_init(ls_congestion *congestion)
{
    *congestion = (ls_congestion){.level = LS_CONGESTION_START};
}

/* The samples of a round: their median, and the distance between their quartiles. */
typedef struct round_trip {
    uint64_t median_ns, spread_ns;
} round_trip;

static round_trip measure_round(const ls_congestion *congestion)
{
    uint64_t sorted[LS_CONGESTION_SAMPLES];
    uint32_t count = (uint32_t)ls_min(congestion->count, LS_CONGESTION_SAMPLES);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0 && sorted[at - 1] > congestion->recent_ns[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = congestion->recent_ns[i];
    }
    return (round_trip){sorted[count / 2], sorted[count * 3 / 4] - sorted[count / 4]};
}

/* The highest level did not help, so the present round trip counts as the round trip of the empty
 * line. The level then falls with each round. If the wait grows meanwhile, the level rises again,
 * because this client does fill the queue. */
static void take_as_line(ls_congestion *congestion, uint64_t rtt_ns, uint64_t now_ns)
{
    congestion->rest_ns =
        ls_min(ls_max(2 * congestion->rest_ns, LS_CONGESTION_REST_NS), LS_CONGESTION_REST_MAX_NS);
    congestion->rested_ns = now_ns + congestion->rest_ns;
    congestion->calm_needed_ns = 0;
    congestion->line = (ls_queue_delay){0};
    ls_queue_delay_note(&congestion->line, rtt_ns, now_ns);
}

static void raise_by(ls_congestion *congestion, uint32_t levels)
{
    if (congestion->is_probing || !congestion->calm_needed_ns) {
        congestion->tight = congestion->level;
        congestion->calm_needed_ns =
            ls_min(ls_max(2 * congestion->calm_needed_ns, LS_CONGESTION_CALM_NS),
                   LS_CONGESTION_CALM_MAX_NS);
    }
    congestion->is_probing = false;
    congestion->level = (uint32_t)ls_min(congestion->level + levels, LS_CONGESTION_MAX);
}

static void lower(ls_congestion *congestion, uint64_t now_ns)
{
    uint64_t calm_needed_ns = congestion->calm_needed_ns;
    if (congestion->level > congestion->tight + 1)
        calm_needed_ns = ls_min(calm_needed_ns, LS_CONGESTION_CALM_NS);
    if (!congestion->level || now_ns - congestion->calm_ns < calm_needed_ns)
        return;
    if (congestion->is_probing && congestion->calm_needed_ns &&
        congestion->level <= congestion->tight)
        congestion->calm_needed_ns = ls_max(congestion->calm_needed_ns / 2, LS_CONGESTION_CALM_NS);
    /* The level with which the client began: nothing has raised it yet. It falls twice as fast down
     * to LS_CONGESTION_START. */
    bool is_first = !congestion->calm_needed_ns && !congestion->rest_ns;
    congestion->level -= is_first && congestion->level > LS_CONGESTION_START ? 2 : 1;
    congestion->is_probing = true;
    congestion->calm_ns = now_ns;
    if (!congestion->level && now_ns >= congestion->rested_ns)
        congestion->rest_ns = 0;
}

/* Adds a round with a long wait. True when the trial of the highest level has lasted long enough,
 * and both the mean wait and the present one are still more than half of the longest. */
static bool has_failed(ls_congestion *congestion, uint64_t wait_ns, uint64_t now_ns)
{
    congestion->longest_ns = ls_max(congestion->longest_ns, wait_ns);
    if (congestion->level < LS_CONGESTION_MAX)
        return false;
    if (!congestion->trial_rounds)
        congestion->trial_ns = now_ns;
    congestion->trial_rounds++;
    congestion->trial_sum_ns += wait_ns;
    uint64_t least_ns = ls_max(LS_CONGESTION_TRIAL_NS, LS_CONGESTION_TRIAL_WAITS * wait_ns);
    if (now_ns - congestion->trial_ns < least_ns)
        return false;
    uint64_t mean_ns = congestion->trial_sum_ns / congestion->trial_rounds;
    congestion->trial_rounds = 0;
    congestion->trial_sum_ns = 0;
    return 2 * ls_min(mean_ns, wait_ns) > congestion->longest_ns;
}

static void count_anew(ls_congestion *congestion, uint64_t next, uint64_t now_ns)
{
    congestion->loss_first = next;
    congestion->loss_ns = now_ns;
    congestion->received = 0;
}

/* A round trip of less than three quarters of the least one comes from another line, so the level
 * may fall with each round. While the level is above LS_CONGESTION_START, it more likely comes from
 * the same line, with a queue that was never empty before, so the level falls slowly. Either way
 * the loss so far does not describe the line as it is now, and is counted anew. */
static void note_line(ls_congestion *congestion, uint64_t rtt_ns, uint64_t now_ns)
{
    if (rtt_ns < ls_queue_delay_base_ns(&congestion->line) / 4 * 3) {
        congestion->calm_needed_ns =
            congestion->level > LS_CONGESTION_START && now_ns >= congestion->rested_ns
                ? LS_CONGESTION_CALM_NS
                : 0;
        congestion->loss_is_judged = true;
        count_anew(congestion, congestion->loss_next, now_ns);
    }
    ls_queue_delay_note(&congestion->line, rtt_ns, now_ns);
}

/* After a failed trial the level rests at 0, but not while the round trip is more than doubled. */
static bool may_raise(const ls_congestion *congestion, uint64_t wait_ns, uint64_t now_ns)
{
    return congestion->level || now_ns >= congestion->rested_ns ||
           wait_ns > ls_queue_delay_base_ns(&congestion->line);
}

static void judge(ls_congestion *congestion, uint64_t now_ns)
{
    round_trip round = measure_round(congestion);
    congestion->median_ns = round.median_ns;
    note_line(congestion, round.median_ns, now_ns);
    uint64_t base_ns = ls_queue_delay_base_ns(&congestion->line);
    uint64_t wait_ns =
        round.median_ns - ls_min(base_ns, round.median_ns); /* the base ignores zeros */
    bool is_losing = congestion->loss_permille >= LOSS_PERMILLE;
    bool has_lost = is_losing && !congestion->loss_is_judged;
    congestion->loss_is_judged = true;
    /* A wait within twice the spread of the round trips counts as jitter. A queue that empties also
     * widens the spread, so such a wait does not reset longest_ns; a short wait does. */
    bool is_short = wait_ns <= ls_max(base_ns / 4, LS_CONGESTION_WAIT_NS);
    if (!has_lost && (is_short || wait_ns <= 2 * round.spread_ns)) {
        if (is_short)
            congestion->longest_ns = 0;
        congestion->trial_sum_ns = congestion->trial_rounds = 0;
        lower(congestion, now_ns);
        return;
    }
    congestion->calm_ns = now_ns;
    if (has_failed(congestion, wait_ns, now_ns) && congestion->loss_permille < FULL_LOSS_PERMILLE)
        take_as_line(congestion, round.median_ns, now_ns);
    else if (may_raise(congestion, wait_ns, now_ns) || has_lost)
        raise_by(congestion, has_lost || wait_ns > base_ns ? 2 : 1);
}

void ls_congestion_note(ls_congestion *congestion, uint64_t rtt_ns, uint64_t now_ns)
{
    congestion->recent_ns[congestion->count++ % LS_CONGESTION_SAMPLES] = rtt_ns;
    uint64_t round_ns =
        ls_max(congestion->median_ns, 2 * ls_queue_delay_base_ns(&congestion->line));
    round_ns = ls_max(round_ns, LS_CONGESTION_ROUND_NS);
    if (congestion->count < LS_CONGESTION_SAMPLES_MIN)
        round_ns = ls_max(round_ns, LS_CONGESTION_ROUND_MAX_NS);
    if (now_ns - congestion->round_ns < round_ns)
        return;
    judge(congestion, now_ns);
    congestion->round_ns = now_ns;
    congestion->count = 0;
}

void ls_congestion_note_base(ls_congestion *congestion, uint64_t rtt_ns, uint64_t now_ns)
{
    if (rtt_ns > LS_CONGESTION_LONG_NS)
        congestion->level = LS_CONGESTION_MAX;
    else
        ls_queue_delay_note_base(&congestion->line, rtt_ns, now_ns);
}

void ls_congestion_note_packet(ls_congestion *congestion, uint64_t next, uint64_t now_ns)
{
    bool is_outage = next > congestion->loss_next + LS_CONGESTION_OUTAGE_PACKETS;
    congestion->loss_next = ls_max(congestion->loss_next, next);
    if (is_outage) {
        if (congestion->outage_ns && now_ns - congestion->outage_ns < LS_CONGESTION_LOSS_NS) {
            congestion->calm_ns = now_ns;
            raise_by(congestion, 2);
        }
        congestion->outage_ns = now_ns;
        congestion->loss_permille = 1000;
        congestion->loss_is_judged = true;
        count_anew(congestion, next, now_ns);
        return;
    }
    congestion->received++;
    uint64_t sent = next - congestion->loss_first;
    bool is_whole = sent >= LS_CONGESTION_LOSS_PACKETS ||
                    (sent >= LS_CONGESTION_LOSS_PACKETS_MIN &&
                     now_ns - congestion->loss_ns >= LS_CONGESTION_LOSS_NS);
    if (!is_whole)
        return;
    uint64_t lost = sent - ls_min(sent, congestion->received);
    congestion->loss_permille = (uint32_t)(1000 * lost / sent);
    congestion->loss_is_judged = false;
    count_anew(congestion, next, now_ns);
}
