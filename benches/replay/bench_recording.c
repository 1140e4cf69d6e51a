#include "benches/replay/bench_recording.h"

#include "benches/bench.h"
#include "replays/keyframe.h"
#include "sims/skirmish/skirmish.h"
#include <lockstep/recorder.h>

#include <string.h>

enum { PLAYERS = 8, SEED = 5, TICK_RATE = 20 };

struct camera {
    bench_recording *recorded;
    ls_world *world;
    ls_world *scratch; /* keyframes are unpacked here to measure the time */
    ls_recorder *recorder;
    ls_snapshot *full;
    uint64_t next_keyframe, decode_ns;
    ls_input inputs[PLAYERS];
    uint8_t bytes[PLAYERS][LS_INPUT_BYTES_MAX];
};

static ls_match match_of(const bench_recording *self)
{
    ls_match match = ls_program_match(self->program, SEED);
    match.player_count = PLAYERS;
    match.tick_rate = TICK_RATE;
    match.options[0] = self->plan.units;
    return match;
}

static ls_recording_header header_of(const bench_recording *self)
{
    ls_recording_header header = {.salt = 99, .match = match_of(self), .build = "bench"};
    header.simulation.rules_version = LS_ENGINE_RULES;
    memcpy(header.simulation.fingerprint, ls_program_fingerprint(self->program),
           LS_FINGERPRINT_BYTES);
    strcpy(header.simulation.name, ls_skirmish_sim.name);
    return header;
}

static ls_frame give_orders(struct camera *self)
{
    ls_frame frame = {.tick = ls_world_tick(self->world), .inputs = self->inputs};
    for (uint8_t player = 0; player < PLAYERS; player++) {
        ls_input *input = &self->inputs[frame.count];
        *input = (ls_input){.player = player, .kind = LS_JOIN};
        if (frame.tick > 0) {
            uint32_t bytes = ls_skirmish_sim.bot(self->world, player, self->bytes[player]);
            *input = (ls_input){.player = player,
                                .kind = LS_INPUT,
                                .bytes = (uint16_t)bytes,
                                .data = self->bytes[player]};
            if (!bytes)
                continue;
        }
        frame.count++;
    }
    return frame;
}

/* Measures the time that a reader needs to unpack the keyframe; the moving average determines the
 * interval. */
static void time_decoding(struct camera *self, const ls_recording_keyframe *keyframe)
{
    uint64_t start_ns = bench_thread_ns();
    const ls_snapshot *base = keyframe->base_tick == keyframe->tick ? NULL : self->full;
    LS_ASSERT(ls_keyframe_decode(self->scratch, base, keyframe->data, keyframe->bytes, NULL) ==
              LS_OK);
    uint64_t taken_ns = bench_thread_ns() - start_ns;
    /* A reader unpacks the full keyframe first; that is assumed to take as long as the delta. */
    taken_ns *= base ? 2 : 1;
    self->decode_ns = self->decode_ns ? (7 * self->decode_ns + taken_ns) / 8 : taken_ns;
}

static void choose_interval(struct camera *self)
{
    bench_recording *recorded = self->recorded;
    const ls_keyframe_costs costs = {.tick_ns = recorded->ticks_ns / ls_world_tick(self->world),
                                     .decode_ns = self->decode_ns,
                                     .bytes =
                                         (uint32_t)(recorded->keyframe_bytes / recorded->keyframes),
                                     .tick_rate = TICK_RATE};
    recorded->interval = ls_keyframe_interval(&costs, &LS_KEYFRAME_BUDGET_DEFAULT);
    self->next_keyframe = ls_world_tick(self->world) + recorded->interval;
}

static void add_keyframe(struct camera *self)
{
    bench_recording *recorded = self->recorded;
    ls_recording_keyframe keyframe = {.tick = ls_world_tick(self->world),
                                      .players = (1 << PLAYERS) - 1};
    bool is_full = recorded->keyframes % LS_KEYFRAMES_PER_FULL == 0;
    uint8_t *data;
    uint64_t start_ns = bench_thread_ns();
    ls_snapshot *snapshot = ls_world_snapshot(self->world);
    uint64_t taken_ns = bench_thread_ns();
    ls_keyframe_encode(snapshot, is_full ? NULL : self->full, &data, &keyframe.bytes);
    recorded->snapshots_ns += taken_ns - start_ns;
    recorded->packing_ns += bench_thread_ns() - taken_ns;
    if (is_full) {
        ls_snapshot_destroy(self->full);
        self->full = snapshot;
    } else {
        ls_snapshot_destroy(snapshot);
    }
    keyframe.base_tick = ls_snapshot_tick(self->full);
    keyframe.data = data;
    LS_ASSERT(ls_recorder_append_keyframe(self->recorder, &keyframe, NULL) == LS_OK);
    recorded->keyframes++;
    recorded->keyframe_bytes += keyframe.bytes;
    time_decoding(self, &keyframe);
    ls_free(data);
    choose_interval(self);
}

static void add_tick(struct camera *self)
{
    ls_frame frame = give_orders(self);
    LS_ASSERT(ls_recorder_append(self->recorder, &frame, NULL) == LS_OK);
    uint64_t start_ns = bench_thread_ns();
    LS_ASSERT(ls_world_advance(self->world, &frame, NULL, NULL) == LS_OK);
    uint64_t root = ls_world_root(self->world);
    self->recorded->ticks_ns += bench_thread_ns() - start_ns;
    LS_ASSERT(ls_recorder_add_root(self->recorder, root, NULL) == LS_OK);
    if (self->recorded->plan.has_keyframes && ls_world_tick(self->world) >= self->next_keyframe)
        add_keyframe(self);
}

void bench_recording_begin(bench_recording *self, const bench_recording_plan *plan)
{
    enum { FIRST_KEYFRAME = 20 };
    *self = (bench_recording){.plan = *plan};
    LS_ASSERT(ls_program_create(&ls_skirmish_sim, &self->program, NULL) == LS_OK);
    ls_match match = match_of(self);
    ls_recording_header header = header_of(self);
    struct camera camera = {.recorded = self, .next_keyframe = FIRST_KEYFRAME};
    LS_ASSERT(ls_world_create(self->program, &match, &camera.world, NULL) == LS_OK);
    camera.scratch = ls_world_create_sibling(camera.world);
    ls_memory_sink_init(&self->memory);
    LS_ASSERT(ls_recorder_create_on(ls_memory_sink_open(&self->memory), "bench", &header,
                                    &camera.recorder, NULL) == LS_OK);
    LS_ASSERT(ls_recorder_add_root(camera.recorder, ls_world_root(camera.world), NULL) == LS_OK);
    for (uint32_t tick = 0; tick < plan->ticks; tick++)
        add_tick(&camera);
    LS_ASSERT(ls_recorder_finish(camera.recorder, LS_CLOSING_FINISHED, NULL) == LS_OK);
    ls_recorder_destroy(camera.recorder);
    ls_snapshot_destroy(camera.full);
    ls_world_destroy(camera.scratch);
    ls_world_destroy(camera.world);
}

void bench_recording_end(bench_recording *self)
{
    ls_memory_sink_reset(&self->memory);
    ls_program_destroy(self->program);
}

ls_recording *bench_recording_open(const bench_recording *self)
{
    ls_recording *recording;
    LS_ASSERT(ls_recording_open_memory("bench", self->memory.data, self->memory.bytes, &recording,
                                       NULL) == LS_OK);
    return recording;
}
