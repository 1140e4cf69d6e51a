/* The history of recent states: each state is available again, bit for bit, within a limit of ticks
 * and memory. */
#include "harness.h"
#include "sample_sim.h"

#include "core/state_history.h"
#include <lockstep/hash.h>

enum { TICKS = 400, KEPT = 60 };

typedef struct history {
    harness self;
    ls_state_history *past;
    uint64_t wanted_from;
    uint64_t hashes[TICKS + 1], roots[TICKS + 1]; /* hashes: of each tick's encoded bytes */
} history;

static uint64_t bytes_hash(const ls_snapshot *snapshot)
{
    uint8_t *bytes;
    size_t count;
    ls_snapshot_encode(snapshot, &bytes, &count);
    uint64_t hash = ls_hash_bytes(bytes, count);
    ls_free(bytes);
    return hash;
}

static void note(history *self)
{
    ls_world *world = self->self.world;
    uint64_t tick = ls_world_tick(world);
    self->roots[tick] = ls_state_history_keep(self->past, NULL, self->wanted_from);
    assert_int_equal(self->roots[tick], ls_world_root(world));
    ls_snapshot *now = ls_world_snapshot(world);
    self->hashes[tick] = bytes_hash(now);
    ls_snapshot_destroy(now);
}

static void run_to(history *self, uint64_t tick)
{
    while (ls_world_tick(self->self.world) < tick) {
        sample_frame sample;
        sample_frame_init(&sample, self->self.world);
        assert_int_equal(ls_world_advance(self->self.world, &sample.frame, NULL, NULL), LS_OK);
        note(self);
    }
}

static void begin(history *self, size_t bytes_max)
{
    harness_begin(&self->self, &sample_sim, 7);
    self->wanted_from = LS_STATE_HISTORY_NONE;
    self->past = ls_state_history_create(self->self.world, KEPT, bytes_max);
    note(self);
}

static void end(history *self)
{
    ls_state_history_destroy(self->past);
    harness_end(&self->self);
}

static void check(history *self, uint64_t tick)
{
    ls_snapshot *snapshot = ls_state_history_snapshot(self->past, tick);
    assert_int_equal(ls_snapshot_tick(snapshot), tick);
    assert_int_equal(bytes_hash(snapshot), self->hashes[tick]);
    assert_int_equal(ls_state_history_root(self->past, tick), self->roots[tick]);
    ls_snapshot_destroy(snapshot);
}

/* Checks all available states; returns their number. */
static uint32_t check_all(history *self)
{
    uint32_t count = 0;
    for (uint64_t tick = 0;
         (tick = ls_state_history_find(self->past, tick)) != LS_STATE_HISTORY_NONE; tick++) {
        check(self, tick);
        count++;
    }
    return count;
}

TEST(test_state_history_gives_each_tick_bit_for_bit)
{
    history *self = ls_alloc(sizeof *self);
    begin(self, 64u << 20);
    for (uint64_t tick = 0; tick <= TICKS; tick += 37) {
        run_to(self, tick);
        assert_int_equal(check_all(self), tick < KEPT ? tick + 1 : KEPT);
        assert_int_equal(ls_state_history_find(self->past, 0), tick < KEPT ? 0 : tick + 1 - KEPT);
        assert_int_equal(ls_state_history_find(self->past, tick), tick);
        assert_int_equal(ls_state_history_find(self->past, tick + 1), LS_STATE_HISTORY_NONE);
    }
    assert_int_equal(ls_state_history_step(self->past), 1);
    end(self);
    ls_free(self);
}

/* Requested ticks are kept longer, up to a limit; then the oldest is removed. */
TEST(test_state_history_stretches_for_what_is_wanted)
{
    enum { FROM = 25, SHORT = 20 };
    history *self = ls_alloc(sizeof *self);
    harness_begin(&self->self, &sample_sim, 7);
    self->past = ls_state_history_create(self->self.world, SHORT, 64u << 20);
    self->wanted_from = LS_STATE_HISTORY_NONE;
    note(self);
    run_to(self, FROM);
    self->wanted_from = FROM;
    run_to(self, 100);
    assert_int_equal(ls_state_history_find(self->past, 0), FROM);
    assert_int_equal(check_all(self), 101 - FROM);
    run_to(self, 300);
    assert_int_equal(check_all(self), SHORT * LS_STATE_HISTORY_STRETCH);
    self->wanted_from = 290;
    run_to(self, 301);
    assert_int_equal(check_all(self), SHORT);
    run_to(self, 320);
    assert_int_equal(ls_state_history_find(self->past, 0), 290);
    assert_int_equal(check_all(self), 31);
    end(self);
    ls_free(self);
}

/* Reading the history must not change the world, which continues. */
TEST(test_state_history_leaves_the_world_alone)
{
    history *self = ls_alloc(sizeof *self), *alone = ls_alloc(sizeof *alone);
    begin(self, 64u << 20);
    begin(alone, 64u << 20);
    ls_snapshot *kept = NULL;
    for (uint64_t tick = 10; tick <= TICKS; tick += 10) {
        run_to(self, tick);
        ls_snapshot_destroy(kept);
        kept = ls_state_history_snapshot(self->past, tick - 5);
    }
    run_to(alone, TICKS);
    assert_memory_equal(self->roots, alone->roots, sizeof self->roots);
    /* The snapshot outlives the history's tick. */
    assert_int_equal(bytes_hash(kept), self->hashes[TICKS - 5]);
    ls_snapshot_destroy(kept);
    end(alone);
    end(self);
    ls_free(alone);
    ls_free(self);
}

