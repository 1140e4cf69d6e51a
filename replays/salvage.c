#include "replays/salvage.h"

#include "core/base/grow.h"
#include "replays/keyframe.h"
#include "replays/keyframe_delta.h"
#include "replays/recording_internal.h"
#include "replays/tail.h"
#include <lockstep/recorder.h>

#include <string.h>

/* Roots are recorded without their ticks. A keyframe among them that claims one of these roots
 * reveals the ticks. The limit bounds the keyframes unpacked, both to find such a keyframe and to
 * find one that a part can begin with. */
enum { KEYFRAMES_UNPACKED_MAX = 64 };

/* A run: consecutive whole records. */
struct run {
    ls_record *frames; /* their ticks are consecutive */
    uint64_t first_tick;
    uint64_t *roots; /* of consecutive ticks */
    ls_recording_keyframe *keyframes;
    ls_recording_columns *columns;
    ls_recording_epoch *epochs;
    uint32_t frame_count, root_count, keyframe_count, columns_count, epoch_count;
    bool is_closed;
    ls_recording_closing closing;
};

struct ls_salvage {
    const ls_recording_header *header;
    ls_tail tail;
    ls_tail_search search;
    uint64_t part_end, seen_tick;
    uint32_t epoch; /* highest epoch before the run */
    struct run run;
    ls_recording_keyframe *fulls; /* full keyframes before the run */
    uint32_t full_count;
    ls_keyframe_delta unfold;
    /* The part found last. */
    ls_salvage_part part;
    ls_recording_keyframe start; /* full; its data is `rebuilt` if the file has only a delta */
    bool has_start;
    uint8_t *rebuilt;
    uint64_t root_tick; /* tick of run.roots[0]; UINT64_MAX: unknown */
};

static void reset(struct run *run)
{
    ls_free(run->frames);
    ls_free(run->roots);
    ls_free(run->keyframes);
    ls_free(run->columns);
    ls_free(run->epochs);
    *run = (struct run){0};
}

static void add_fulls(ls_salvage *salvage, const ls_recording_keyframe *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].base_tick != list[i].tick)
            continue;
        salvage->fulls =
            ls_grow_counted(salvage->fulls, salvage->full_count, sizeof salvage->fulls[0]);
        salvage->fulls[salvage->full_count++] = list[i];
    }
}

ls_salvage *ls_salvage_create(const ls_recording *recording, const ls_program *program)
{
    ls_salvage *made = ls_alloc(sizeof *made);
    const ls_recording_end *end = ls_recording_find_end(recording);
    made->header = ls_recording_get_header(recording);
    made->part_end = made->seen_tick = made->header->first_tick + end->tick_count;
    made->tail = (ls_tail){.file = recording->cursor.file,
                           .header = made->header,
                           .offset = (size_t)end->valid_bytes,
                           .next_tick = made->part_end};
    made->search.at = end->kind == LS_RECORDING_DAMAGED ? (size_t)end->valid_bytes + 1
                                                        : recording->cursor.file.count;
    made->epoch = end->epoch.epoch;
    made->unfold = (ls_keyframe_delta){.program = program, .match = &made->header->match};
    const ls_recording_keyframe *list;
    uint32_t count = ls_recording_keyframes(recording, &list);
    add_fulls(made, list, count);
    return made;
}

void ls_salvage_destroy(ls_salvage *salvage)
{
    if (!salvage)
        return;
    reset(&salvage->run);
    ls_keyframe_delta_reset(&salvage->unfold);
    ls_free(salvage->fulls);
    ls_free(salvage->rebuilt);
    ls_free(salvage);
}

uint64_t ls_salvage_seen_tick(const ls_salvage *salvage)
{
    return salvage->seen_tick;
}

static void add_roots(struct run *run, const ls_record_roots *roots)
{
    for (uint32_t i = 0; i < roots->count; i++) {
        run->roots = ls_grow_counted(run->roots, run->root_count, sizeof run->roots[0]);
        run->roots[run->root_count++] = roots->values[i];
    }
}

/* Reads only tick and roots of the frame; states that it refers to are resolved later. */
static bool add_frame(struct run *run, const ls_record *record)
{
    ls_reader payload;
    ls_record_roots roots = {0};
    ls_reader_init(&payload, record->payload, record->payload_bytes);
    uint64_t tick = ls_read_number(&payload);
    roots.count = ls_read_u8(&payload);
    if (payload.failed || roots.count > LS_RECORD_ROOTS_MAX)
        return false;
    for (uint32_t i = 0; i < roots.count; i++)
        roots.values[i] = ls_read_u64(&payload);
    if (run->frame_count == 0)
        run->first_tick = tick;
    if (payload.failed || tick != run->first_tick + run->frame_count)
        return false;
    run->frames = ls_grow_counted(run->frames, run->frame_count, sizeof run->frames[0]);
    run->frames[run->frame_count++] = *record;
    add_roots(run, &roots);
    return true;
}

