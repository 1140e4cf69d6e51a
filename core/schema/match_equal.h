/* Whether matches, frames and inputs are equal. */
#ifndef LS_MATCH_EQUAL_H
#define LS_MATCH_EQUAL_H

#include <lockstep/match.h>

#include <string.h>

static inline bool ls_match_equal(const ls_match *a, const ls_match *b)
{
    return a->seed == b->seed && a->tick_rate == b->tick_rate &&
           a->player_count == b->player_count && a->option_count == b->option_count &&
           memcmp(a->options, b->options, sizeof a->options[0] * a->option_count) == 0;
}

static inline bool ls_input_equal(const ls_input *a, const ls_input *b)
{
    return a->player == b->player && a->kind == b->kind && a->bytes == b->bytes &&
           (a->bytes == 0 || memcmp(a->data, b->data, a->bytes) == 0);
}

static inline bool ls_frame_equal(const ls_frame *a, const ls_frame *b)
{
    bool is_same = a->count == b->count;
    for (uint32_t i = 0; is_same && i < a->count; i++)
        is_same = ls_input_equal(&a->inputs[i], &b->inputs[i]);
    return is_same;
}

#endif
