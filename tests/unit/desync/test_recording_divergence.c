/* Two recordings of one match that differ from some tick on, in inputs or roots: the search names
 * the exact first tick. */
#include "desync/recording_divergence.h"
#include "tests/unit/replays/sample.h"

enum { TICKS = 40, NEVER = 1000 };

typedef struct script {
    uint64_t ticks;
    uint64_t root_tick;  /* roots differ from this tick on */
    uint64_t input_tick; /* this tick's last input is missing */
    uint64_t lag;
    uint64_t seed;
    const char *name;
} script;

static const script plain = {.ticks = TICKS, .root_tick = NEVER, .input_tick = NEVER};
static const script late = {.ticks = TICKS, .root_tick = NEVER, .input_tick = NEVER, .lag = 7};
static const script brief = {.ticks = 13, .root_tick = NEVER, .input_tick = NEVER};

static script other(uint64_t input_tick, uint64_t root_tick)
{
    return (script){.ticks = TICKS, .root_tick = root_tick, .input_tick = input_tick};
}

static uint64_t root_of(const script *of, uint64_t tick)
{
    return sample_root(tick) ^ (tick >= of->root_tick);
}

static void add_roots(const script *of, ls_recorder *recorder, uint64_t end)
{
    while (ls_recorder_root_tick(recorder) < end) {
        uint64_t root = root_of(of, ls_recorder_root_tick(recorder));
        assert_ok(ls_recorder_add_root(recorder, root, NULL));
    }
}

static void record(ls_memory_sink *memory, const script *of)
{
    ls_recording_header header = sample_header();
    ls_recorder *recorder;
    ls_memory_sink_init(memory);
    header.match.seed += of->seed;
    if (of->name)
        strcpy(header.simulation.name, of->name);
    assert_ok(
        ls_recorder_create_on(ls_memory_sink_open(memory), "memory", &header, &recorder, NULL));
    for (uint64_t tick = 0; tick < of->ticks; tick++) {
        sample_frame sample;
        sample_frame_init(&sample, tick);
        if (tick == of->input_tick)
            sample.frame.count--;
        if (tick >= of->lag)
            add_roots(of, recorder, tick - of->lag + 1);
        assert_ok(ls_recorder_append(recorder, &sample.frame, NULL));
    }
    add_roots(of, recorder, of->ticks + 1);
    assert_ok(ls_recorder_finish(recorder, LS_CLOSING_CUT, NULL));
    ls_recorder_destroy(recorder);
}

typedef struct pair {
    ls_memory_sink memories[2];
    ls_recording *recordings[2];
    ls_recording_divergence divergence;
    ls_error error;
} pair;

static void begin(pair *self, script a, script b)
{
    const script *scripts[2] = {&a, &b};
    *self = (pair){.error = {""}};
    for (uint32_t i = 0; i < 2; i++) {
        record(&self->memories[i], scripts[i]);
        assert_ok(ls_recording_open_memory("memory", self->memories[i].data,
                                           self->memories[i].bytes, &self->recordings[i], NULL));
    }
}

static void end(pair *self)
{
    for (uint32_t i = 0; i < 2; i++) {
        ls_recording_close(self->recordings[i]);
        ls_memory_sink_reset(&self->memories[i]);
    }
}

static const ls_recording_divergence *find(pair *self, script a, script b)
{
    begin(self, a, b);
    assert_ok(ls_recording_divergence_find(self->recordings, &self->divergence, &self->error));
    for (uint32_t i = 0; i < 2; i++)
        assert_ok(self->divergence.ends[i]);
    return &self->divergence;
}

static void finish(pair *self)
{
    ls_recording_divergence_reset(&self->divergence);
    assert_null(self->divergence.inputs[0]);
    end(self);
}

static void assert_state(const ls_recording_divergence *divergence, uint64_t tick)
{
    assert_int_equal(divergence->kind, LS_RECORDING_DIVERGENCE_STATE);
    assert_int_equal(divergence->tick, tick);
    assert_int_equal(divergence->roots[0], sample_root(tick + 1));
    assert_int_equal(divergence->roots[1], sample_root(tick + 1) ^ 1);
    assert_null(divergence->inputs[0]);
    assert_null(divergence->inputs[1]);
}

