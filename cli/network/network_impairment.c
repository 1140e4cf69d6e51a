#include "cli/network/network_impairment.h"

#include "cli/common/clock.h"
#include <lockstep/base.h>

#include <string.h>

/* The random draws for a packet. Each decision has its own draw, so a changed condition does not
 * affect the other decisions. */
enum draw {
    DRAW_LOSS,
    DRAW_JITTER, /* JITTER and COPY_JITTER: of the packet and of its copy */
    DRAW_COPY_JITTER,
    DRAW_REORDER,
    DRAW_COPY_REORDER,
    DRAW_DUPLICATE,
    DRAW_CORRUPT,
    DRAW_CORRUPT_BIT,
    DRAW_TRUNCATE,
    DRAW_TRUNCATE_BYTES,
};

enum { WORD_PACKETS, WORD_PERIODS };

bool ls_impairment_profile(const char *name, ls_impairment_conditions *conditions)
{
    static const struct {
        const char *name;
        ls_impairment_conditions conditions;
    } profiles[] = {
        {"lan", {0}},
        {"wifi",
         {.loss = 20000,
          .delay_ns = 10 * LS_NS_PER_MS,
          .reorder = 20000,
          .reorder_delay_ns = 10 * LS_NS_PER_MS}},
        {"bad", {.loss = 50000, .delay_ns = 100 * LS_NS_PER_MS}},
        {"terrible",
         {.loss = 200000,
          .delay_ns = 200 * LS_NS_PER_MS,
          .reorder = 40000,
          .reorder_delay_ns = 50 * LS_NS_PER_MS}},
        {"reorder", {.reorder = 300000, .reorder_delay_ns = 40 * LS_NS_PER_MS}},
    };
    for (size_t i = 0; i < LS_COUNT_OF(profiles); i++) {
        if (strcmp(profiles[i].name, name) == 0) {
            *conditions = profiles[i].conditions;
            return true;
        }
    }
    return false;
}

void ls_impairment_change(ls_impairment *impair, const ls_impairment_conditions *conditions)
{
    LS_ASSERT(!conditions->burst_ns || conditions->burst_ns >= LS_IMPAIRMENT_BURST_NS_MIN);
    impair->conditions = *conditions;
}

void ls_impairment_init(ls_impairment *impair, const ls_impairment_conditions *conditions,
                        uint64_t seed, uint64_t flow, bool is_down)
{
    ls_random_stream own = ls_random_child(ls_random_root(seed), flow);
    own = ls_random_child(own, is_down);
    *impair = (ls_impairment){.stream = ls_random_child(own, WORD_PACKETS),
                              .periods = ls_random_child(own, WORD_PERIODS),
                              .header_bytes = LS_IMPAIRMENT_HEADER_BYTES};
    ls_impairment_change(impair, conditions);
}

void ls_impairment_share(ls_impairment *impair, uint64_t *free_ns)
{
    impair->shared_free_ns = free_ns;
}

static bool happens(ls_random_stream packet, enum draw draw, uint64_t chance)
{
    return ls_random_below(ls_random_draw(packet, draw), LS_PROBABILITY_ONE) < chance;
}

/* Returns a value in 0..whole, both included, for any `whole` below 2^64 - 1. */
static uint64_t part_of(uint64_t bits, uint64_t whole)
{
    return bits % (whole + 1);
}

/* Whether the packet falls into a bad period. Good and bad periods alternate; each lasts half to
 * one and a half times its mean. The length is drawn from the period's number, so it does not
 * depend on the packets. */
static bool is_in_burst(ls_impairment *impair, uint64_t now_ns)
{
    uint64_t loss = impair->conditions.loss, bad_ns = impair->conditions.burst_ns;
    uint64_t good_ns = bad_ns / 1000 * (LS_PROBABILITY_ONE - loss) / loss * 1000;
    if (impair->packets == 0)
        impair->period_end_ns = now_ns + part_of(ls_random_draw(impair->periods, 0), good_ns);
    while (now_ns >= impair->period_end_ns) {
        uint64_t mean_ns = ++impair->period % 2 ? bad_ns : good_ns;
        impair->period_end_ns +=
            mean_ns / 2 + part_of(ls_random_draw(impair->periods, impair->period), mean_ns);
    }
    return impair->period % 2;
}

