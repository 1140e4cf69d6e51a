#include "server/resume_replay.h"

#include "replays/keyframe.h"
#include <lockstep/root_ring.h>

#include <inttypes.h>

enum {
    /* Ticks with recorded roots that are simulated after a keyframe to prove it. */
    PROOF_TICKS = 256,
    /* The keyframes to try before the whole match is simulated: two full ones with their deltas. */
    UNUSABLE_MAX = 2 * LS_KEYFRAMES_PER_FULL,
};

typedef struct rebuild {
    ls_resume_state *resume;
    ls_room_match *match;
    ls_snapshot *first; /* the state before tick 0 */
    uint64_t from;      /* earlier frames are read, not simulated */
    ls_root_ring ring;  /* roots of the present file */
} rebuild;

/* Compares recorded roots with the simulated ones. Skips the roots of ticks that were not
 * simulated. */
static ls_status compare(ls_root_ring *ring, ls_recording_roots roots, ls_error *error)
{
    ls_root_difference difference;
    if (roots.first_tick < ring->compared_tick) {
        uint64_t below = ring->compared_tick - roots.first_tick;
        uint32_t skipped = below < roots.count ? (uint32_t)below : roots.count;
        roots.first_tick += skipped;
        roots.count -= skipped;
        roots.values += skipped;
    }
    if (ls_root_ring_compare(ring, &roots, &difference))
        return LS_OK;
    return ls_error_set(error, LS_ERROR_DIVERGED,
                        "the recording has root %016" PRIx64 " before tick %" PRIu64
                        ", this server %016" PRIx64,
                        difference.expected, difference.tick, difference.found);
}

/* Follows the pause state: a match that was cut off during a pause continues with a RESUME. */
static void note_pause(ls_room_match *match, const ls_frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++)
        if (frame->inputs[i].kind == LS_PAUSE || frame->inputs[i].kind == LS_RESUME)
            match->is_paused = frame->inputs[i].kind == LS_PAUSE;
}

static void show_progress(ls_resume_state *resume, uint64_t tick)
{
    __atomic_store_n(&resume->progress, tick + 1, __ATOMIC_RELAXED);
}

static bool is_cancelled(const ls_resume_state *resume)
{
    return __atomic_load_n(&resume->is_cancelled, __ATOMIC_RELAXED);
}

static ls_status simulate(rebuild *self, const ls_recording_tick *tick, ls_error *error)
{
    ls_room_match *match = self->match;
    ls_world *world = match->driver.world;
    ls_status status = compare(&self->ring, tick->roots, error);
    if (!status)
        status = ls_world_advance(world, &tick->frame, match->driver.executor, error);
    if (status)
        return status;
    uint64_t root = ls_world_root(world);
    ls_root_ring_push(&self->ring, root);
    ls_referee_push(&match->referee, root);
    self->resume->simulated_ticks++;
    return LS_OK;
}

static ls_status take(rebuild *self, const ls_recording_tick *tick, ls_error *error)
{
    ls_room_match *match = self->match;
    ls_status status = LS_OK;
    if (tick->frame.tick >= self->from)
        status = simulate(self, tick, error);
    if (status)
        return status;
    ls_tick_ring_push(&match->ring, &tick->frame);
    ls_seats_replay(&match->seats, &tick->frame);
    note_pause(match, &tick->frame);
    show_progress(self->resume, match->ring.next);
    if (is_cancelled(self->resume))
        return ls_error_set(error, LS_ERROR_REFUSED, "the server stops");
    return LS_OK;
}

static ls_status load_first(ls_room_match *match, const ls_recording_keyframe *first, uint64_t tick,
                            ls_error *error)
{
    ls_world *world = match->driver.world;
    ls_status status = ls_keyframe_decode(world, NULL, first->data, first->bytes, error);
    if (status)
        return status;
    if (ls_world_tick(world) != tick)
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "its file from tick %" PRIu64 " on begins with another state", tick);
    ls_referee_init(&match->referee, tick);
    ls_referee_push(&match->referee, ls_world_root(world));
    return LS_OK;
}

/* Continues from the first state of this file: the frames before it were lost in a disk failure. */
static ls_status jump(rebuild *self, const ls_recording *file, ls_error *error)
{
    ls_room_match *match = self->match;
    const ls_recording_keyframe *first;
    uint64_t tick = ls_recording_get_header(file)->first_tick;
    if (!ls_recording_keyframes(file, &first))
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "its file from tick %" PRIu64 " on lacks the state of that tick", tick);
    ls_status status = LS_OK;
    if (tick > self->from)
        status = load_first(match, first, tick, error);
    if (status)
        return status;
    self->resume->lost_ticks += tick - match->ring.next;
    ls_tick_ring_reset(&match->ring);
    ls_tick_ring_init(&match->ring, tick, ls_tick_ring_ticks(match->config.tick_rate));
    ls_seats_begin_within(&match->seats, first->players);
    match->is_paused = first->is_paused;
    return LS_OK;
}

static ls_status replay_file(rebuild *self, ls_recording *file, ls_error *error)
{
    ls_room_match *match = self->match;
    const ls_recording_tick *tick;
    ls_status status = LS_OK;
    if (ls_recording_get_header(file)->first_tick > match->ring.next)
        status = jump(self, file, error);
    ls_root_ring_init(&self->ring, match->ring.next > self->from ? match->ring.next : self->from);
    ls_root_ring_push(&self->ring, ls_world_root(match->driver.world));
    ls_recording_rewind(file);
    while (!status && !(status = ls_recording_next(file, &tick, error)) && tick)
        status = take(self, tick, error);
    if (status == LS_OK)
        status = compare(&self->ring, ls_recording_get_end(file)->roots, error);
    return status;
}

