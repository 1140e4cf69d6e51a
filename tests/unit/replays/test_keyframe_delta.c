/* A delta keyframe is converted to a full one of the same state, or refused. */
#include "replays/keyframe_delta.h"

#include "battle.h"
#include "replays/keyframe.h"

/* The keyframes of ticks 30 and 150 are full. */
enum { SPACING = 30 };

typedef struct fixture {
    battle match;
    ls_recording *recording;
    const ls_recording_keyframe *keyframes;
    uint32_t count;
    ls_keyframe_delta unfold;
} fixture;

static void begin(fixture *self)
{
    *self = (fixture){0};
    battle_begin(&self->match,
                 &(battle_config){.ticks = 200, .is_closed = true, .keyframes = SPACING});
    self->recording = battle_open(&self->match, self->match.memory.bytes);
    self->count = ls_recording_keyframes(self->recording, &self->keyframes);
    assert_int_equal(self->count, 6);
    self->unfold = (ls_keyframe_delta){.program = self->match.program,
                                       .match = &ls_recording_get_header(self->recording)->match};
}

static void end(fixture *self)
{
    ls_keyframe_delta_reset(&self->unfold);
    ls_recording_close(self->recording);
    battle_end(&self->match);
}

TEST(test_keyframe_delta_unfold_gives_the_same_state)
{
    fixture self;
    begin(&self);
    ls_world *world = battle_world(&self.match);
    for (uint32_t i = 0; i < self.count; i++) {
        const ls_recording_keyframe *keyframe = &self.keyframes[i], *base = keyframe;
        ls_recording_keyframe full;
        if (keyframe->tick == keyframe->base_tick)
            continue;
        while (base->tick != keyframe->base_tick)
            base--;
        assert_true(ls_keyframe_delta_apply(&self.unfold, base, keyframe, &full));
        assert_int_equal(full.tick, keyframe->tick);
        assert_int_equal(full.base_tick, keyframe->tick);
        assert_int_equal(full.players, keyframe->players);
        assert_ok(ls_keyframe_decode(world, NULL, full.data, full.bytes, NULL));
        assert_int_equal(ls_world_tick(world), keyframe->tick);
        assert_true(ls_world_root(world) == self.match.roots[keyframe->tick]);
        ls_free((void *)full.data);
    }
    ls_world_destroy(world);
    end(&self);
}

TEST(test_keyframe_delta_unfold_needs_base_bytes_and_program)
{
    fixture self;
    begin(&self);
    ls_recording_keyframe full = {0};
    const ls_recording_keyframe *base = &self.keyframes[0], *keyframe = &self.keyframes[1];
    const ls_recording_keyframe *other = &self.keyframes[4];
    assert_int_equal(other->tick, other->base_tick);
    assert_false(ls_keyframe_delta_apply(&self.unfold, other, keyframe, &full));
    assert_false(ls_keyframe_delta_apply(&self.unfold, keyframe, keyframe, &full));
    ls_recording_keyframe wrong = *keyframe;
    wrong.tick++;
    assert_false(ls_keyframe_delta_apply(&self.unfold, base, &wrong, &full));
    wrong = *keyframe;
    wrong.bytes /= 2;
    assert_false(ls_keyframe_delta_apply(&self.unfold, base, &wrong, &full));
    assert_true(ls_keyframe_delta_apply(&self.unfold, base, keyframe, &full));
    ls_free((void *)full.data);

    ls_keyframe_delta none = {.match = self.unfold.match};
    assert_false(ls_keyframe_delta_apply(&none, base, keyframe, &full));
    ls_keyframe_delta_reset(&none);
    end(&self);
}
