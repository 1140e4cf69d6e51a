/* Events: which system receives which event, in which order, and for how long. */
#include "mutation_sim.h"

#include "core/state/world_state.h"

enum { SENDS, BEEPS };

/* Entity i sends i % 3 shouts; every seventh entity sends beeps between them. */
static void send(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    uint32_t base = *(const uint32_t *)ls_system_data(context);
    for (uint32_t call = 0; call < slot % 3; call++) {
        ls_event_send(context, SENDS,
                      &(shout){entities[0], base + slot * 2 + call, (uint32_t)ls_tick(context)});
        if (slot % 7 == 0)
            ls_event_send(context, BEEPS, NULL);
    }
}

/* Receives the shouts of the senders with these bases, in that order, and their beeps. */
static void hear(ls_context *context, const ls_entity *entities)
{
    ls_event_walk walk;
    ls_event_begin(context, SENDS, &walk);
    for (const uint32_t *base = ls_system_data(context); *base; base++) {
        for (uint32_t slot = 0; slot < population.count; slot++) {
            for (uint32_t call = 0; call < slot % 3; call++) {
                const shout *heard = ls_event_next(&walk);
                assert_non_null(heard);
                assert_int_equal(heard->value, *base + slot * 2 + call);
                assert_int_equal(heard->who, mutation_entity(slot));
                assert_int_equal(heard->spare, ls_tick(context));
            }
        }
    }
    assert_null(ls_event_next(&walk));
    assert_null(ls_event_next(&walk));
}

static const uint32_t first_bases[] = {100000, 200000, 0},
                      all_bases[] = {100000, 200000, 300000, 0}, third_base[] = {300000};

#define SENDER(system, of, ...)                                                                    \
    {                                                                                              \
        .name = system, .match = send, .data = of,                                                 \
        .terms =                                                                                   \
            LS_TERM_LIST([SENDS] = LS_SENDS(shouts), [BEEPS] = LS_SENDS(beeps), LS_READS(counts)), \
        __VA_ARGS__                                                                                \
    }
#define HEARER(system, of, ...)                                                                    \
    {                                                                                              \
        .name = system, .mode = LS_SEQUENTIAL, .match = hear, .data = of,                          \
        .terms = LS_TERM_LIST(LS_RECEIVES(shouts), LS_OTHERS_READ(counts)), __VA_ARGS__            \
    }

static const ls_system talk[] = {
    SENDER("a", &first_bases[0]),
    SENDER("b", &first_bases[1], .mode = LS_SEQUENTIAL),
    HEARER("between", first_bases, .after = "a, b", .before = "c"),
    HEARER("before", &all_bases[3], .before = "a, b, c"),
    SENDER("c", third_base),
    HEARER("last", all_bases, .after = "c"),
};

/* Between ticks the application sees all events, including beeps. */
static void check_presented(ls_world *world)
{
    ls_event_walk walk;
    uint32_t count = 0, wanted = 0, wanted_beeps = 0;
    uint32_t last = 0;
    for (uint32_t slot = 0; slot < population.count; slot++) {
        wanted += 3 * (slot % 3);
        wanted_beeps += slot % 7 ? 0 : 3 * (slot % 3);
    }
    ls_world_event_begin(world, &shouts, &walk);
    for (const shout *heard; (heard = ls_event_next(&walk)); count++, last = heard->value)
        assert_true(heard->value > last && heard->spare + 1 == ls_world_tick(world));
    assert_int_equal(count, wanted);
    ls_world_event_begin(world, &beeps, &walk);
    for (count = 0; ls_event_next(&walk);)
        count++;
    assert_int_equal(count, wanted_beeps);
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_events_come_by_system_match_and_call)
{
    population.count = 2000;
    mutations_agree(talk, 3, check_presented);
}

/* The same from concurrent invocations: each sees all events, and accumulates sums that need no
 * order. */
static void receive_many(ls_context *context, const ls_entity *entities)
{
    ls_event_walk walk;
    total sum = {0};
    ls_event_begin(context, 0, &walk);
    for (const shout *heard; (heard = ls_event_next(&walk)); sum.few++)
        sum.sum += heard->value;
    ls_accumulate(context, 2, LS_ENTITY_NULL, &sum);
}

static const ls_system choir[] = {
    SENDER("a", &first_bases[0]),
    {.name = "receive",
     .match = receive_many,
     .terms = LS_TERM_LIST(LS_RECEIVES(shouts), LS_READS(counts), LS_ACCUMULATES(totals, LS_ADD)),
     .after = "a"}};

