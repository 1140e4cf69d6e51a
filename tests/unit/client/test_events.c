/* Presentation events, compared with a model that keeps the full list of every tick. */
#include "echo_sim.h"
#include "tests/unit/core/harness.h"
#include <lockstep/events.h>

enum { SHOUTS, BEEPS, WINDOW = 12, PER_TICK = 6, TICKS = 4000 };

typedef struct event {
    uint32_t kind;
    echo_shout value;
} event;

/* The application's record of one event. */
typedef struct heard {
    event event;
    uint64_t id, tick;
    bool is_live, is_final;
} heard;

typedef struct tick_list {
    event events[PER_TICK];
    uint32_t count;
} tick_list;

enum { HEARD_MAX = 1 << 16 };
static heard all[HEARD_MAX];
static uint32_t all_count;
static harness fixture;

static int begin(void **state)
{
    harness_begin(&fixture, &echo_sim, 5);
    all_count = 0;
    *state = &fixture;
    return 0;
}

/* Few different values, so that equal events occur. */
static tick_list make_list(uint64_t *random)
{
    tick_list made = {.count = test_below(random, PER_TICK + 1)};
    for (uint32_t i = 0; i < made.count; i++) {
        made.events[i].kind = test_below(random, 3) == 0 ? BEEPS : SHOUTS;
        if (made.events[i].kind == SHOUTS)
            made.events[i].value = (echo_shout){test_below(random, 2), test_below(random, 2)};
    }
    return made;
}

static void take(ls_events *events, uint64_t tick, const tick_list *of, bool is_confirmed)
{
    ls_events_begin_tick(events, tick);
    for (uint32_t i = 0; i < of->count; i++)
        ls_events_add(events, of->events[i].kind, &of->events[i].value);
    if (is_confirmed)
        ls_events_end_confirmed(events);
    else
        ls_events_end_predicted(events);
}

static heard *find(uint64_t id)
{
    for (uint32_t i = all_count; i-- > 0;) {
        if (all[i].id == id)
            return &all[i];
    }
    return NULL;
}

/* Polls all notices, records them, and fails on invalid ones. */
static void listen(ls_events *events)
{
    ls_event_update update;
    while (ls_events_poll(events, &update)) {
        heard *known = find(update.id);
        if (update.kind == LS_EVENT_HAPPENED) {
            assert_null(known);
            assert_true(all_count < HEARD_MAX);
            known = &all[all_count++];
            *known = (heard){.id = update.id,
                             .tick = update.tick,
                             .is_live = true,
                             .is_final = update.is_confirmed,
                             .event.kind = update.event == &echo_beeps ? BEEPS : SHOUTS};
            memcpy(&known->event.value, update.value, update.event->bytes);
            continue;
        }
        assert_non_null(known);
        assert_false(known->is_final);
        assert_int_equal(update.tick, known->tick);
        assert_memory_equal(update.value, &known->event.value, update.event->bytes);
        known->is_final = true;
        known->is_live = update.kind == LS_EVENT_CONFIRMED;
        assert_int_equal(update.is_confirmed, known->is_live);
    }
}

static uint32_t count_live(uint64_t tick, const event *of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all_count; i++)
        count += all[i].is_live && all[i].tick == tick && all[i].event.kind == of->kind &&
                 memcmp(&all[i].event.value, &of->value, sizeof of->value) == 0;
    return count;
}

/* Asserts that the tick's events that are reported and not cancelled equal its current list, as
 * multisets. */
static void check_tick(uint64_t tick, const tick_list *of, bool is_confirmed)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < all_count; i++) {
        live += all[i].is_live && all[i].tick == tick;
        if (all[i].tick == tick && is_confirmed)
            assert_true(all[i].is_final);
    }
    assert_int_equal(live, of->count);
    for (uint32_t i = 0; i < of->count; i++) {
        uint32_t wanted = 0;
        for (uint32_t j = 0; j < of->count; j++)
            wanted += memcmp(&of->events[i], &of->events[j], sizeof of->events[i]) == 0;
        assert_int_equal(count_live(tick, &of->events[i]), wanted);
    }
}

/* Drops final events to keep searches short. */
static void forget_before(uint64_t tick)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all_count; i++) {
        if (all[i].tick >= tick)
            all[kept++] = all[i];
    }
    all_count = kept;
}

TESTS_AROUND(begin, harness_teardown);

