/* The report of verify about a tick that does not end as recorded. It depends on what the file
 * contains after the tick: nothing, column hashes, a state directly after it or later. A legal
 * order may also end as recorded. */
#include "desync/divergence_search.h"

#include "desync/bisect.h"
#include "desync/recorded_diff.h"
#include "replays/keyframe.h"
#include "tests/support/memory_sink.h"
#include "tests/unit/core/check_sim.h"
#include <lockstep/recorder.h>

enum { TICKS = 40, FAULT = 17, NEVER = 1000 };

/* The recorded run has a fault in this tick; the replay has none. */
static uint64_t fault_tick = NEVER;
static uint32_t fault_line;

static void walk(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        fault_line = __LINE__ + 1;
        cells[i].x += ls_tick(context) == fault_tick && i + span->first_slot == 7 ? 1000 : 1;
    }
}

static void look(ls_context *context, const ls_span *span)
{
    (void)ls_span_read(context, span, 0);
}

static void add(ls_context *context, const ls_entity *entities)
{
    tally *cell = ls_singleton_write(context, 0);
    cell->sum += 1;
}

static void triple(ls_context *context, const ls_entity *entities)
{
    tally *cell = ls_singleton_write(context, 0);
    cell->sum *= 3;
}

static const ls_term to_tallies[] = {LS_OTHERS_WRITE(tallies), {0}};
static const ls_system systems[] = {
    {.name = "walk", .mode = LS_CONCURRENT, .span = walk, .terms = LS_TERM_LIST(LS_WRITES(places))},
    {.name = "look", .span = look, .terms = LS_TERM_LIST(LS_READS(places)), .after = "walk"},
    {.name = "add", .mode = LS_SEQUENTIAL, .match = add, .terms = to_tallies},
    {.name = "triple", .mode = LS_SEQUENTIAL, .match = triple, .terms = to_tallies},
};
/* "pour" has the fault, and "soak" spreads it into a component that comes before in the columns. */
static void pour(ls_context *context, const ls_entity *entities)
{
    tally *cell = ls_singleton_write(context, 0);
    cell->sum += ls_tick(context) == fault_tick ? 1000 : 1;
}

static void soak(ls_context *context, const ls_entity *entities)
{
    place *cell = ls_cell_write(context, 0, entities[0]);
    cell->x += (int32_t)((const tally *)ls_singleton_read(context, 1))->sum;
}

static const ls_system spreading[] = {
    {.name = "pour", .mode = LS_SEQUENTIAL, .match = pour, .terms = to_tallies},
    {.name = "soak",
     .mode = LS_SEQUENTIAL,
     .match = soak,
     .terms = LS_TERM_LIST(LS_WRITES(places), LS_OTHERS_READ(tallies)),
     .after = "pour"},
};
static const ls_independence independences[] = {{"add", "triple", "a lie"}};

/* How the match is recorded. */
typedef struct script {
    uint64_t fault;
    uint32_t columns, keyframes; /* in ticks; 0: never */
    uint64_t shuffled;           /* the tick that runs in another order; 0: none */
    bool has_other_start;
    bool is_spreading;       /* with the systems of that name */
    uint64_t wrong_roots[2]; /* the first and last tick with a wrong recorded root; 0: none */
} script;

typedef struct match {
    harness here;
    ls_memory_sink memory;
    ls_recording *recording;
    ls_root_difference difference;
    ls_divergence found;
} match;

static void add_state(const script *of, ls_recorder *recorder, ls_world *world)
{
    uint64_t tick = ls_world_tick(world), hashes[LS_COMPONENTS_MAX];
    const ls_program *program = ls_world_program(world);
    if (of->columns && tick && tick % of->columns == 0) {
        ls_world_column_hashes(world, hashes);
        assert_ok(ls_recorder_append_columns(recorder, tick, hashes,
                                             ls_program_column_count(program), NULL));
    }
    if (!of->keyframes || !tick || tick % of->keyframes)
        return;
    uint8_t *bytes;
    ls_snapshot *now = ls_world_snapshot(world);
    ls_recording_keyframe keyframe = {.tick = tick, .base_tick = tick};
    ls_keyframe_encode(now, NULL, &bytes, &keyframe.bytes);
    keyframe.data = bytes;
    assert_ok(ls_recorder_append_keyframe(recorder, &keyframe, NULL));
    ls_snapshot_destroy(now);
    ls_free(bytes);
}