static void check_choir(ls_world *world)
{
    const total *all = ls_world_singleton(world, &totals);
    assert_int_equal(all->few, population.count * population.count);
}

TEST(test_events_are_heard_by_concurrent_systems)
{
    population.count = 600; /* on average each entity sends one shout */
    mutations_agree(choir, 1, check_choir);
}

/* A system that sends and receives gets the events of earlier systems, but not its own. */
static void echo(ls_context *context, const ls_entity *entities)
{
    ls_event_walk walk;
    ls_event_begin(context, 0, &walk);
    const shout *heard = ls_event_next(&walk);
    assert_int_equal(heard->value, 100002);
    assert_int_equal(heard->who, mutation_entity(1));
    assert_null(ls_event_next(&walk));
    ls_event_send(context, 1, &(shout){entities[0], heard->value + 1, 0});
}

static const ls_system echoing[] = {
    SENDER("a", &first_bases[0]),
    {.name = "echo",
     .match = echo,
     .terms = LS_TERM_LIST(LS_RECEIVES(shouts), LS_SENDS(shouts), LS_WITH(counts)),
     .after = "a"}};

TEST(test_events_of_a_system_are_not_for_itself)
{
    population.count = 2;
    mutations_agree(echoing, 3, NULL);
}

static uint32_t presented(const ls_world *world)
{
    ls_event_walk walk;
    uint32_t count = 0;
    ls_world_event_begin(world, &shouts, &walk);
    while (ls_event_next(&walk))
        count++;
    return count;
}

TEST(test_events_are_gone_when_another_state_comes)
{
    population.count = 300;
    harness self;
    harness_begin(&self, mutation_sim(talk, LS_COUNT_OF(talk)), 1);
    assert_int_equal(presented(self.world), 0);
    ls_snapshot *snapshot = ls_world_snapshot(self.world);
    harness_tick(self.world, NULL);
    assert_int_equal(presented(self.world), 900);
    size_t count;
    uint8_t *bytes = harness_bytes(self.world, &count);
    assert_int_equal(ls_world_decode(self.world, bytes, count - 1, NULL), LS_ERROR_CORRUPT);
    assert_int_equal(presented(self.world), 900); /* refused: nothing has changed */
    assert_int_equal(ls_world_decode(self.world, bytes, count, NULL), LS_OK);
    assert_int_equal(presented(self.world), 0);
    harness_tick(self.world, NULL);
    assert_int_equal(presented(self.world), 900);
    ls_world_restore(self.world, snapshot);
    assert_int_equal(presented(self.world), 0);
    harness_tick(self.world, NULL);
    assert_int_equal(presented(self.world), 900);
    ls_free(bytes);
    ls_snapshot_destroy(snapshot);
    harness_end(&self);
}

/* Events are not part of the state: a snapshot contains only their counters. */
TEST(test_events_are_no_state)
{
    population.count = 30;
    harness self;
    harness_begin(&self, mutation_sim(talk, LS_COUNT_OF(talk)), 1);
    harness_tick(self.world, NULL);
    uint64_t root = ls_world_root(self.world);
    size_t count;
    uint8_t *bytes = harness_bytes(self.world, &count);
    assert_int_equal(ls_world_decode(self.world, bytes, count, NULL), LS_OK);
    assert_int_equal(ls_world_root(self.world), root);
    ls_free(bytes);
    harness_end(&self);
}

/* The maximum counts all types together. Only this system's last events are dropped. */
static void send_too_many(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < LS_RECORDS_MAX - 2; i++)
        ls_event_send(context, BEEPS, NULL);
    for (uint32_t i = 0; i < 5; i++)
        ls_event_send(context, SENDS, &(shout){.value = i});
}

static void send_one(ls_context *context, const ls_entity *entities)
{
    ls_event_send(context, 0, &(shout){.value = 77});
}

