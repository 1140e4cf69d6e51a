/* Creates worlds from the last state that a recording contains before a tick, also in another
 * build. */
#include "desync/start_state.h"
#include "tests/unit/core/check_sim.h"
#include "tests/unit/replays/battle.h"

enum { TICKS = 60, EVERY = 8 };

/* Starts before `tick`, asserts that the state is that of `base`, and plays to the end. */
static void land(const battle *match, ls_recording *recording, uint64_t tick, uint64_t base)
{
    ls_world *world;
    ls_error error = {""};
    if (ls_start_state_make(recording, match->program, tick, &world, &error) != LS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(ls_world_tick(world), base);
    assert_int_equal(ls_world_root(world), match->roots[base]);
    for (uint64_t at = base; at < match->ticks; at++) {
        const ls_recording_tick *next;
        assert_ok(ls_recording_next(recording, &next, NULL));
        assert_int_equal(next->frame.tick, at);
        assert_ok(ls_world_advance(world, &next->frame, NULL, NULL));
    }
    assert_int_equal(ls_world_root(world), match->roots[match->ticks]);
    ls_world_destroy(world);
}

TEST(test_start_state_is_at_the_keyframe_in_front)
{
    battle match;
    battle_begin(&match,
                 &(battle_config){.ticks = TICKS, .lag = 3, .is_closed = true, .keyframes = EVERY});
    ls_recording *recording = battle_open(&match, match.memory.bytes);
    for (uint64_t tick = 0; tick <= TICKS; tick += tick % EVERY == EVERY - 1 ? 1 : 7)
        land(&match, recording, tick, tick / EVERY * EVERY);
    land(&match, recording, UINT64_MAX, TICKS / EVERY * EVERY);
    land(&match, recording, 0, 0);
    ls_recording_close(recording);
    battle_end(&match);
}

TEST(test_start_state_without_keyframes_is_at_the_start)
{
    battle match;
    battle_begin(&match, &(battle_config){.ticks = TICKS, .lag = 3});
    ls_recording *recording = battle_open(&match, match.memory.bytes);
    land(&match, recording, TICKS, 0);
    ls_recording_close(recording);
    battle_end(&match);
}

/* The keyframe contains another state than the recorded root says. It is skipped, and so are deltas
 * based on it. */
TEST(test_start_state_passes_over_a_keyframe_of_another_state)
{
    battle match;
    battle_begin(&match, &(battle_config){.ticks = TICKS,
                                          .is_closed = true,
                                          .keyframes = EVERY,
                                          .bad_keyframe = 2 * EVERY});
    ls_recording *recording = battle_open(&match, match.memory.bytes);
    land(&match, recording, EVERY, EVERY);
    land(&match, recording, 2 * EVERY, EVERY);
    land(&match, recording, 3 * EVERY - 1, EVERY);
    ls_recording_close(recording);
    battle_end(&match);
}

/* A recording of the second half of a match, with a corrupt first keyframe. */
TEST(test_start_state_has_no_state_in_the_middle)
{
    battle match;
    battle_begin(&match, &(battle_config){.ticks = 2});
    ls_recording *recording = battle_open(&match, match.memory.bytes);
    ls_recording_header header = *ls_recording_get_header(recording);
    ls_recording_close(recording);
    header.first_tick = 30;
    const ls_recording_keyframe keyframe = {
        .tick = 30, .base_tick = 30, .data = (const uint8_t *)"state", .bytes = 5};
    ls_memory_sink memory;
    ls_recorder *recorder;
    ls_memory_sink_init(&memory);
    const ls_recorder_config config = {.sink = ls_memory_sink_open(&memory),
                                       .name = "half",
                                       .header = &header,
                                       .keyframe = &keyframe};
    assert_ok(ls_recorder_begin(&config, &recorder, NULL));
    ls_recorder_destroy(recorder);
    ls_world *world;
    ls_error error = {""};
    assert_ok(ls_recording_open_memory("half", memory.data, memory.bytes, &recording, NULL));
    assert_int_equal(ls_start_state_make(recording, match.program, 40, &world, &error),
                     LS_ERROR_INCOMPATIBLE);
    assert_null(world);
    assert_non_null(strstr(error.text, "begins at tick 30"));
    ls_recording_close(recording);
    ls_memory_sink_reset(&memory);
    battle_end(&match);
}

static void walk(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].x += cells[i].y;
}

static const ls_system walker = {
    .name = "walk", .mode = LS_CONCURRENT, .span = walk, .terms = LS_TERM_LIST(LS_WRITES(places))};

TEST(test_start_state_of_a_match_that_this_build_does_not_know)
{
    battle match;
    harness other;
    ls_world *world;
    ls_error error = {""};
    const ls_sim sim = check_sim(&walker, 1);
    harness_begin(&other, &sim, 1);
    battle_begin(&match, &(battle_config){.ticks = 2});
    ls_recording *recording = battle_open(&match, match.memory.bytes);
    assert_int_equal(ls_start_state_make(recording, other.program, 0, &world, &error),
                     LS_ERROR_INCOMPATIBLE);
    assert_null(world);
    ls_recording_close(recording);
    battle_end(&match);
    harness_end(&other);
}

TEST(test_start_state_copies_into_another_build)
{
    harness here, there;
    ls_world *copy;
    ls_error error = {""};
    const ls_sim sim = check_sim(&walker, 1);
    ls_sim build = sim;
    build.version = "2";
    build.source_hash = "another";
    harness_begin(&here, &sim, 1);
    harness_begin(&there, &build, 1);
    assert_memory_not_equal(ls_program_fingerprint(here.program),
                            ls_program_fingerprint(there.program), LS_FINGERPRINT_BYTES);
    for (uint32_t i = 0; i < 5; i++)
        harness_tick(here.world, NULL);
    if (ls_start_state_copy(here.world, there.program, &copy, &error) != LS_OK)
        fail_msg("%s", error.text);
    assert_ptr_equal(ls_world_program(copy), there.program);
    assert_int_equal(ls_world_tick(copy), 5);
    harness_tick(here.world, NULL);
    harness_tick(copy, NULL);
    char *one = ls_world_print(here.world), *other = ls_world_print(copy);
    assert_string_equal(one, other);
    ls_free(one);
    ls_free(other);
    ls_world_destroy(copy);
    harness_end(&there);
    harness_end(&here);
}