/* Advances in an order in which "triple" comes first, unlike in the usual one. */
static void run_shuffled(ls_world *world, const ls_frame *frame)
{
    ls_snapshot *before = ls_world_snapshot(world);
    const tally *cell = ls_world_singleton(world, &tallies);
    uint32_t wanted = cell->sum * 3 + 1;
    for (uint64_t seed = 1; seed < 64; seed++) {
        ls_executor *executor = harness_executor(1, seed);
        assert_ok(ls_world_advance(world, frame, executor, NULL));
        ls_executor_destroy(executor);
        cell = ls_world_singleton(world, &tallies);
        if (cell->sum == wanted)
            break;
        ls_world_restore(world, before);
        assert_true(seed < 63);
    }
    ls_snapshot_destroy(before);
}

static void record(match *self, const script *of)
{
    ls_world *world = harness_world(&self->here);
    ls_recording_header header = {.salt = 9, .match = *ls_world_match(world), .build = "test"};
    header.simulation.rules_version = LS_ENGINE_RULES;
    memcpy(header.simulation.fingerprint, ls_program_fingerprint(self->here.program),
           LS_FINGERPRINT_BYTES);
    strcpy(header.simulation.name, "harness");
    ls_recorder *recorder;
    ls_memory_sink_init(&self->memory);
    assert_ok(ls_recorder_create_on(ls_memory_sink_open(&self->memory), "match", &header, &recorder,
                                    NULL));
    fault_tick = of->fault;
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        bool is_wrong =
            of->wrong_roots[0] && tick >= of->wrong_roots[0] && tick <= of->wrong_roots[1];
        uint64_t flip = (tick == 0 && of->has_other_start) || is_wrong;
        const ls_frame frame = {.tick = tick};
        assert_ok(ls_recorder_add_root(recorder, ls_world_root(world) ^ flip, NULL));
        add_state(of, recorder, world);
        assert_ok(ls_recorder_append(recorder, &frame, NULL));
        if (of->shuffled && tick == of->shuffled)
            run_shuffled(world, &frame);
        else
            assert_ok(ls_world_advance(world, &frame, NULL, NULL));
    }
    fault_tick = NEVER;
    assert_ok(ls_recorder_add_root(recorder, ls_world_root(world), NULL));
    assert_ok(ls_recorder_finish(recorder, LS_CLOSING_FINISHED, NULL));
    ls_recorder_destroy(recorder);
    ls_world_destroy(world);
}

/* Replays up to the first root that differs from the recorded one, as verify does. */
static void replay(match *self)
{
    ls_world *world = harness_world(&self->here);
    const ls_recording_tick *tick;
    uint64_t root;
    for (;;) {
        uint64_t at = ls_world_tick(world);
        assert_true(ls_recording_find_root(self->recording, at, &root));
        if (root != ls_world_root(world)) {
            self->difference = (ls_root_difference){at, root, ls_world_root(world)};
            break;
        }
        assert_ok(ls_recording_next(self->recording, &tick, NULL));
        assert_non_null(tick);
        assert_ok(ls_world_advance(world, &tick->frame, NULL, NULL));
    }
    ls_world_destroy(world);
}

static void make(match *self, script of)
{
    static ls_sim sim;
    sim = of.is_spreading ? check_sim(spreading, LS_COUNT_OF(spreading))
                          : check_sim(systems, LS_COUNT_OF(systems));
    sim.independences = independences;
    sim.independence_count = of.is_spreading ? 0 : LS_COUNT_OF(independences);
    *self = (match){{0}};
    harness_begin(&self->here, &sim, 1);
    record(self, &of);
    assert_ok(ls_recording_open_memory("match", self->memory.data, self->memory.bytes,
                                       &self->recording, NULL));
}

static const ls_divergence *find(match *self, script of)
{
    make(self, of);
    replay(self);
    ls_divergence_find(self->recording, self->here.program, &self->difference, &self->found);
    const ls_divergence *found = &self->found;
    assert_true(found->expected_root == self->difference.expected);
    assert_true(found->found_root == self->difference.found);
    assert_true(found->how[0]);
    return found;
}

static void end(match *self)
{
    ls_recording_close(self->recording);
    ls_memory_sink_reset(&self->memory);
    harness_end(&self->here);
}

static void assert_says(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("\"%s\" is not in \"%s\"", words, text);
}

TEST(test_divergence_of_a_file_that_holds_nothing)
{
    match self;
    const ls_divergence *found = find(&self, (script){.fault = FAULT});
    assert_int_equal(found->tick, FAULT);
    assert_false(found->is_start);
    assert_string_equal(found->component, "");
    assert_string_equal(found->system, "");
    assert_string_equal(found->writers, "");
    assert_says(found->how, "neither hashes nor states");
    end(&self);
}

