#include "ledger.h"

#include <lockstep/world.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void reserve(ledger_line *line, uint64_t count)
{
    if (count < line->capacity)
        return;
    line->capacity = count < 256 ? 512 : 2 * count;
    line->ticks = ls_realloc(line->ticks, line->capacity * sizeof *line->ticks);
    line->roots = ls_realloc(line->roots, (line->capacity + 1) * sizeof *line->roots);
    memset(line->ticks + line->count, 0, (line->capacity - line->count) * sizeof *line->ticks);
    memset(line->roots + line->count + 1, 0, (line->capacity - line->count) * sizeof *line->roots);
}

static void init_line(ledger_line *line)
{
    *line = (ledger_line){.roots = ls_alloc(sizeof *line->roots)};
    reserve(line, 0);
}

static void append(ledger_line *line, const uint8_t *bytes, uint32_t count)
{
    reserve(line, line->count);
    ledger_tick *tick = &line->ticks[line->count++];
    tick->bytes = ls_alloc(count);
    tick->count = count;
    memcpy(tick->bytes, bytes, count);
}

void ledger_init(struct ledger *self, struct verdict *verdict, uint32_t room)
{
    *self = (struct ledger){.verdict = verdict, .room = room};
    init_line(&self->lines[0]);
}

void ledger_reset(struct ledger *self)
{
    for (uint32_t i = 0; i < LEDGER_LINES_MAX; i++) {
        ledger_line *line = &self->lines[i];
        for (uint64_t tick = 0; tick < line->count; tick++)
            ls_free(line->ticks[tick].bytes);
        ls_free(line->ticks);
        ls_free(line->roots);
    }
}

uint64_t ledger_tick_count(const struct ledger *self)
{
    return self->lines[self->epoch].count;
}

void ledger_close(struct ledger *self, const uint8_t *bytes, uint32_t count)
{
    append(&self->lines[self->epoch], bytes, count);
}

static void compare_frame(struct ledger *self, uint32_t epoch, uint64_t tick, const ls_frame *frame,
                          const char *who)
{
    const ledger_line *line = &self->lines[epoch];
    uint8_t bytes[LS_FRAME_BYTES_MAX];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_frame_encode(frame, &writer);
    if (tick >= line->count)
        verdict_fail(self->verdict, TICK_STAYS,
                     "room %u: %s has tick %" PRIu64 " of epoch %u, which was never closed",
                     self->room, who, tick, epoch);
    else if (writer.count != line->ticks[tick].count ||
             memcmp(bytes, line->ticks[tick].bytes, writer.count) != 0)
        verdict_fail(self->verdict, TICK_STAYS,
                     "room %u: %s has another frame of tick %" PRIu64 " of epoch %u", self->room,
                     who, tick, epoch);
}

void ledger_check_frame(struct ledger *self, uint32_t epoch, uint64_t tick, const ls_frame *frame,
                        const char *who)
{
    if (epoch < LEDGER_LINES_MAX)
        compare_frame(self, epoch, tick, frame, who);
}

void ledger_check_root(struct ledger *self, uint32_t epoch, uint64_t tick, uint64_t root,
                       const char *who)
{
    if (epoch >= LEDGER_LINES_MAX || tick > self->lines[epoch].count) {
        verdict_fail(self->verdict, TICK_STAYS, "room %u: %s is at tick %" PRIu64 " of epoch %u",
                     self->room, who, tick, epoch);
        return;
    }
    ledger_root *known = &self->lines[epoch].roots[tick];
    if (known->is_known && known->value != root)
        verdict_fail(self->verdict, EQUAL_ROOTS,
                     "room %u tick %" PRIu64 " epoch %u: %s has root %016" PRIx64
                     ", %s had %016" PRIx64,
                     self->room, tick, epoch, who, root, known->from, known->value);
    if (known->is_known)
        return;
    known->is_known = true;
    known->value = root;
    snprintf(known->from, sizeof known->from, "%s", who);
}

bool ledger_has_root(const struct ledger *self, uint32_t epoch, uint64_t tick, uint64_t root)
{
    if (epoch >= LEDGER_LINES_MAX || tick > self->lines[epoch].count)
        return false;
    const ledger_root *known = &self->lines[epoch].roots[tick];
    return known->is_known && known->value == root;
}