/* Adds a record to the run; false when it does not belong to it. */
static bool add(struct run *run, const ls_recording_header *header, const ls_record *record)
{
    ls_recording_keyframe keyframe;
    ls_recording_columns columns;
    ls_recording_epoch epoch;
    ls_record_roots roots;
    switch (record->type) {
    case LS_RECORD_FRAME:
        return add_frame(run, record);
    case LS_RECORD_ROOTS:
        if (!ls_record_decode_roots(record, &roots))
            return false;
        add_roots(run, &roots);
        return true;
    case LS_RECORD_CLOSING:
        run->is_closed = ls_record_decode_closing(record, &run->closing, &roots);
        if (run->is_closed)
            add_roots(run, &roots);
        return run->is_closed;
    case LS_RECORD_KEYFRAME:
        if (!ls_record_decode_keyframe(record, header->match.player_count, &keyframe))
            return false;
        run->keyframes =
            ls_grow_counted(run->keyframes, run->keyframe_count, sizeof run->keyframes[0]);
        run->keyframes[run->keyframe_count++] = keyframe;
        return true;
    case LS_RECORD_COLUMNS:
        if (!ls_record_decode_columns(record, &columns))
            return false;
        run->columns = ls_grow_counted(run->columns, run->columns_count, sizeof run->columns[0]);
        run->columns[run->columns_count++] = columns;
        return true;
    case LS_RECORD_EPOCH:
        if (!ls_record_decode_epoch(record, &epoch))
            return false;
        run->epochs = ls_grow_counted(run->epochs, run->epoch_count, sizeof run->epochs[0]);
        run->epochs[run->epoch_count++] = epoch;
        return true;
    default:
        return record->type == LS_RECORD_SIGNATURE || record->type & LS_RECORD_SKIPPABLE;
    }
}

/* Searches for the next valid record, and reads a run up to the first invalid one. */
static bool read_run(ls_salvage *salvage)
{
    struct run *run = &salvage->run;
    const ls_reader *file = &salvage->tail.file;
    ls_record record;
    for (uint32_t i = 0; i < run->epoch_count; i++)
        if (run->epochs[i].epoch > salvage->epoch)
            salvage->epoch = run->epochs[i].epoch;
    add_fulls(salvage, run->keyframes, run->keyframe_count);
    reset(run);
    if (!ls_tail_find(&salvage->tail, &salvage->search, &record))
        return false;
    size_t at = salvage->search.at - record.bytes;
    while (add(run, salvage->header, &record)) {
        at += record.bytes;
        if (run->is_closed || !ls_record_verify(file, at, salvage->header->salt, &record))
            break;
    }
    if (at >= salvage->search.at)
        salvage->search.at = at;
    uint64_t end = run->first_tick + run->frame_count;
    if (run->frame_count && end > salvage->seen_tick)
        salvage->seen_tick = end;
    return true;
}

/* The first tick from which no frame refers to a state in a lost frame. */
static uint64_t readable_from(const ls_salvage *salvage)
{
    const struct run *run = &salvage->run;
    ls_state_memory memory = {0};
    uint64_t from = run->first_tick;
    for (uint32_t i = 0; i < run->frame_count; i++) {
        ls_input inputs[LS_FRAME_INPUTS_MAX];
        ls_frame frame;
        ls_record_roots roots;
        if (ls_record_decode_frame(&run->frames[i], salvage->header->match.player_count, &memory,
                                   inputs, &frame, &roots))
            continue;
        memory = (ls_state_memory){0};
        from = run->first_tick + i + 1;
    }
    return from;
}

static bool all_roots_are_there(const struct run *run)
{
    return run->is_closed && run->closing.reason >= LS_CLOSING_FINISHED &&
           run->closing.reason <= LS_CLOSING_ABANDONED;
}

/* The tick of the run's first root; UINT64_MAX: unknown. */
static uint64_t find_root_tick(const struct run *run)
{
    uint64_t end = run->first_tick + run->frame_count;
    if (all_roots_are_there(run) && run->frame_count && run->root_count <= end + 1)
        return end + 1 - run->root_count;
    for (uint32_t i = 0; i < run->keyframe_count && i < KEYFRAMES_UNPACKED_MAX; i++) {
        const ls_recording_keyframe *keyframe = &run->keyframes[i];
        uint64_t root;
        if (!ls_keyframe_root(keyframe->data, keyframe->bytes, &root))
            continue;
        for (uint32_t at = 0; at < run->root_count && at <= keyframe->tick; at++)
            if (run->roots[at] == root)
                return keyframe->tick - at;
    }
    return UINT64_MAX;
}