TEST(test_divergence_by_hashes_of_columns)
{
    match self;
    const ls_divergence *found = find(&self, (script){.fault = FAULT, .columns = 5});
    assert_int_equal(found->tick, FAULT);
    assert_string_equal(found->component, "place");
    assert_string_equal(found->columns, "place");
    assert_string_equal(found->writers, "walk");
    assert_string_equal(found->entity, "");
    assert_string_equal(found->expected, "");
    assert_int_equal(found->seen_tick, 20);
    assert_says(found->how, "the column hashes that the file holds before tick 20, 2 ticks later");
    end(&self);
}

TEST(test_divergence_by_a_later_state)
{
    match self;
    const ls_divergence *found =
        find(&self, (script){.fault = FAULT, .columns = 4, .keyframes = 10});
    assert_string_equal(found->component, "place");
    assert_string_equal(found->entity, "a/7:1");
    assert_string_equal(found->field, "x");
    assert_string_equal(found->expected, "1026");
    assert_string_equal(found->found, "27");
    assert_string_equal(found->system, "");
    assert_string_equal(found->writers, "walk");
    assert_int_equal(found->seen_tick, 20);
    assert_says(found->how, "the state that the file holds before tick 20, 2 ticks later");
    end(&self);
}

TEST(test_divergence_by_the_next_state)
{
    match self;
    char line[64];
    const ls_divergence *found = find(&self, (script){.fault = FAULT, .keyframes = FAULT + 1});
    assert_int_equal(found->tick, FAULT);
    assert_string_equal(found->system, "walk");
    assert_string_equal(found->writers, "");
    assert_string_equal(found->component, "place");
    assert_string_equal(found->entity, "a/7:1");
    assert_string_equal(found->expected, "1024");
    assert_string_equal(found->found, "25");
    assert_says(found->how, "the state that the file holds right after it");
    snprintf(line, sizeof line, "test_divergence.c:%u", fault_line);
    assert_says(found->line, "walk at ");
    assert_says(found->line, line);
    end(&self);
}

/* Two components differ after the tick; the one that was stored first is the cause. */
TEST(test_divergence_by_the_system_that_stored_first)
{
    match self;
    const ls_divergence *found =
        find(&self, (script){.fault = FAULT, .keyframes = FAULT + 1, .is_spreading = true});
    assert_string_equal(found->system, "pour");
    assert_string_equal(found->component, "tally");
    assert_string_equal(found->field, "sum");
    assert_says(found->line, "pour at ");
    end(&self);
}

/* A tick that some legal order ends as recorded needs no later state. */
TEST(test_divergence_in_another_legal_order)
{
    match self;
    const ls_divergence *found = find(&self, (script){.fault = NEVER, .shuffled = FAULT});
    assert_int_equal(found->tick, FAULT);
    assert_string_equal(found->component, "tally");
    assert_string_equal(found->field, "sum");
    assert_true(strcmp(found->system, "add") == 0 || strcmp(found->system, "triple") == 0);
    assert_string_not_equal(found->expected, found->found);
    assert_says(found->how, "run in the legal order ");
    assert_says(found->how, "the tick ends as recorded; found: as ever");
    end(&self);
}

/* No tick caused this difference, so no system is searched. */
TEST(test_divergence_before_the_first_tick)
{
    match self;
    const ls_divergence *found =
        find(&self, (script){.fault = 0, .keyframes = 3, .has_other_start = true});
    assert_true(found->is_start);
    assert_int_equal(found->tick, 0);
    assert_string_equal(found->system, "");
    assert_string_equal(found->writers, "");
    assert_string_equal(found->entity, "a/7:1");
    assert_int_equal(found->seen_tick, 3);
    assert_says(found->how, "3 ticks later");
    end(&self);
}

/* -- wrong roots of right states */

TEST(test_divergence_of_a_root_that_is_wrong_alone)
{
    match self;
    const ls_divergence *found = find(&self, (script){.fault = NEVER,
                                                      .columns = 20,
                                                      .keyframes = 25,
                                                      .wrong_roots = {FAULT + 1, FAULT + 1}});
    assert_int_equal(found->tick, FAULT);
    assert_int_equal(found->agrees_tick, FAULT + 2);
    assert_string_equal(found->component, "");
    assert_says(found->how, "the file holds after it do not differ");
    end(&self);
    found = find(&self, (script){.fault = NEVER, .wrong_roots = {FAULT + 1, FAULT + 4}});
    assert_int_equal(found->agrees_tick, FAULT + 5);
    assert_says(found->how, "neither hashes nor states");
    end(&self);
}

TEST(test_divergence_that_persists_agrees_nowhere)
{
    match self;
    const ls_divergence *found = find(&self, (script){.fault = FAULT, .columns = 5});
    assert_int_equal(found->agrees_tick, 0);
    end(&self);
}

/* -- two files: the states that both contain after the tick where they diverge */

