/* Events that live for several ticks: their receivers, and that they are part of the state. */
#include "core/state/world_state.h"
#include "harness.h"

LS_EVENT_KEPT(bell, 3, U32(number), U32(tick));
LS_EVENT_KEPT(alarm, 2, U32(number));
LS_EVENT(click, U32(number));
LS_COMPONENTS(components, bell, alarm, click);

static uint32_t ring_count; /* bells in each tick */

LS_TERMS(ringing, SENDS(bell), SENDS(alarm), SENDS(click));
static void ring(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, ringing);
    uint32_t tick = (uint32_t)ls_tick(context);
    for (uint32_t i = 0; i < ring_count; i++)
        LS_SEND(context, bell, .number = i, .tick = tick);
    LS_SEND(context, alarm, .number = tick);
    LS_SEND(context, click, .number = tick);
}

/* Events of a tick that "early", before the sender, and "late", after it, receive. */
typedef struct heard {
    uint32_t bells, alarms, clicks;
    uint32_t first_tick, last_tick; /* of the bells */
} heard;
static heard early, late;

LS_TERMS(listening, RECEIVES(bell), RECEIVES(alarm), RECEIVES(click));
static void listen(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, listening);
    heard *into = (heard *)(uintptr_t)ls_system_data(context);
    *into = (heard){0};
    LS_EACH_EVENT(context, bell, rung)
    {
        if (into->bells == 0)
            into->first_tick = rung->tick;
        assert_int_equal(rung->tick, into->first_tick + into->bells / ring_count);
        assert_int_equal(rung->number, into->bells++ % ring_count);
        into->last_tick = rung->tick;
    }
    LS_EACH_EVENT(context, alarm, given)
    into->alarms++;
    LS_EACH_EVENT(context, click, made)
    into->clicks++;
}

static const ls_system systems[] = {
    {.name = "early", .mode = LS_SEQUENTIAL, .match = listen, .data = &early, .terms = listening},
    {.name = "ring", .mode = LS_SEQUENTIAL, .match = ring, .terms = ringing, .after = "early"},
    {.name = "late",
     .mode = LS_SEQUENTIAL,
     .match = listen,
     .data = &late,
     .terms = listening,
     .after = "ring"},
};
static const ls_sim sim = HARNESS_TABLES(components, systems, .player_count = 1);

static void begin(harness *self, uint32_t bells)
{
    ring_count = bells;
    harness_begin(self, &sim, 1);
}

TEST(test_kept_events_live_for_their_ticks)
{
    harness self;
    begin(&self, 600); /* more than a page of each tick */
    for (uint32_t tick = 0; tick < 6; tick++) {
        harness_tick(self.world, NULL);
        uint32_t before = tick < 2 ? tick : 2;
        assert_int_equal(early.bells, 600 * before);
        assert_int_equal(late.bells, 600 * (before + 1));
        assert_int_equal(late.first_tick, tick - before);
        assert_int_equal(late.last_tick, tick);
        assert_int_equal(early.alarms, tick > 0);
        assert_int_equal(late.alarms, 1 + (tick > 0));
        assert_int_equal(early.clicks, 0);
        assert_int_equal(late.clicks, 1);
    }
    harness_end(&self);
}

/* The presentation gets each event once. */
TEST(test_kept_events_are_presented_once)
{
    harness self;
    begin(&self, 2);
    for (uint32_t tick = 0; tick < 4; tick++) {
        harness_tick(self.world, NULL);
        uint32_t count = 0;
        LS_EACH_WORLD_EVENT(self.world, bell, rung)
        {
            assert_int_equal(rung->tick, tick);
            count++;
        }
        assert_int_equal(count, 2);
    }
    harness_end(&self);
}

static void assert_goes_on_alike(ls_world *world, ls_world *other)
{
    assert_int_equal(ls_world_root(world), ls_world_root(other));
    for (uint32_t i = 0; i < 4; i++) {
        harness_tick(world, NULL);
        const heard expected[2] = {early, late};
        harness_tick(other, NULL);
        assert_memory_equal(&early, &expected[0], sizeof early);
        assert_memory_equal(&late, &expected[1], sizeof late);
        assert_int_equal(ls_world_root(world), ls_world_root(other));
    }
}

/* A late joiner, who reads bytes or a keyframe, and a rollback receive the same. */
TEST(test_kept_events_are_in_snapshots)
{
    harness self;
    begin(&self, 300);
    for (uint32_t tick = 0; tick < 3; tick++)
        harness_tick(self.world, NULL);
    harness_each_copy(&self, assert_goes_on_alike);
    harness_end(&self);
}

/* Two worlds at one tick that differ in a kept event alone have different roots. */
TEST(test_kept_events_are_in_the_root)
{
    harness self;
    begin(&self, 2);
    ls_world *other = harness_world(&self);
    harness_tick(self.world, NULL);
    ring_count = 1;
    harness_tick(other, NULL);
    assert_true(ls_world_root(self.world) != ls_world_root(other));
    ls_world_destroy(other);
    harness_end(&self);
}

static uint32_t hidden; /* state that no system may have */

LS_TERMS(hiding, SENDS(bell));
static void hide(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, hiding);
    if (ls_tick(context) == 3)
        hidden++;
    LS_SEND(context, bell, .number = hidden, .tick = (uint32_t)ls_tick(context));
}

/* A finding of the check executor leaves the events of earlier ticks in place. */
TEST(test_kept_events_stay_when_a_tick_is_refused)
{
    static const ls_system hiders[] = {
        {.name = "hide", .mode = LS_SEQUENTIAL, .match = hide, .terms = hiding}};
    ls_sim of_hiders = sim;
    of_hiders.systems = hiders;
    of_hiders.system_count = 1;
    harness self;
    harness_begin(&self, &of_hiders, 1);
    ls_executor *checker = harness_checker();
    for (uint32_t tick = 0; tick < 3; tick++)
        harness_tick(self.world, checker);
    uint64_t root = ls_world_root(self.world);
    ls_snapshot *before = ls_world_snapshot(self.world);
    ls_error error;
    const ls_frame frame = {.tick = 3};
    assert_int_equal(ls_world_advance(self.world, &frame, checker, &error), LS_ERROR_DIVERGED);
    assert_int_equal(ls_world_root(self.world), root);
    ls_world_restore(self.world, before);
    assert_int_equal(ls_world_root(self.world), root);
    ls_snapshot_destroy(before);
    ls_executor_destroy(checker);
    harness_end(&self);
}

/* How long an event lives is part of what both ends of a match agree on. */
TEST(test_kept_events_are_in_the_fingerprint)
{
    ls_component shorter = bell_component;
    shorter.event_ticks = 2;
    const ls_component *const changed[] = {&shorter, &alarm_component, &click_component};
    ls_sim of_shorter = sim;
    of_shorter.components = changed;
    ls_program *one, *two;
    ls_error error;
    assert_int_equal(ls_program_create(&sim, &one, &error), LS_OK);
    assert_int_equal(ls_program_create(&of_shorter, &two, &error), LS_OK);
    assert_memory_not_equal(ls_program_fingerprint(one), ls_program_fingerprint(two),
                            LS_FINGERPRINT_BYTES);
    ls_program_destroy(one);
    ls_program_destroy(two);
}