void ledger_begin_epoch(struct ledger *self, uint32_t epoch, uint64_t count)
{
    const ledger_line *from = &self->lines[self->epoch];
    LS_ASSERT(epoch > self->epoch && epoch < LEDGER_LINES_MAX && count <= from->count);
    ledger_line *line = &self->lines[epoch];
    init_line(line);
    for (uint64_t tick = 0; tick < count; tick++)
        append(line, from->ticks[tick].bytes, from->ticks[tick].count);
    memcpy(line->roots, from->roots, (count + 1) * sizeof *line->roots);
    self->epoch = epoch;
}

static void check_roots(struct ledger *self, const ls_recording_roots *roots)
{
    for (uint32_t i = 0; i < roots->count; i++)
        ledger_check_root(self, self->epoch, roots->first_tick + i, roots->values[i],
                          "the recording");
}

static void run(struct ledger *self, ls_world *world, const ls_recording_tick *tick)
{
    ls_error error;
    if (!world)
        return;
    ledger_check_root(self, self->epoch, tick->frame.tick, ls_world_root(world), "a replay");
    if (ls_world_advance(world, &tick->frame, NULL, &error) != LS_OK)
        verdict_fail(self->verdict, REPLAY_EQUAL, "room %u: %s", self->room, error.text);
}

static uint64_t read_all(struct ledger *self, ls_recording *recording, ls_world *world)
{
    const ls_recording_tick *tick = NULL;
    ls_error error = {""};
    uint64_t count = 0;
    ls_status status;
    while ((status = ls_recording_next(recording, &tick, &error)) == LS_OK && tick) {
        compare_frame(self, self->epoch, tick->frame.tick, &tick->frame, "the recording");
        check_roots(self, &tick->roots);
        run(self, world, tick);
        count++;
        if (self->verdict->broken)
            return count;
    }
    if (status != LS_OK)
        verdict_fail(self->verdict, DURABLE, "room %u: %s", self->room, error.text);
    check_roots(self, &ls_recording_get_end(recording)->roots);
    if (world)
        ledger_check_root(self, self->epoch, count, ls_world_root(world), "a replay");
    return count;
}

uint64_t ledger_check_recording(struct ledger *self, const uint8_t *bytes, size_t count,
                                uint64_t promised, const ls_program *program)
{
    ls_recording *recording;
    ls_error error = {""};
    ls_world *world = NULL;
    if (ls_recording_open_memory("recording", bytes, count, &recording, &error) != LS_OK) {
        verdict_fail(self->verdict, DURABLE, "room %u: %s", self->room, error.text);
        return 0;
    }
    if (program && ls_world_create(program, &ls_recording_get_header(recording)->match, &world,
                                   &error) != LS_OK)
        verdict_fail(self->verdict, REPLAY_EQUAL, "room %u: %s", self->room, error.text);
    uint64_t ticks = read_all(self, recording, world);
    if (ticks < promised)
        verdict_fail(self->verdict, DURABLE,
                     "room %u: the recording has %" PRIu64 " ticks, %" PRIu64 " were promised",
                     self->room, ticks, promised);
    ls_world_destroy(world);
    ls_recording_close(recording);
    return ticks;
}

void ledger_check_rotten(struct ledger *self, const uint8_t *bytes, size_t count, size_t rot_at,
                         uint64_t healthy)
{
    enum { LENGTH_BYTES = 4 };
    ls_recording *recording;
    const ls_recording_tick *tick = NULL;
    ls_error error = {""};
    ls_status status = ls_recording_open_memory("recording", bytes, count, &recording, &error);
    if (status != LS_OK)
        return;
    while ((status = ls_recording_next(recording, &tick, &error)) == LS_OK && tick &&
           !self->verdict->broken) {
        compare_frame(self, self->epoch, tick->frame.tick, &tick->frame, "the rotten recording");
        check_roots(self, &tick->roots);
    }
    const ls_recording_end *end = ls_recording_get_end(recording);
    bool may_be_torn = rot_at >= end->valid_bytes && rot_at < end->valid_bytes + LENGTH_BYTES;
    if (rot_at < end->valid_bytes || (status == LS_OK && end->tick_count < healthy && !may_be_torn))
        verdict_fail(self->verdict, DURABLE, "room %u: byte %zu rotted, and nobody says so",
                     self->room, rot_at);
    ls_recording_close(recording);
}
