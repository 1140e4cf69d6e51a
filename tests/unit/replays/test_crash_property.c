/* Random histories of a recording: frames, roots, epochs and syncs in any order. Then the process
 * or machine dies at any byte, bits flip, and a writer resumes the file.
 * Property: a reader gets a prefix of what was written, which includes everything synced. The
 * resumed file is readable to its end. */
#include "sample.h"

enum { LIVES = 400, DEATHS_MAX = 5, STEPS_MAX = 150, SECTOR = 512, PADDING_MAX = 3 * SECTOR };

/* A recording and what a reader may rely on. */
typedef struct record_life {
    ls_memory_sink memory;
    ls_recorder *recorder;
    uint64_t noise;
    uint64_t synced_tick;
    uint64_t full_tick, next_columns; /* tracked like in the recorder */
    uint32_t epoch;
} record_life;

static uint64_t given_seed, running_seed;
static bool is_running;

static uint64_t draw(record_life *life, uint64_t below)
{
    return test_random(&life->noise) % below;
}

static void sync_in_steps(record_life *life)
{
    ls_recorder_ticket ticket;
    uint64_t tick = ls_recorder_tick(life->recorder);
    assert_ok(ls_recorder_sync_begin(life->recorder, &ticket, NULL));
    if (draw(life, 2))
        assert_ok(sample_append_frame(life->recorder, NULL));
    ls_recorder_sync_run(&ticket);
    if (draw(life, 2))
        assert_ok(sample_append_frame(life->recorder, NULL));
    assert_ok(ls_recorder_sync_end(life->recorder, &ticket, NULL));
    life->synced_tick = tick;
}

/* Appends a record that does not affect ticks: keyframe, columns, signature or evidence. */
static void add_extra(record_life *life)
{
    static const uint64_t columns[SAMPLE_COLUMNS] = {1, 2, 3};
    uint8_t bytes[32];
    ls_recorder *recorder = life->recorder;
    uint64_t tick = ls_recorder_tick(recorder);
    ls_recording_keyframe keyframe = sample_keyframe(tick, bytes);
    switch (draw(life, 4)) {
    case 0:
        keyframe.base_tick =
            draw(life, 2) && life->full_tick != UINT64_MAX ? life->full_tick : tick;
        if (tick < ls_recorder_next_keyframe(recorder))
            return;
        life->full_tick = keyframe.base_tick;
        assert_ok(ls_recorder_append_keyframe(recorder, &keyframe, NULL));
        return;
    case 1:
        if (tick >= life->next_columns)
            assert_ok(ls_recorder_append_columns(recorder, tick, columns, SAMPLE_COLUMNS, NULL));
        life->next_columns = tick + 1;
        return;
    case 2:
        assert_ok(ls_recorder_sign(recorder, NULL));
        return;
    default:
        assert_ok(ls_recorder_append_evidence(recorder, bytes, draw(life, 32), NULL));
    }
}

static void live(record_life *life)
{
    uint64_t steps = draw(life, STEPS_MAX);
    uint64_t roots_share =
        draw(life, 60); /* percent; with few roots the frames get far ahead of them */
    for (uint64_t i = 0; i < steps; i++) {
        uint64_t choice = draw(life, 100);
        if (choice < 3)
            sync_in_steps(life);
        else if (choice < 5)
            assert_ok(ls_recorder_begin_epoch(life->recorder, ++life->epoch, 7, NULL));
        else if (choice < 10)
            add_extra(life);
        else if (choice < 10 + roots_share) {
            for (uint64_t k = draw(life, 80); k > 0; k--) {
                if (ls_recorder_root_tick(life->recorder) <= ls_recorder_tick(life->recorder))
                    assert_ok(sample_add_root(life->recorder, NULL));
            }
        } else
            assert_ok(sample_append_frame(life->recorder, NULL));
    }
}

/* If the process dies, all written bytes stay. If the machine dies, any part after the last sync
 * may be lost, or be zeros from some sector on. */
static void die(record_life *life)
{
    static const uint8_t zeros[PADDING_MAX];
    ls_memory_sink *memory = &life->memory;
    ls_recorder_destroy(life->recorder);
    life->recorder = NULL;
    if (draw(life, 3) == 0)
        return;
    size_t lost = memory->bytes - memory->synced_bytes;
    memory->bytes = memory->synced_bytes + draw(life, lost + 1);
    if (draw(life, 2)) {
        size_t start = (memory->bytes + SECTOR - 1) / SECTOR * SECTOR;
        if (start > memory->synced_bytes && start - memory->synced_bytes <= lost)
            memory->bytes = start;
        else
            memory->bytes = memory->synced_bytes;
        ls_sink sink = ls_memory_sink_open(memory);
        sink.append(sink.context, zeros, draw(life, PADDING_MAX));
    }
}