/* Whether the state before `tick` has a known root, in the run or in the keyframe itself. */
static bool has_roots_from(const ls_salvage *salvage, uint64_t tick)
{
    return salvage->root_tick <= tick + 1 && salvage->root_tick + salvage->run.root_count > tick;
}

/* Takes a keyframe as the start of a part; false when it is not full and cannot be expanded. */
static bool take_start(ls_salvage *salvage, const ls_recording_keyframe *keyframe, uint32_t *tries)
{
    const struct run *run = &salvage->run;
    ls_recording_keyframe full = *keyframe;
    bool is_full = keyframe->base_tick == keyframe->tick;
    if (!is_full) {
        if (++*tries > KEYFRAMES_UNPACKED_MAX)
            return false;
        const ls_recording_keyframe *base =
            ls_recording_find_full(run->keyframes, run->keyframe_count, keyframe->base_tick);
        if (!base)
            base = ls_recording_find_full(salvage->fulls, salvage->full_count, keyframe->base_tick);
        if (!base || !ls_keyframe_delta_apply(&salvage->unfold, base, keyframe, &full))
            return false;
    }
    ls_free(salvage->rebuilt);
    salvage->rebuilt = is_full ? NULL : (uint8_t *)full.data;
    salvage->start = full;
    salvage->has_start = true;
    return true;
}

static void choose_start(ls_salvage *salvage)
{
    const struct run *run = &salvage->run;
    uint64_t from = readable_from(salvage), end = run->first_tick + run->frame_count;
    uint32_t tries = 0;
    salvage->has_start = false;
    salvage->root_tick = find_root_tick(run);
    from = from < salvage->part_end ? salvage->part_end : from;
    for (uint32_t i = 0; i < run->keyframe_count; i++) {
        const ls_recording_keyframe *keyframe = &run->keyframes[i];
        uint64_t tick = keyframe->tick;
        if (tick < from || tick >= end)
            continue;
        bool is_proved = has_roots_from(salvage, tick);
        if (salvage->has_start && !is_proved)
            continue;
        if (take_start(salvage, keyframe, &tries) && is_proved)
            return;
    }
    /* No keyframe with a known root: the part has no roots, and part_end() limits it to what a
     * reader accepts without them. */
    salvage->root_tick = UINT64_MAX;
}

static uint64_t part_end(const ls_salvage *salvage)
{
    const struct run *run = &salvage->run;
    uint64_t first = salvage->start.tick, end = run->first_tick + run->frame_count;
    uint64_t known =
        salvage->root_tick == UINT64_MAX ? first : salvage->root_tick + run->root_count;
    uint64_t max = known + LS_RECORDING_LAG_TICKS_MAX - 1;
    return end < max ? end : max;
}

bool ls_salvage_next(ls_salvage *salvage, ls_salvage_part *part)
{
    while (read_run(salvage)) {
        if (!salvage->run.frame_count)
            continue;
        choose_start(salvage);
        if (!salvage->has_start)
            continue;
        uint64_t first = salvage->start.tick, end = part_end(salvage);
        uint64_t known = salvage->root_tick + salvage->run.root_count;
        salvage->part_end = end;
        salvage->part = (ls_salvage_part){.first_tick = first, .end_tick = end};
        if (salvage->root_tick != UINT64_MAX)
            salvage->part.roots = (known < end + 1 ? known : end + 1) - first;
        *part = salvage->part;
        return true;
    }
    return false;
}

static ls_status begin(const ls_salvage *salvage, ls_sink sink, const char *name, uint64_t salt,
                       ls_recorder **recorder, ls_error *error)
{
    ls_recording_header header = *salvage->header;
    header.origin = header.origin ? header.origin : header.salt;
    header.salt = salt;
    header.first_tick = salvage->start.tick;
    header.first_epoch = salvage->epoch;
    for (uint32_t i = 0; i < salvage->run.epoch_count; i++)
        if (salvage->run.epochs[i].tick <= header.first_tick)
            header.first_epoch = salvage->run.epochs[i].epoch;
    memset(header.server_key, 0, sizeof header.server_key);
    header.has_room = false;
    return ls_recorder_begin(
        &(ls_recorder_config){
            .sink = sink, .name = name, .header = &header, .keyframe = &salvage->start},
        recorder, error);
}