TEST(test_events_beyond_the_maximum_are_dropped_from_the_end)
{
    const ls_system many[] = {
        {.name = "many",
         .mode = LS_SEQUENTIAL,
         .match = send_too_many,
         .terms = LS_TERM_LIST([SENDS] = LS_SENDS(shouts), [BEEPS] = LS_SENDS(beeps))},
        {.name = "one",
         .mode = LS_SEQUENTIAL,
         .match = send_one,
         .terms = LS_TERM_LIST(LS_SENDS(shouts))}};
    static const uint32_t wanted[] = {0, 1, 77};
    harness self;
    harness_begin(&self, mutation_sim(many, 2), 1);
    uint64_t root = ls_world_root(self.world);
    for (uint32_t tick = 1; tick <= 2; tick++) {
        harness_tick(self.world, NULL);
        assert_int_equal(self.world->state.dropped[LS_DROPPED_EVENTS], 3 * tick);
        ls_event_walk walk;
        ls_world_event_begin(self.world, &shouts, &walk);
        for (uint32_t i = 0; i < LS_COUNT_OF(wanted); i++)
            assert_int_equal(((const shout *)ls_event_next(&walk))->value, wanted[i]);
        assert_null(ls_event_next(&walk));
    }
    self.world->state.tick = 0;
    assert_true(ls_world_root(self.world) != root); /* the counter is part of the state */
    harness_end(&self);
}

static void send_one_type(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    uint32_t base = *(const uint32_t *)ls_system_data(context);
    for (uint32_t call = 0; call < slot % 3; call++)
        ls_event_send(context, 0,
                      &(shout){entities[0], base + slot * 2 + call, (uint32_t)ls_tick(context)});
}

#define SENDER_OF_ONE(system, of, ...)                                                             \
    {                                                                                              \
        .name = system, .match = send_one_type, .data = of,                                        \
        .terms = LS_TERM_LIST(LS_SENDS(shouts), LS_READS(counts)), __VA_ARGS__                     \
    }

/* The events of a system that sends one type lie side by side, without a head. */
TEST(test_events_of_systems_with_one_type_come_by_match_and_call)
{
    const ls_system one_type[] = {
        SENDER_OF_ONE("a", &first_bases[0]),
        SENDER_OF_ONE("b", &first_bases[1], .mode = LS_SEQUENTIAL),
        SENDER("c", &third_base[0], .after = "b"),
        HEARER("hear", all_bases, .after = "a, b, c"),
    };
    population.count = 3 * LS_PAGE_SLOTS + 5;
    mutations_agree(one_type, 3, NULL);
}

static void send_too_many_of_one(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < LS_RECORDS_MAX + 3; i++)
        ls_event_send(context, 0, &(shout){.value = i});
}

TEST(test_events_of_one_type_beyond_the_maximum_are_dropped_from_the_end)
{
    const ls_system many[] = {{.name = "many",
                               .mode = LS_SEQUENTIAL,
                               .match = send_too_many_of_one,
                               .terms = LS_TERM_LIST(LS_SENDS(shouts))},
                              {.name = "one",
                               .mode = LS_SEQUENTIAL,
                               .match = send_one,
                               .terms = LS_TERM_LIST(LS_SENDS(shouts))}};
    uint32_t count = 0, last[2] = {0};
    harness self;
    harness_begin(&self, mutation_sim(many, 2), 1);
    harness_tick(self.world, NULL);
    assert_int_equal(self.world->state.dropped[LS_DROPPED_EVENTS], 3);
    ls_event_walk walk;
    ls_world_event_begin(self.world, &shouts, &walk);
    for (const shout *heard; (heard = ls_event_next(&walk)); count++) {
        last[0] = last[1];
        last[1] = heard->value;
    }
    assert_int_equal(count, LS_RECORDS_MAX + 1);
    assert_int_equal(last[0], LS_RECORDS_MAX - 1);
    assert_int_equal(last[1], 77);
    harness_end(&self);
}

/* For an event type with a value, NULL sends zeros, whatever the buffer contained. */
static void send_nothing(ls_context *context, const ls_entity *entities)
{
    ls_event_send(context, 0, ls_tick(context) % 2 ? NULL : &(shout){UINT64_MAX, 9, 9});
}

TEST(test_events_without_a_value_are_zero)
{
    const ls_system nothing[] = {{.name = "nothing",
                                  .mode = LS_SEQUENTIAL,
                                  .match = send_nothing,
                                  .terms = LS_TERM_LIST(LS_SENDS(shouts))}};
    static const shout zero;
    harness self;
    harness_begin(&self, mutation_sim(nothing, 1), 1);
    for (uint32_t tick = 0; tick < 2; tick++)
        harness_tick(self.world, NULL);
    ls_event_walk walk;
    ls_world_event_begin(self.world, &shouts, &walk);
    assert_memory_equal(ls_event_next(&walk), &zero, sizeof zero);
    harness_end(&self);
}
