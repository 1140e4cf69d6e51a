#include "server/restore.h"

#include "core/plant.h"
#include "server/record.h"
#include "server/rounds.h"
#include "server/seats_file.h"

#include "replays/root_ring.h"

#include <inttypes.h>
#include <string.h>

static ls_status compare(ls_root_ring *ring, const ls_recording_roots *roots, ls_error *error)
{
    ls_root_difference difference;
    if (ls_root_ring_compare(ring, roots, &difference))
        return LS_OK;
    return ls_error_set(error, LS_ERROR_DIVERGED,
                        "the recording has root %016" PRIx64 " before tick %" PRIu64
                        ", this server %016" PRIx64,
                        difference.expected, difference.tick, difference.found);
}

/* A match that was cut off while it stood still goes on with a RESUME. */
static void note_pause(ls_room *room, const ls_frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++)
        if (frame->inputs[i].kind == LS_PAUSE || frame->inputs[i].kind == LS_RESUME)
            room->is_paused = frame->inputs[i].kind == LS_PAUSE;
}

static ls_status advance(ls_room *room, const ls_recording_tick *tick, ls_root_ring *ring,
                         ls_error *error)
{
    ls_status status = compare(ring, &tick->roots, error);
    if (!status)
        status = ls_world_advance(room->driver.world, &tick->frame, room->driver.executor, error);
    if (status)
        return status;
    uint64_t root = ls_world_root(room->driver.world);
    ls_root_ring_push(ring, root);
    ls_referee_push(&room->referee, root);
    ls_tick_ring_push(&room->ring, &tick->frame);
    ls_seats_replay(&room->seats, &tick->frame);
    note_pause(room, &tick->frame);
    return LS_OK;
}

/* While it runs, ring, referee and seats are the job's as well: nobody is let into the room. */
static ls_status replay(ls_room *room, ls_error *error)
{
    ls_root_ring *ring = ls_alloc(sizeof *ring);
    ls_root_ring_init(ring, 0);
    ls_root_ring_push(ring, room->referee.roots[0]);
    const ls_recording_tick *tick;
    ls_status status;
    while ((status = ls_recording_next(room->restore.history, &tick, error)) == LS_OK && tick)
        if ((status = advance(room, tick, ring, error)) != LS_OK)
            break;
    if (status == LS_OK)
        status = compare(ring, &ls_recording_get_end(room->restore.history)->roots, error);
    ls_free(ring);
    return status;
}

static void run(ls_job *job)
{
    ls_room_restore *restore = (ls_room_restore *)job;
    restore->status = replay(restore->room, &restore->error);
}

/* Whoever had a seat may come back to it. */
static void restore_seats(ls_room *room, const ls_seats_file *file)
{
    for (uint32_t i = 0; i < file->count; i++) {
        const ls_seats_file_seat *from = &file->seats[i];
        if (from->seat >= room->match.player_count)
            continue;
        ls_seat *seat = &room->seats.items[from->seat];
        seat->has_secret = true;
        seat->freed = ++room->seats.freed_count;
        memcpy(seat->secret, from->secret_hash, sizeof seat->secret);
        memcpy(seat->client, from->client, sizeof seat->client);
        memcpy(seat->name, from->name, sizeof seat->name);
    }
}

void ls_restore_begin(ls_room *room, const struct ls_seats_file *seats)
{
    if (seats)
        restore_seats(room, seats);
    room->state = LS_ROOM_RESTORING;
    room->restore.job.run = run;
    room->restore.room = room;
    ls_job_submit(room->server->jobs, &room->restore.job);
}

/* The roots that the crash kept from the recording, and its new epoch. */
static void catch_up_recording(ls_room *room)
{
    ls_recorder *recorder = room->record.recorder;
    if (!recorder)
        return;
    for (uint64_t tick = ls_recorder_root_tick(recorder); tick < room->referee.next; tick++)
        ls_room_record_root(room, room->referee.roots[tick % LS_SERVER_ROOTS]);
    ls_room_record_epoch(room);
    ls_keyframes *keyframes = &room->record.keyframes;
    uint64_t lowest = ls_recorder_next_keyframe(recorder);
    keyframes->due = keyframes->due < lowest ? lowest : keyframes->due;
}

void ls_restore_collect(ls_room *room, uint64_t now_ns)
{
    if (!ls_job_take(&room->restore.job))
        return;
    ls_recording_close(room->restore.history);
    room->restore.history = NULL;
    room->driver.next = room->ring.next;
    room->state = LS_ROOM_WAITING;
    if (room->restore.status != LS_OK) {
        char reason[LS_JOURNAL_QUOTED_BYTES];
        ls_journal_write(&room->journal, "restore_failed tick=%llu reason=%s",
                         (unsigned long long)room->ring.next,
                         ls_journal_quote(room->restore.error.text, reason));
        /* The recording stays as it is: it is what there is to find out why. */
        ls_room_record_close(room);
        ls_rounds_end(room, LS_CLOSING_FAILED, room->restore.error.text, now_ns);
        return;
    }
    room->driver.is_paused = room->is_paused;
    for (uint32_t i = 0; i < room->match.player_count; i++) {
        ls_seat *seat = &room->seats.items[i];
        room->driver.players |= (uint64_t)seat->is_in_stream << i;
        seat->wants_leave = seat->is_in_stream && !LS_PLANT(RESTORE_KEEPS_SEATS);
    }
    catch_up_recording(room);
    ls_journal_write(
        &room->journal, "restored tick=%llu epoch=%u root=%016llx",
        (unsigned long long)room->ring.next, room->epoch,
        (unsigned long long)room->referee.roots[(room->referee.next - 1) % LS_SERVER_ROOTS]);
    if (room->wants_drain)
        ls_rounds_end(room, LS_CLOSING_DRAINED, "", now_ns);
}