static ls_status add_root(const ls_salvage *salvage, uint64_t tick, ls_recorder *recorder,
                          ls_error *error)
{
    const struct run *run = &salvage->run;
    uint64_t root;
    if (salvage->root_tick == UINT64_MAX || tick >= salvage->root_tick + run->root_count)
        return LS_OK;
    if (tick >= salvage->root_tick)
        root = run->roots[tick - salvage->root_tick];
    else if (!ls_keyframe_root(salvage->start.data, salvage->start.bytes, &root))
        return ls_error_set(error, LS_ERROR_CORRUPT, "a keyframe that was whole is none");
    return ls_recorder_add_root(recorder, root, error);
}

/* Positions in the run's lists while a part is written. Ticks ascend in a file that a server wrote.
 * In any other file, a record that is too late for its tick is left out. */
struct extras {
    uint32_t epoch, keyframe, columns; /* indexes of the next records in the run's lists */
    uint64_t full;                     /* tick of the last full keyframe written */
};

static ls_status add_epochs(const struct run *run, uint64_t tick, struct extras *next,
                            ls_recorder *recorder, ls_error *error)
{
    ls_status status = LS_OK;
    for (; !status && next->epoch < run->epoch_count; next->epoch++) {
        const ls_recording_epoch *epoch = &run->epochs[next->epoch];
        if (epoch->tick > tick)
            break;
        if (epoch->tick == tick && epoch->epoch > ls_recorder_epoch(recorder))
            status = ls_recorder_begin_epoch(recorder, epoch->epoch, epoch->unix_s, error);
    }
    return status;
}

static ls_status add_keyframes(const struct run *run, uint64_t tick, struct extras *next,
                               ls_recorder *recorder, ls_error *error)
{
    ls_status status = LS_OK;
    for (; !status && next->keyframe < run->keyframe_count; next->keyframe++) {
        const ls_recording_keyframe *keyframe = &run->keyframes[next->keyframe];
        bool is_full = keyframe->base_tick == tick;
        if (keyframe->tick > tick)
            break;
        if (keyframe->tick != tick || tick < ls_recorder_next_keyframe(recorder) ||
            (!is_full && keyframe->base_tick != next->full))
            continue;
        next->full = is_full ? tick : next->full;
        status = ls_recorder_append_keyframe(recorder, keyframe, error);
    }
    return status;
}

static ls_status add_columns(const struct run *run, uint64_t tick, struct extras *next,
                             ls_recorder *recorder, ls_error *error)
{
    uint64_t hashes[LS_RECORD_COLUMNS_MAX];
    while (next->columns < run->columns_count && run->columns[next->columns].tick < tick)
        next->columns++;
    if (next->columns == run->columns_count || run->columns[next->columns].tick != tick)
        return LS_OK;
    const ls_recording_columns *columns = &run->columns[next->columns];
    for (uint32_t at = 0; at < columns->count; at++)
        hashes[at] = ls_recording_column(columns, at);
    return ls_recorder_append_columns(recorder, tick, hashes, columns->count, error);
}

static ls_status add_frames(const ls_salvage *salvage, ls_recorder *recorder, ls_error *error)
{
    const struct run *run = &salvage->run;
    ls_state_memory memory = {0};
    struct extras next = {.full = salvage->start.tick};
    ls_status status = LS_OK;
    for (uint64_t tick = readable_from(salvage); !status && tick < salvage->part.end_tick; tick++) {
        ls_input inputs[LS_FRAME_INPUTS_MAX];
        ls_frame frame;
        ls_record_roots roots;
        LS_ASSERT(ls_record_decode_frame(&run->frames[tick - run->first_tick],
                                         salvage->header->match.player_count, &memory, inputs,
                                         &frame, &roots));
        if (tick < salvage->part.first_tick)
            continue;
        status = add_epochs(run, tick, &next, recorder, error);
        if (!status)
            status = add_keyframes(run, tick, &next, recorder, error);
        if (!status)
            status = add_columns(run, tick, &next, recorder, error);
        if (!status)
            status = add_root(salvage, tick, recorder, error);
        if (!status)
            status = ls_recorder_append(recorder, &frame, error);
    }
    return status ? status : add_root(salvage, salvage->part.end_tick, recorder, error);
}

ls_status ls_salvage_write(const ls_salvage *salvage, ls_sink sink, const char *name, uint64_t salt,
                           ls_error *error)
{
    ls_recorder *recorder;
    ls_status status = begin(salvage, sink, name, salt, &recorder, error);
    if (status)
        return status;
    status = add_frames(salvage, recorder, error);
    bool is_end = all_roots_are_there(&salvage->run) &&
                  ls_recorder_root_tick(recorder) == ls_recorder_tick(recorder) + 1;
    if (!status)
        status = ls_recorder_finish(
            recorder, is_end ? (ls_closing_reason)salvage->run.closing.reason : LS_CLOSING_CUT,
            error);
    ls_recorder_destroy(recorder);
    return status;
}
