#include "battle.h"

#include "replays/keyframe.h"
#include "sims/skirmish/skirmish.h"

#include <stdlib.h>
#include <string.h>

enum { PLAYERS = 4, UNITS = 200 };

typedef struct orders {
    ls_frame frame;
    ls_input inputs[PLAYERS];
    uint8_t bytes[PLAYERS][LS_INPUT_BYTES_MAX];
} orders;

static void give_orders(orders *self, const ls_world *world)
{
    self->frame = (ls_frame){.tick = ls_world_tick(world), .inputs = self->inputs};
    for (uint8_t player = 0; player < PLAYERS; player++) {
        ls_input *input = &self->inputs[self->frame.count];
        *input = (ls_input){.player = player, .kind = LS_JOIN};
        if (self->frame.tick > 0) {
            uint32_t bytes = ls_skirmish_sim.bot(world, player, self->bytes[player]);
            *input = (ls_input){.player = player,
                                .kind = LS_INPUT,
                                .bytes = (uint16_t)bytes,
                                .data = self->bytes[player]};
            if (!bytes)
                continue;
        }
        self->frame.count++;
    }
}

static ls_match match_of(const ls_program *program)
{
    ls_match match = ls_program_match(program, 77);
    match.options[0] = UNITS;
    match.player_count = PLAYERS;
    return match;
}

ls_world *battle_world(const battle *self)
{
    ls_match match = match_of(self->program);
    ls_world *world;
    assert_ok(ls_world_create(self->program, &match, &world, NULL));
    return world;
}

void battle_advance(ls_world *world)
{
    orders next;
    give_orders(&next, world);
    assert_ok(ls_world_advance(world, &next.frame, NULL, NULL));
}

static ls_recording_header header_of(const ls_program *program)
{
    ls_recording_header header = {.salt = 99, .match = match_of(program), .build = "test"};
    header.simulation.rules_version = LS_ENGINE_RULES;
    memcpy(header.simulation.fingerprint, ls_program_fingerprint(program), LS_FINGERPRINT_BYTES);
    strcpy(header.simulation.name, ls_skirmish_sim.name);
    return header;
}

static void add_roots(const battle *self, const battle_config *config, ls_recorder *recorder,
                      uint64_t until)
{
    while (ls_recorder_root_tick(recorder) < until) {
        uint64_t tick = ls_recorder_root_tick(recorder);
        uint64_t flip = config->bad_root && tick == config->bad_root;
        assert_ok(ls_recorder_add_root(recorder, self->roots[tick] ^ flip, NULL));
    }
}

/* Appends a keyframe; every fourth one is full. */
static void add_keyframe(const battle_config *config, ls_recorder *recorder, ls_world *world,
                         ls_snapshot **start, ls_snapshot **full)
{
    uint64_t tick = ls_world_tick(world);
    if (tick == 0)
        *start = ls_world_snapshot(world);
    if (!config->keyframes || tick == 0 || tick % config->keyframes)
        return;
    bool is_whole = tick / config->keyframes % 4 == 1, is_bad = tick == config->bad_keyframe;
    ls_snapshot *now = ls_world_snapshot(world);
    uint8_t *bytes;
    ls_recording_keyframe keyframe = {.tick = tick, .players = 15};
    ls_keyframe_encode(is_bad ? *start : now, is_whole || is_bad ? NULL : *full, &bytes,
                       &keyframe.bytes);
    if (is_whole) {
        ls_snapshot_destroy(*full);
        *full = now;
    } else {
        ls_snapshot_destroy(now);
    }
    keyframe.base_tick = ls_snapshot_tick(*full);
    keyframe.data = bytes;
    assert_ok(ls_recorder_append_keyframe(recorder, &keyframe, NULL));
    ls_free(bytes);
}

void battle_begin(battle *self, const battle_config *config)
{
    *self = (battle){.ticks = config->ticks};
    assert_ok(ls_program_create(&ls_skirmish_sim, &self->program, NULL));
    ls_recording_header header = header_of(self->program);
    ls_memory_sink_init(&self->memory);
    ls_recorder *recorder;
    assert_ok(ls_recorder_create_on(ls_memory_sink_open(&self->memory), "battle", &header,
                                    &recorder, NULL));
    self->roots = calloc(config->ticks + 1, sizeof *self->roots);
    ls_world *world = battle_world(self);
    ls_snapshot *start = NULL, *full = NULL;
    for (uint64_t tick = 0; tick < config->ticks; tick++) {
        self->roots[tick] = ls_world_root(world);
        if (tick >= config->lag)
            add_roots(self, config, recorder, tick - config->lag + 1);
        add_keyframe(config, recorder, world, &start, &full);
        orders next;
        give_orders(&next, world);
        assert_ok(ls_recorder_append(recorder, &next.frame, NULL));
        assert_ok(ls_world_advance(world, &next.frame, NULL, NULL));
    }
    self->roots[config->ticks] = ls_world_root(world);
    if (config->is_closed) {
        add_roots(self, config, recorder, config->ticks + 1);
        assert_ok(ls_recorder_finish(recorder, LS_CLOSING_FINISHED, NULL));
    }
    ls_recorder_destroy(recorder);
    ls_snapshot_destroy(start);
    ls_snapshot_destroy(full);
    ls_world_destroy(world);
}

void battle_end(battle *self)
{
    free(self->roots);
    ls_memory_sink_reset(&self->memory);
    ls_program_destroy(self->program);
}

ls_recording *battle_open(const battle *self, size_t bytes)
{
    ls_recording *recording;
    assert_true(bytes <= self->memory.bytes);
    assert_ok(ls_recording_open_memory("battle", self->memory.data, bytes, &recording, NULL));
    return recording;
}