TEST(test_events_are_told_once_through_random_rollbacks)
{
    const harness *self = *state;
    uint64_t random = harness_seed("test_events_are_told_once_through_random_rollbacks");
    ls_events *events = ls_events_create(self->program, 100);
    tick_list lists[WINDOW];
    uint64_t next = 100, ahead = 100; /* predicted: [next, ahead) */
    while (next < TICKS) {
        uint32_t listens = test_below(&random, 3);
        uint32_t what = test_below(&random, 3);
        if (what == 0 && ahead - next < WINDOW) {
            lists[ahead % WINDOW] = make_list(&random);
            take(events, ahead, &lists[ahead % WINDOW], false);
            ahead++;
        } else if (what == 1 && ahead > next) { /* a rollback that repeats some ticks */
            for (uint64_t tick = next + test_below(&random, (uint32_t)(ahead - next)); tick < ahead;
                 tick++) {
                if (test_below(&random, 2))
                    lists[tick % WINDOW] = make_list(&random);
                take(events, tick, &lists[tick % WINDOW], false);
            }
        } else if (what == 2) {
            tick_list *list = &lists[next % WINDOW];
            if (next == ahead || test_below(&random, 3) == 0)
                *list = make_list(&random);
            take(events, next, list, true);
            ahead += next == ahead;
            if (listens) {
                listen(events);
                check_tick(next, list, true);
            }
            next++;
        }
        if (!listens)
            continue;
        listen(events);
        for (uint64_t tick = next; tick < ahead; tick++)
            check_tick(tick, &lists[tick % WINDOW], false);
        forget_before(next);
    }
    ls_events_restart(events, 9999);
    listen(events);
    for (uint32_t i = 0; i < all_count; i++)
        assert_true(all[i].tick < next || (all[i].is_final && !all[i].is_live));
    ls_event_update update;
    assert_false(ls_events_poll(events, &update)); /* releases the value of the last update */
    ls_events_stats stats = ls_events_get_stats(events);
    assert_int_equal(stats.held, 0);
    assert_int_equal(stats.left_out, 0);
    assert_true(stats.reported > TICKS && stats.cancelled > 100);
    ls_events_destroy(events);
}

TEST(test_events_never_told_are_not_cancelled)
{
    const harness *self = *state;
    ls_events *events = ls_events_create(self->program, 0);
    const tick_list one = {.count = 1, .events[0].value = {1, 2}}, none = {0};
    ls_event_update update;
    take(events, 0, &one, false);
    take(events, 0, &none, true);
    assert_false(ls_events_poll(events, &update));
    take(events, 1, &one, false);
    take(events, 1, &one, true);
    assert_true(ls_events_poll(events, &update));
    assert_int_equal(update.kind, LS_EVENT_HAPPENED);
    assert_true(update.is_confirmed);
    assert_false(ls_events_poll(events, &update));
    assert_int_equal(ls_events_get_stats(events).held, 0);
    ls_events_destroy(events);
}

TEST(test_events_beyond_the_room_are_left_out)
{
    const harness *self = *state;
    ls_events *events = ls_events_create(self->program, 0);
    uint32_t max = ls_events_get_stats(events).held_max, reported = 0;
    assert_int_equal(max, LS_CLIENT_EVENTS);
    ls_event_update update;
    ls_events_begin_tick(events, 0);
    for (uint32_t i = 0; i < max + 10; i++)
        ls_events_add(events, SHOUTS, &(echo_shout){0, i});
    ls_events_end_predicted(events);
    assert_int_equal(ls_events_get_stats(events).left_out, 10);
    while (ls_events_poll(events, &update))
        assert_int_equal(((const echo_shout *)update.value)->what, reported++);
    assert_int_equal(reported, max);
    const tick_list none = {0}, one = {.count = 1};
    take(events, 0, &none, true);
    for (reported = 0; ls_events_poll(events, &update); reported++)
        assert_int_equal(update.kind, LS_EVENT_CANCELLED);
    assert_int_equal(reported, max);
    take(events, 1, &one, true); /* there is room again */
    assert_true(ls_events_poll(events, &update));
    ls_events_destroy(events);
}

TEST(test_events_come_from_a_world)
{
    harness *self = *state;
    ls_events *events = ls_events_create(self->program, 0);
    uint32_t reported = 0;
    for (uint64_t tick = 0; tick < 50; tick++) {
        uint8_t data = (uint8_t)tick;
        ls_input input = {.player = 1, .kind = LS_INPUT, .bytes = 1, .data = &data};
        ls_frame frame = {.tick = tick, .count = 1, .inputs = &input};
        assert_ok(ls_world_advance(self->world, &frame, NULL, NULL));
        ls_events_predict(events, self->world);
        ls_events_confirm(events, self->world);
        ls_event_update update;
        while (ls_events_poll(events, &update)) {
            assert_int_equal(update.tick, tick);
            assert_true(update.is_confirmed);
            reported += update.event == &echo_shouts;
        }
    }
    assert_int_equal(reported, 50);
    ls_events_destroy(events);
}