static ls_status take_up(record_life *life, ls_recording_end *found)
{
    const ls_recorder_existing config = {.existing = ls_memory_sink_reopen(&life->memory),
                                         .name = "life"};
    const ls_identity identity = sample_identity();
    ls_status status = ls_recorder_resume_on(&config, &life->recorder, found, NULL);
    assert_true(status != LS_OK || ls_recorder_sign_with(life->recorder, &identity));
    life->full_tick = UINT64_MAX;
    return status;
}

/* Flips some bits of a copy. Each tick read must have been written, and resuming must keep all
 * ticks before the damage. */
static void damage(record_life *life)
{
    record_life copy = *life;
    ls_recording_end whole, end, found;
    ls_memory_sink_init(&copy.memory);
    ls_sink sink = ls_memory_sink_open(&copy.memory);
    sink.append(sink.context, life->memory.data, life->memory.bytes);
    assert_ok(sample_read_bytes(life->memory.data, life->memory.bytes, &whole, NULL));
    for (uint64_t flips = 1 + draw(&copy, 3); flips > 0; flips--) {
        size_t bit = draw(&copy, 8 * copy.memory.bytes);
        copy.memory.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    ls_status status = sample_read_bytes(copy.memory.data, copy.memory.bytes, &end, NULL);
    assert_true(end.tick_count <= whole.tick_count);
    assert_int_equal(take_up(&copy, &found), status);
    assert_int_equal(found.tick_count, end.tick_count);
    assert_true(status == LS_OK || copy.memory.bytes == life->memory.bytes);
    ls_recorder_destroy(copy.recorder);
    ls_memory_sink_reset(&copy.memory);
}

/* A replay of the file must find every root at its tick. */
static void verify_to_the_end(const ls_memory_sink *memory)
{
    static ls_root_ring ring;
    ls_root_difference difference;
    ls_recording *recording;
    const ls_recording_tick *tick;
    assert_ok(ls_recording_open_memory("life", memory->data, memory->bytes, &recording, NULL));
    ls_root_ring_init(&ring, 0);
    while (ls_recording_next(recording, &tick, NULL) == LS_OK && tick) {
        ls_root_ring_push(&ring, sample_root(tick->frame.tick));
        assert_true(ls_root_ring_compare(&ring, &tick->roots, &difference));
    }
    const ls_recording_end *end = ls_recording_get_end(recording);
    ls_recording_signed vouched;
    assert_ok(ls_recording_check_signatures(recording, &vouched, NULL));
    assert_int_equal(vouched.tick, end->tick_count);
    assert_int_equal(end->kind, LS_RECORDING_CLEAN);
    ls_root_ring_push(&ring, sample_root(end->tick_count));
    assert_true(ls_root_ring_compare(&ring, &end->roots, &difference));
    assert_int_equal(ring.compared_tick, end->tick_count + 1);
    ls_recording_close(recording);
}

static void live_once(uint64_t seed)
{
    record_life life = {.noise = seed, .full_tick = UINT64_MAX};
    ls_recording_header header = sample_header();
    const ls_identity identity = sample_identity();
    ls_recording_end end, found;
    running_seed = seed;
    ls_memory_sink_init(&life.memory);
    const ls_recorder_config config = {.sink = ls_memory_sink_open(&life.memory),
                                       .name = "life",
                                       .header = &header,
                                       .identity = &identity};
    assert_ok(ls_recorder_begin(&config, &life.recorder, NULL));
    for (uint64_t deaths = draw(&life, DEATHS_MAX + 1); deaths > 0; deaths--) {
        live(&life);
        uint64_t written_tick = ls_recorder_tick(life.recorder);
        die(&life);
        assert_ok(sample_read_bytes(life.memory.data, life.memory.bytes, &end, NULL));
        assert_true(end.tick_count >= life.synced_tick && end.tick_count <= written_tick);
        damage(&life);
        assert_ok(take_up(&life, &found));
        assert_int_equal(found.tick_count, end.tick_count);
        assert_int_equal(found.valid_bytes, life.memory.bytes);
        life.synced_tick = found.tick_count;
        life.epoch = found.epoch.epoch;
    }
    live(&life);
    assert_ok(sample_finish(life.recorder, LS_CLOSING_FINISHED, NULL));
    ls_recorder_destroy(life.recorder);
    assert_ok(sample_read_bytes(life.memory.data, life.memory.bytes, &end, NULL));
    verify_to_the_end(&life.memory);
    ls_memory_sink_reset(&life.memory);
}

static int tell_seed(void **state)
{
    if (is_running)
        print_error("failed with seed %llu: test_crash_property %llu repeats it\n",
                    (unsigned long long)running_seed, (unsigned long long)running_seed);
    return 0;
}

TESTS_AROUND(NULL, tell_seed);

TEST(test_crash_property_leaves_a_prefix_that_goes_on)
{
    is_running = true;
    if (given_seed)
        live_once(given_seed);
    for (uint64_t seed = 1; !given_seed && seed <= LIVES; seed++)
        live_once(seed);
    is_running = false;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        given_seed = strtoull(argv[1], NULL, 10);
    return test_main(1, argv);
}