/* A repeated request for a state shares its pages with the first snapshot, while that tick is
 * unchanged. */
TEST(test_state_history_shares_what_it_gave)
{
    history *self = ls_alloc(sizeof *self);
    ls_snapshot *given[8];
    begin(self, 64u << 20);
    run_to(self, 100);
    given[0] = ls_state_history_snapshot(self->past, 90);
    given[1] = ls_state_history_snapshot(self->past, 74);
    size_t bytes = ls_world_memory(self->self.world);
    for (uint32_t i = 2; i < LS_COUNT_OF(given); i++)
        given[i] = ls_state_history_snapshot(self->past, i % 2 ? 74 : 90);
    assert_int_equal(ls_world_memory(self->self.world), bytes);
    for (uint32_t i = 0; i < LS_COUNT_OF(given); i++)
        assert_int_equal(bytes_hash(given[i]), self->hashes[i % 2 ? 74 : 90]);
    /* After a rollback, another state with the same tick number is not shared. */
    ls_world_restore(self->self.world, given[1]);
    note(self);
    assert_true(ls_world_flip_bit(self->self.world, 5, (char[128]){0}, 128));
    run_to(self, 100);
    check(self, 90);
    for (uint32_t i = 0; i < LS_COUNT_OF(given); i++)
        ls_snapshot_destroy(given[i]);
    end(self);
    ls_free(self);
}

TEST(test_state_history_counts_ticks_and_bytes)
{
    assert_int_equal(ls_state_history_ticks(1000, 20), 21);
    assert_int_equal(ls_state_history_ticks(1, 20), 1);
    assert_int_equal(ls_state_history_ticks(10000, LS_TICK_RATE_MAX), 2401);
    assert_int_equal(ls_state_history_ticks(UINT32_MAX, LS_TICK_RATE_MAX),
                     LS_STATE_HISTORY_TICKS_MAX);
    history *self = ls_alloc(sizeof *self);
    begin(self, 64u << 20);
    size_t before = ls_state_history_bytes(self->past);
    run_to(self, 100);
    assert_in_range(ls_state_history_bytes(self->past), before + 1, 64u << 20);
    end(self);
    ls_free(self);
}

/* With less memory fewer states are kept: only every second, fourth, ... tick; each is right. */
TEST(test_state_history_keeps_to_its_budget)
{
    uint32_t before = KEPT + 1, stepped = 0, none = 0;
    for (size_t bytes = 8u << 20; bytes >= 1024; bytes /= 2) {
        history *self = ls_alloc(sizeof *self);
        begin(self, bytes);
        run_to(self, TICKS);
        uint32_t count = check_all(self);
        assert_true(count <= before);
        stepped += count && ls_state_history_step(self->past) > 1;
        none += count == 0;
        before = count;
        end(self);
        ls_free(self);
    }
    assert_true(stepped > 0);
    assert_true(none > 0);
}

/* After a restore, or a decode of another state, the history starts anew. */
TEST(test_state_history_of_a_world_that_went_back)
{
    history *self = ls_alloc(sizeof *self);
    begin(self, 64u << 20);
    run_to(self, 50);
    ls_snapshot *then = ls_world_snapshot(self->self.world);
    run_to(self, 100);
    ls_world_restore(self->self.world, then);
    ls_snapshot_destroy(then);
    note(self);
    assert_int_equal(ls_state_history_find(self->past, 0), 50);
    assert_int_equal(check_all(self), 1);
    run_to(self, 120);
    assert_int_equal(check_all(self), KEPT);
    end(self);
    ls_free(self);
}

/* Runs ticks without orders. With `flips`, a bit flips before tick 4 and flips back before tick
 * 8. */
static void run_still(history *self, bool flips, uint64_t pick)
{
    ls_world *world = self->self.world;
    char what[128];
    for (uint64_t tick = ls_world_tick(world); tick < 12; tick++) {
        ls_input none[1];
        ls_frame still = {.tick = tick, .inputs = none};
        if (flips && (tick == 4 || tick == 8))
            assert_true(ls_world_flip_bit(world, pick, what, sizeof what));
        assert_int_equal(ls_world_advance(world, &still, NULL, NULL), LS_OK);
        note(self);
    }
}

/* A new history keeps nothing of the earlier one, even if a page begins with the content that it
 * had at the end of the earlier one. */
TEST(test_state_history_of_another_history)
{
    for (uint64_t pick = 0; pick < 64; pick++) {
        history *self = ls_alloc(sizeof *self);
        begin(self, 64u << 20);
        run_to(self, 1);
        ls_snapshot *then = ls_world_snapshot(self->self.world);
        run_still(self, true, pick);
        ls_world_restore(self->self.world, then);
        ls_snapshot_destroy(then);
        note(self);
        run_still(self, false, pick);
        assert_int_equal(check_all(self), 12);
        end(self);
        ls_free(self);
    }
}