static bool is_lost(ls_impairment *impair, ls_random_stream packet, uint64_t now_ns)
{
    uint64_t loss = impair->conditions.loss;
    if (impair->conditions.burst_ns && loss > 0 && loss < LS_PROBABILITY_ONE)
        return is_in_burst(impair, now_ns);
    return happens(packet, DRAW_LOSS, loss);
}

/* Returns when the packet has passed the line of limited rate; 0: the line's queue is full. */
static uint64_t pass_line(ls_impairment *impair, uint32_t bytes, uint64_t now_ns)
{
    uint64_t rate = impair->conditions.rate;
    if (!rate)
        return now_ns;
    uint64_t *free_ns = impair->shared_free_ns ? impair->shared_free_ns : &impair->free_ns;
    uint64_t start_ns = *free_ns > now_ns ? *free_ns : now_ns;
    if (start_ns - now_ns > LS_IMPAIRMENT_RATE_QUEUE_NS)
        return 0;
    *free_ns = start_ns + (uint64_t)(bytes + impair->header_bytes) * LS_SECOND_NS / rate;
    return *free_ns;
}

static void add_copy(const ls_impairment *impair, ls_random_stream packet, uint64_t from_ns,
                     ls_impairment_fate *fate)
{
    const ls_impairment_conditions *conditions = &impair->conditions;
    bool is_second = fate->copies > 0;
    uint64_t jitter = ls_random_draw(packet, is_second ? DRAW_COPY_JITTER : DRAW_JITTER);
    uint64_t due_ns = from_ns + conditions->delay_ns + part_of(jitter, conditions->jitter_ns);
    if (happens(packet, is_second ? DRAW_COPY_REORDER : DRAW_REORDER, conditions->reorder)) {
        due_ns += conditions->reorder_delay_ns;
        fate->reordered++;
    }
    fate->due_ns[fate->copies++] = due_ns;
}

static void draw_damage(const ls_impairment *impair, ls_random_stream packet,
                        ls_impairment_fate *fate)
{
    if (fate->bytes > 0 && happens(packet, DRAW_TRUNCATE, impair->conditions.truncate)) {
        fate->is_truncated = true;
        fate->bytes = ls_random_below(ls_random_draw(packet, DRAW_TRUNCATE_BYTES), fate->bytes);
    }
    if (fate->bytes > 0 && happens(packet, DRAW_CORRUPT, impair->conditions.corrupt)) {
        fate->is_corrupted = true;
        fate->flipped_bit =
            ls_random_below(ls_random_draw(packet, DRAW_CORRUPT_BIT), fate->bytes * 8);
    }
}

ls_impairment_fate ls_impairment_next(ls_impairment *impair, uint32_t bytes, uint64_t now_ns)
{
    ls_random_stream packet = ls_random_child(impair->stream, impair->packets);
    ls_impairment_fate fate = {.bytes = bytes};
    uint64_t through_ns = pass_line(impair, bytes, now_ns);
    fate.is_overrun = impair->conditions.rate && through_ns == 0;
    /* Called for every packet, even overrun ones: the first packet starts the periods of loss. */
    fate.is_lost = is_lost(impair, packet, now_ns) && !fate.is_overrun;
    impair->packets++;
    if (fate.is_lost || fate.is_overrun)
        return fate;
    draw_damage(impair, packet, &fate);
    add_copy(impair, packet, through_ns, &fate);
    if (happens(packet, DRAW_DUPLICATE, impair->conditions.duplicate))
        add_copy(impair, packet, through_ns, &fate);
    return fate;
}

void ls_impairment_damage(const ls_impairment_fate *fate, uint8_t *data)
{
    if (fate->is_corrupted)
        data[fate->flipped_bit / 8] ^= (uint8_t)(1u << fate->flipped_bit % 8);
}
