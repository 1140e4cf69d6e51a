/* long_match TO SIM TICKS EVERY: writes the recording of a server that crashes after TICKS ticks,
 * at full speed. Bots play in all seats, the simulation is 8 ticks late, and a keyframe is written
 * every EVERY ticks (0: none). */
#include "cli/common/random_inputs.h"
#include "cli/module/sim_load.h"
#include "replays/keyframe.h"
#include <lockstep/recorder.h>
#include <lockstep/world.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAG = 8 };

typedef struct long_match {
    ls_loaded_sim loaded;
    ls_match match;
    ls_world *world;
    ls_random_inputs players;
    ls_recorder *to;
    ls_snapshot *base;
    uint32_t from_base;
    uint64_t ticks, every, seats;
    uint64_t roots[LAG + 1];
    ls_error error;
} long_match;

static ls_status open_all(long_match *self, char **argv)
{
    ls_status status = ls_sim_load(argv[2], &self->loaded, &self->error);
    if (status)
        return status;
    self->match = ls_program_match(self->loaded.program, 1);
    status = ls_world_create(self->loaded.program, &self->match, &self->world, &self->error);
    if (status)
        return status;
    ls_recording_header header = {.salt = 77, .match = self->match};
    header.simulation.rules_version = LS_ENGINE_RULES;
    memcpy(header.simulation.fingerprint, ls_program_fingerprint(self->loaded.program),
           LS_FINGERPRINT_BYTES);
    snprintf(header.simulation.name, sizeof header.simulation.name, "%s", self->loaded.sim->name);
    return ls_recorder_create(argv[1], &header, &self->to, &self->error);
}

static ls_status add_keyframe(long_match *self, uint64_t tick)
{
    uint8_t *bytes;
    ls_snapshot *snapshot = ls_world_snapshot(self->world);
    bool is_full = !self->base || ++self->from_base == LS_KEYFRAMES_PER_FULL;
    ls_recording_keyframe keyframe = {.tick = tick,
                                      .base_tick = is_full ? tick : ls_snapshot_tick(self->base),
                                      .players = self->seats};
    ls_keyframe_encode(snapshot, is_full ? NULL : self->base, &bytes, &keyframe.bytes);
    keyframe.data = bytes;
    ls_status status = ls_recorder_append_keyframe(self->to, &keyframe, &self->error);
    ls_free(bytes);
    if (!is_full) {
        ls_snapshot_destroy(snapshot);
        return status;
    }
    ls_snapshot_destroy(self->base);
    self->base = snapshot;
    self->from_base = 0;
    return status;
}

static void note_seats(long_match *self, const ls_frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++)
        if (frame->inputs[i].kind == LS_JOIN)
            self->seats |= UINT64_C(1) << frame->inputs[i].player;
}

static ls_status play(long_match *self, uint64_t tick)
{
    ls_status status = LS_OK;
    self->roots[tick % LS_COUNT_OF(self->roots)] = ls_world_root(self->world);
    if (tick >= LAG)
        status = ls_recorder_add_root(
            self->to, self->roots[(tick - LAG) % LS_COUNT_OF(self->roots)], &self->error);
    if (!status && self->every && tick && tick % self->every == 0)
        status = add_keyframe(self, tick);
    ls_frame frame = {.tick = tick};
    if (self->loaded.sim->bot)
        frame = ls_random_inputs_frame(&self->players, self->world);
    note_seats(self, &frame);
    if (!status)
        status = ls_recorder_append(self->to, &frame, &self->error);
    return status ? status : ls_world_advance(self->world, &frame, NULL, &self->error);
}

int main(int argc, char **argv)
{
    static long_match self;
    if (argc != 5)
        return 2;
    self.ticks = strtoull(argv[3], NULL, 10);
    self.every = strtoull(argv[4], NULL, 10);
    ls_status status = open_all(&self, argv);
    for (uint64_t tick = 0; !status && tick < self.ticks; tick++)
        status = play(&self, tick);
    if (status)
        fprintf(stderr, "long_match: %s\n", self.error.text);
    ls_recorder_destroy(self.to);
    ls_snapshot_destroy(self.base);
    if (self.world)
        ls_world_destroy(self.world);
    ls_sim_unload(&self.loaded);
    return status ? 1 : 0;
}