TEST(test_recording_divergence_of_equal_files_and_of_a_prefix)
{
    pair self;
    const ls_recording_divergence *divergence = find(&self, plain, late);
    assert_int_equal(divergence->kind, LS_RECORDING_DIVERGENCE_NONE);
    assert_int_equal(divergence->ticks[0], TICKS);
    assert_int_equal(divergence->ticks[1], TICKS);
    finish(&self);
    divergence = find(&self, plain, brief);
    assert_int_equal(divergence->kind, LS_RECORDING_DIVERGENCE_NONE);
    assert_int_equal(divergence->ticks[1], 13);
    finish(&self);
}

TEST(test_recording_divergence_names_the_tick_that_made_another_state)
{
    pair self;
    for (uint64_t tick = 1; tick <= TICKS; tick++) {
        assert_state(find(&self, late, other(NEVER, tick)), tick - 1);
        finish(&self);
    }
    const ls_recording_divergence *divergence = find(&self, late, other(NEVER, 0));
    assert_int_equal(divergence->kind, LS_RECORDING_DIVERGENCE_START);
    assert_int_equal(divergence->tick, 0);
    assert_int_equal(divergence->roots[1], sample_root(0) ^ 1);
    finish(&self);
}

TEST(test_recording_divergence_names_the_tick_of_other_inputs)
{
    pair self;
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        const ls_recording_divergence *divergence = find(&self, plain, other(tick, tick + 1));
        assert_int_equal(divergence->kind, LS_RECORDING_DIVERGENCE_INPUTS);
        assert_int_equal(divergence->tick, tick);
        assert_non_null(divergence->inputs[0]);
        assert_string_not_equal(divergence->inputs[0], divergence->inputs[1]);
        if (tick == 0)
            assert_string_equal(divergence->inputs[1],
                                "player 0 join, player 1 join, player 2 join");
        finish(&self);
    }
}

/* The earlier difference counts. After different states, different inputs are not examined. */
TEST(test_recording_divergence_of_both_is_the_earlier_one)
{
    pair self;
    assert_state(find(&self, plain, other(20, 20)), 19);
    finish(&self);
    assert_state(find(&self, late, other(30, 11)), 10);
    finish(&self);
    assert_int_equal(find(&self, plain, other(20, 25))->tick, 20);
    finish(&self);
}

TEST(test_recording_divergence_says_how_far_a_damaged_one_could_be_read)
{
    pair self;
    begin(&self, plain, other(NEVER, 5));
    ls_recording_close(self.recordings[1]);
    self.memories[1].data[self.memories[1].bytes / 2] ^= 1;
    assert_ok(ls_recording_open_memory("memory", self.memories[1].data, self.memories[1].bytes,
                                       &self.recordings[1], NULL));
    assert_ok(ls_recording_divergence_find(self.recordings, &self.divergence, &self.error));
    assert_state(&self.divergence, 4);
    assert_int_equal(self.divergence.ticks[0], TICKS);
    assert_in_range(self.divergence.ticks[1], 6, TICKS - 1);
    assert_ok(self.divergence.ends[0]);
    assert_int_equal(self.divergence.ends[1], LS_ERROR_CORRUPT);
    assert_true(self.divergence.end_text[1].text[0] != 0);
    finish(&self);
}

TEST(test_recording_divergence_refuses_two_matches)
{
    pair self;
    begin(&self, plain, (script){.seed = 1});
    assert_int_equal(ls_recording_divergence_find(self.recordings, &self.divergence, &self.error),
                     LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(self.error.text, "seed 42 with 4 seats, and seed 43"));
    end(&self);
    begin(&self, plain, (script){.name = "chess"});
    assert_int_equal(ls_recording_divergence_find(self.recordings, &self.divergence, &self.error),
                     LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(self.error.text, "'skirmish', the other of 'chess'"));
    end(&self);
}
