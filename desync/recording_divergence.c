#include "desync/recording_divergence.h"

#include "core/base/builder.h"
#include "core/schema/match_equal.h"

#include <inttypes.h>
#include <string.h>

struct side {
    ls_recording *recording;
    const ls_recording_tick *tick; /* NULL: the recording has ended */
    bool is_over;
    uint64_t tick_count;
    ls_status status;
    ls_error error;
};

static ls_status check(ls_recording *const recordings[2], ls_error *error)
{
    const ls_recording_header *a = ls_recording_get_header(recordings[0]);
    const ls_recording_header *b = ls_recording_get_header(recordings[1]);
    const ls_match *one = &a->match, *other = &b->match;
    if (strcmp(a->simulation.name, b->simulation.name) != 0)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "one recording is of the simulation '%.64s', the other of '%.64s'",
                            a->simulation.name, b->simulation.name);
    if (!ls_match_equal(one, other))
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "these are recordings of two matches: seed %" PRIu64 " with %" PRIu32
                            " seats, and seed %" PRIu64 " with %" PRIu32 " seats, or other options",
                            one->seed, one->player_count, other->seed, other->player_count);
    if (a->first_tick != b->first_tick)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "one recording begins at tick %" PRIu64 ", the other at %" PRIu64
                            "; cut the longer one at the first tick of the other",
                            a->first_tick, b->first_tick);
    return LS_OK;
}

static void read_tick(struct side *side)
{
    if (side->is_over)
        return;
    side->status = ls_recording_next(side->recording, &side->tick, &side->error);
    if (side->status != LS_OK)
        side->tick = NULL;
    side->is_over = !side->tick;
    side->tick_count += !side->is_over;
}

static char *print_frame(const ls_frame *frame)
{
    static const char *const words[] = {"order",      "join",  "leave", "state",
                                        "substitute", "pause", "resume"};
    ls_builder text = {0};
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        const char *word = input->kind < LS_COUNT_OF(words) ? words[input->kind] : "unknown";
        ls_builder_add(&text, "%splayer %u %s", i ? ", " : "", input->player, word);
        for (uint32_t byte = 0; byte < input->bytes; byte++)
            ls_builder_add(&text, "%s%02x", byte ? "" : " ", input->data[byte]);
    }
    if (!frame->count)
        ls_builder_add(&text, "nothing");
    return text.data;
}

static void compare_frames(const struct side sides[2], ls_recording_divergence *divergence)
{
    const ls_recording_tick *a = sides[0].tick, *b = sides[1].tick;
    if (divergence->kind != LS_RECORDING_DIVERGENCE_NONE || !a || !b ||
        ls_frame_equal(&a->frame, &b->frame))
        return;
    divergence->kind = LS_RECORDING_DIVERGENCE_INPUTS;
    divergence->tick = a->frame.tick;
    divergence->inputs[0] = print_frame(&a->frame);
    divergence->inputs[1] = print_frame(&b->frame);
}

/* Finds the first tick for which both sides have a root and the roots differ; false if there is
 * none. Skips a tick whose root one side lacks, as where two files of a match join. */
static bool find_roots(const struct side sides[2], uint64_t first, uint64_t *tick,
                       uint64_t roots[2])
{
    uint64_t count =
        sides[0].tick_count < sides[1].tick_count ? sides[0].tick_count : sides[1].tick_count;
    for (*tick = first; *tick <= first + count; ++*tick) {
        if (ls_recording_find_root(sides[0].recording, *tick, &roots[0]) &&
            ls_recording_find_root(sides[1].recording, *tick, &roots[1]) && roots[0] != roots[1])
            return true;
    }
    return false;
}

/* Compares the roots. The root of a tick is of the state before it, so the difference was made by
 * the tick before. */
static void compare_roots(const struct side sides[2], uint64_t first,
                          ls_recording_divergence *divergence)
{
    uint64_t tick, roots[2];
    if (!find_roots(sides, first, &tick, roots) ||
        (divergence->kind == LS_RECORDING_DIVERGENCE_INPUTS && tick > divergence->tick))
        return;
    for (uint32_t j = 0; j < 2; j++) {
        ls_free(divergence->inputs[j]);
        divergence->inputs[j] = NULL;
        divergence->roots[j] = roots[j];
    }
    divergence->kind = tick > first ? LS_RECORDING_DIVERGENCE_STATE : LS_RECORDING_DIVERGENCE_START;
    divergence->tick = tick - (tick > first);
}

ls_status ls_recording_divergence_find(ls_recording *const recordings[2],
                                       ls_recording_divergence *divergence, ls_error *error)
{
    struct side sides[2] = {{.recording = recordings[0]}, {.recording = recordings[1]}};
    ls_status status = check(recordings, error);
    if (status != LS_OK)
        return status;
    *divergence = (ls_recording_divergence){0};
    for (uint32_t i = 0; i < 2; i++)
        ls_recording_rewind(recordings[i]);
    do {
        for (uint32_t i = 0; i < 2; i++)
            read_tick(&sides[i]);
        compare_frames(sides, divergence);
    } while (!sides[0].is_over || !sides[1].is_over);
    compare_roots(sides, ls_recording_get_header(recordings[0])->first_tick, divergence);
    for (uint32_t i = 0; i < 2; i++) {
        divergence->ticks[i] = sides[i].tick_count;
        divergence->ends[i] = sides[i].status;
        divergence->end_text[i] = sides[i].error;
    }
    return LS_OK;
}

void ls_recording_divergence_reset(ls_recording_divergence *divergence)
{
    for (uint32_t i = 0; i < 2; i++)
        ls_free(divergence->inputs[i]);
    *divergence = (ls_recording_divergence){0};
}