/* Replays all files. A file that failed on the disk may be corrupt after its last good tick; the
 * next file continues from there. */
static ls_status replay(rebuild *self, ls_error *error)
{
    const ls_series *series = self->resume->series;
    ls_status status = LS_OK;
    for (uint32_t i = 0; !status && i < series->count; i++) {
        status = replay_file(self, series->files[i], error);
        if (status == LS_ERROR_CORRUPT && i + 1 < series->count)
            status = LS_OK;
    }
    return status;
}

/* Loads a keyframe into the world. Fails when its root is not the recorded one. */
static ls_status load(ls_world *world, const ls_recording *file, const ls_snapshot *base,
                      const ls_recording_keyframe *keyframe, ls_error *error)
{
    uint64_t root;
    ls_status status = ls_keyframe_decode(world, base, keyframe->data, keyframe->bytes, error);
    if (status)
        return status;
    if (ls_world_tick(world) == keyframe->tick &&
        ls_recording_find_root(file, keyframe->tick, &root) && root == ls_world_root(world))
        return LS_OK;
    return ls_error_set(error, LS_ERROR_CORRUPT, "it has another root than the recording");
}

static ls_status load_with_base(ls_world *world, const ls_recording *file, uint32_t index,
                                ls_error *error)
{
    const ls_recording_keyframe *list;
    LS_ASSERT(index < ls_recording_keyframes(file, &list));
    const ls_recording_keyframe *base =
        ls_recording_find_full(list, index + 1, list[index].base_tick);
    LS_ASSERT(base); /* a reader refuses keyframes without their base */
    ls_status status = load(world, file, NULL, base, error);
    if (status || base == &list[index])
        return status;
    ls_snapshot *full = ls_world_snapshot(world);
    status = load(world, file, full, &list[index], error);
    ls_snapshot_destroy(full);
    return status;
}

static void note_unusable(ls_resume_state *resume, uint64_t tick, const ls_error *why)
{
    resume->unusable_tick = tick;
    resume->unusable_error = *why;
    resume->unusable_count++;
}

/* Returns the first tick that clients may still report roots of when the room continues. */
static uint64_t first_needed(const ls_series *series)
{
    uint64_t end = ls_series_end_tick(series, series->count - 1);
    return end < LS_SERVER_ROOTS ? 0 : end - LS_SERVER_ROOTS + 1;
}

/* True when the needed roots below `tick` are recorded: simulating from `tick` does not produce
 * them. A file that failed may lack its last ones. */
static bool has_roots(const ls_series *series, uint64_t tick)
{
    uint64_t root;
    for (uint64_t at = first_needed(series); at < tick; at++)
        if (!ls_series_find_root(series, at, &root))
            return false;
    return true;
}

/* Loads the file's last keyframe that can be proved; false when there is none. */
static bool load_last(rebuild *self, const ls_recording *file)
{
    ls_room_match *match = self->match;
    const ls_recording_keyframe *list;
    ls_error why;
    uint64_t root;
    for (uint32_t i = ls_recording_keyframes(file, &list); i > 0; i--) {
        uint64_t tick = list[i - 1].tick;
        if (!ls_recording_find_root(file, tick + PROOF_TICKS, &root) ||
            !has_roots(self->resume->series, tick))
            continue;
        if (self->resume->unusable_count == UNUSABLE_MAX || is_cancelled(self->resume))
            return false;
        show_progress(self->resume, tick);
        if (load_with_base(match->driver.world, file, i - 1, &why) == LS_OK) {
            self->from = tick;
            return true;
        }
        note_unusable(self->resume, tick, &why);
    }
    return false;
}

static void begin_referee(rebuild *self)
{
    ls_room_match *match = self->match;
    const ls_series *series = self->resume->series;
    uint64_t first = first_needed(series), root;
    first = first < self->from ? first : self->from;
    ls_referee_init(&match->referee, first);
    for (uint64_t tick = first; tick < self->from; tick++) {
        LS_ASSERT(ls_series_find_root(series, tick, &root)); /* has_roots() has found it */
        ls_referee_push(&match->referee, root);
    }
    ls_referee_push(&match->referee, ls_world_root(match->driver.world));
}

static ls_status run_from(rebuild *self, ls_error *error)
{
    ls_room_match *match = self->match;
    if (self->from == 0)
        ls_world_restore(match->driver.world, self->first);
    ls_tick_ring_reset(&match->ring);
    ls_tick_ring_init(&match->ring, 0, ls_tick_ring_ticks(match->config.tick_rate));
    ls_seats_begin_within(&match->seats, 0);
    match->is_paused = false;
    self->resume->lost_ticks = 0;
    self->resume->from_tick = self->from;
    begin_referee(self);
    return replay(self, error);
}

ls_status ls_resume_replay(ls_resume_state *resume, ls_error *error)
{
    const ls_series *series = resume->series;
    rebuild *self = ls_alloc(sizeof *self);
    self->resume = resume;
    self->match = resume->match;
    self->first = ls_world_snapshot(resume->match->driver.world);
    bool is_loaded = false;
    for (uint32_t i = series->count; !is_loaded && i > 0; i--)
        is_loaded = load_last(self, series->files[i - 1]);
    ls_status status = run_from(self, error);
    if (status && is_loaded && !is_cancelled(self->resume)) {
        note_unusable(self->resume, self->from, error);
        self->from = 0;
        status = run_from(self, error);
    }
    ls_snapshot_destroy(self->first);
    ls_free(self);
    return status;
}