static void compare(match pair[2], script a, script b, ls_divergence *held)
{
    make(&pair[0], a);
    make(&pair[1], b);
    ls_match_run runs[2];
    for (uint32_t i = 0; i < 2; i++)
        runs[i] = (ls_match_run){.recording = pair[i].recording, .program = pair[i].here.program};
    *held = (ls_divergence){0};
    ls_recorded_diff_find(runs, FAULT + 1, held);
    for (uint32_t i = 0; i < 2; i++)
        ls_match_run_reset(&runs[i]);
}

static void end_pair(match pair[2])
{
    end(&pair[0]);
    end(&pair[1]);
}

TEST(test_divergence_of_files_names_the_cell_by_two_keyframes)
{
    match pair[2];
    ls_divergence held;
    script kept = {.fault = FAULT, .keyframes = 20}, good = kept;
    good.fault = NEVER;
    compare(pair, kept, good, &held);
    assert_string_equal(held.component, "place");
    assert_string_equal(held.entity, "a/7:1");
    assert_string_equal(held.field, "x");
    assert_string_equal(held.expected, "1026");
    assert_string_equal(held.found, "27");
    assert_string_equal(held.writers, "walk");
    assert_int_equal(held.seen_tick, 20);
    assert_says(held.how, "from the states of both files before tick 20, 2 ticks later");
    end_pair(pair);
}

/* The side without a keyframe is replayed, if it ends in its recorded root. */
TEST(test_divergence_of_files_replays_the_side_that_holds_no_state)
{
    match pair[2];
    ls_divergence held;
    compare(pair, (script){.fault = NEVER}, (script){.fault = FAULT, .keyframes = FAULT + 1},
            &held);
    assert_string_equal(held.field, "x");
    assert_string_equal(held.expected, "25");
    assert_string_equal(held.found, "1024");
    assert_int_equal(held.seen_tick, FAULT + 1);
    assert_string_equal(held.how, "from the states of both files right after it");
    end_pair(pair);
}

/* A replay that does not end in the recorded root proves nothing about that side. */
TEST(test_divergence_of_files_takes_no_replay_for_a_state)
{
    match pair[2];
    ls_divergence held;
    compare(pair, (script){.fault = FAULT},
            (script){.fault = NEVER, .keyframes = 20, .columns = 20}, &held);
    assert_string_equal(held.component, "");
    assert_int_equal(held.seen_tick, 0);
    assert_int_equal(held.agrees_tick, 0);
    assert_says(held.how, "or cannot be compared");
    end_pair(pair);
}

TEST(test_divergence_of_files_names_the_component_by_column_hashes)
{
    match pair[2];
    ls_divergence held;
    script kept = {.fault = FAULT, .columns = 6}, good = kept;
    good.fault = NEVER;
    compare(pair, kept, good, &held);
    assert_string_equal(held.component, "place");
    assert_string_equal(held.columns, "place");
    assert_string_equal(held.writers, "walk");
    assert_string_equal(held.expected, "");
    assert_string_equal(held.how, "from the column hashes of both files right after it");
    end_pair(pair);
}

TEST(test_divergence_of_files_says_when_the_roots_agree_again)
{
    match pair[2];
    ls_divergence held;
    script good = {.fault = NEVER, .columns = 5}, wrong = good;
    wrong.wrong_roots[0] = wrong.wrong_roots[1] = FAULT + 1;
    compare(pair, good, wrong, &held);
    assert_string_equal(held.component, "");
    assert_int_equal(held.agrees_tick, FAULT + 2);
    assert_says(held.how, "do not differ");
    end_pair(pair);
    good.columns = wrong.columns = 0;
    compare(pair, good, wrong, &held);
    assert_says(held.how, "neither hashes nor states");
    end_pair(pair);
}

/* The difference between recorded states is reported even if no replay reaches either state. */
TEST(test_divergence_of_files_is_reported_when_no_run_repeats_a_side)
{
    match pair[2];
    ls_divergence unused;
    ls_bisect found;
    compare(pair, (script){.fault = FAULT, .columns = 6}, (script){.fault = NEVER, .columns = 6},
            &unused);
    ls_recording *const recordings[2] = {pair[0].recording, pair[1].recording};
    const ls_program *const programs[2] = {pair[0].here.program, pair[1].here.program};
    fault_tick = 3;
    assert_ok(ls_bisect_recordings(recordings, programs, NULL, &found, NULL));
    fault_tick = NEVER;
    assert_int_equal(found.kind, LS_BISECT_STATE);
    assert_int_equal(found.tick, FAULT);
    assert_true(found.has_roots && found.has_recorded_diff && !found.has_difference);
    assert_says(found.trouble.text, "another state before tick 17");
    assert_string_equal(found.recorded_diff.component, "place");
    ls_bisect_reset(&found);
    end_pair(pair);
}
