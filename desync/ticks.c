/* The list keeps frames in their byte form, one after another. A frame is decoded on request, so
 * that no frame has to own its inputs. */
#include "desync/ticks.h"

#include <string.h>

#define TICKS_MIN      64
#define LIST_MAGIC     UINT64_C(0x317374736b636974) /* "ticksts1" */
#define LIST_HEAD      36
#define TICK_BYTES_MIN 13 /* an empty frame, its length, its root */

struct ls_tick_list {
    uint32_t player_count;
    uint64_t first_tick, count, input_count;
    bool is_closed;
    uint8_t *frames; /* in their byte form */
    size_t frame_bytes, frame_room;
    size_t *offsets;      /* where each frame ends */
    uint64_t *roots;      /* count + 1 when closed */
    size_t tick_capacity; /* allocated ticks of `offsets` and `roots` */
};

static ls_status next_of_recording(void *argument, ls_world *world, ls_source_tick *tick,
                                   ls_error *error)
{
    (void)world;
    ls_recording *recording = argument;
    const ls_recording_tick *found;
    ls_status status = ls_recording_next(recording, &found, error);
    if (status)
        return status;
    *tick = (ls_source_tick){.is_over = !found};
    if (found)
        tick->frame = found->frame;
    tick->roots = found ? found->roots : ls_recording_get_end(recording)->roots;
    return LS_OK;
}

ls_tick_source ls_ticks_of_recording(ls_recording *recording)
{
    return (ls_tick_source){next_of_recording, recording};
}

ls_tick_list *ls_tick_list_create(uint32_t player_count, uint64_t first_tick)
{
    ls_tick_list *list = ls_alloc(sizeof *list);
    list->player_count = player_count;
    list->first_tick = first_tick;
    return list;
}

void ls_tick_list_destroy(ls_tick_list *list)
{
    if (!list)
        return;
    ls_free(list->frames);
    ls_free(list->offsets);
    ls_free(list->roots);
    ls_free(list);
}

/* Makes room for one more tick and for the root after it. */
static void make_room(ls_tick_list *list, size_t bytes)
{
    if (list->frame_bytes + bytes > list->frame_room) {
        list->frame_room = 2 * (list->frame_room + bytes);
        list->frames = ls_realloc(list->frames, list->frame_room);
    }
    if (list->count + 2 > list->tick_capacity) {
        list->tick_capacity = 2 * list->tick_capacity + TICKS_MIN;
        list->offsets = ls_realloc(list->offsets, list->tick_capacity * sizeof *list->offsets);
        list->roots = ls_realloc(list->roots, list->tick_capacity * sizeof *list->roots);
    }
}

ls_status ls_tick_list_add(ls_tick_list *list, uint64_t root, const ls_frame *frame,
                           ls_error *error)
{
    LS_ASSERT(!list->is_closed && frame->tick == list->first_tick + list->count);
    if (list->frame_bytes + LS_FRAME_BYTES_MAX > LS_TICK_LIST_BYTES_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "the inputs of %llu ticks need more than %zu MiB; run fewer ticks",
                            (unsigned long long)list->count, LS_TICK_LIST_BYTES_MAX >> 20);
    make_room(list, LS_FRAME_BYTES_MAX);
    ls_writer writer;
    ls_writer_init(&writer, list->frames + list->frame_bytes, LS_FRAME_BYTES_MAX);
    ls_frame_encode(frame, &writer);
    LS_ASSERT(!writer.failed);
    list->frame_bytes += writer.count;
    list->offsets[list->count] = list->frame_bytes;
    list->roots[list->count++] = root;
    list->input_count += frame->count;
    return LS_OK;
}

void ls_tick_list_close(ls_tick_list *list, uint64_t root)
{
    LS_ASSERT(!list->is_closed);
    make_room(list, 0);
    list->roots[list->count] = root;
    list->is_closed = true;
}

uint64_t ls_tick_list_first(const ls_tick_list *list)
{
    return list->first_tick;
}

uint64_t ls_tick_list_count(const ls_tick_list *list)
{
    return list->count;
}

uint64_t ls_tick_list_inputs(const ls_tick_list *list)
{
    return list->input_count;
}

uint64_t ls_tick_list_root(const ls_tick_list *list, uint64_t tick)
{
    uint64_t index = tick - list->first_tick;
    LS_ASSERT(index < list->count + list->is_closed);
    return list->roots[index];
}

static bool decode_frame(const ls_tick_list *list, uint64_t index, ls_input *inputs,
                         ls_frame *frame)
{
    size_t begin = index ? list->offsets[index - 1] : 0;
    ls_reader reader;
    ls_reader_init(&reader, list->frames + begin, list->offsets[index] - begin);
    return ls_frame_decode(&reader, list->first_tick + index, list->player_count, inputs, frame) &&
           ls_reader_done(&reader);
}

static ls_status next_of_list(void *argument, ls_world *world, ls_source_tick *tick,
                              ls_error *error)
{
    (void)world, (void)error;
    ls_tick_cursor *cursor = argument;
    const ls_tick_list *list = cursor->list;
    uint64_t index = cursor->tick - list->first_tick;
    *tick = (ls_source_tick){.is_over = index >= list->count};
    if (index < list->count + list->is_closed)
        tick->roots = (ls_recording_roots){cursor->tick, 1, &list->roots[index]};
    if (tick->is_over)
        return LS_OK;
    LS_ASSERT(decode_frame(list, index, cursor->inputs, &tick->frame));
    cursor->tick++;
    return LS_OK;
}

ls_tick_source ls_ticks_of_list(ls_tick_cursor *cursor, const ls_tick_list *list,
                                uint64_t first_tick)
{
    LS_ASSERT(first_tick >= list->first_tick && first_tick - list->first_tick <= list->count);
    cursor->list = list;
    cursor->tick = first_tick;
    return (ls_tick_source){next_of_list, cursor};
}

/* The byte form: u64 magic, u32 players, u64 first tick, u64 count, u64 bytes of all frames; then
 * for each tick u32 bytes of its frame, u64 root; the last root; the frames. */
void ls_tick_list_encode(const ls_tick_list *list, uint8_t **bytes, size_t *count)
{
    LS_ASSERT(list->is_closed);
    size_t room = LIST_HEAD + (size_t)list->count * 12 + 8 + list->frame_bytes;
    ls_writer writer;
    ls_writer_init(&writer, ls_alloc(room), room);
    ls_write_u64(&writer, LIST_MAGIC);
    ls_write_u32(&writer, list->player_count);
    ls_write_u64(&writer, list->first_tick);
    ls_write_u64(&writer, list->count);
    ls_write_u64(&writer, list->frame_bytes);
    for (uint64_t i = 0; i < list->count; i++) {
        size_t begin = i ? list->offsets[i - 1] : 0;
        ls_write_u32(&writer, (uint32_t)(list->offsets[i] - begin));
        ls_write_u64(&writer, list->roots[i]);
    }
    ls_write_u64(&writer, list->roots[list->count]);
    if (list->frame_bytes)
        ls_write_bytes(&writer, list->frames, list->frame_bytes);
    LS_ASSERT(!writer.failed && writer.count == room);
    *bytes = writer.data;
    *count = room;
}

static bool decode_ticks(ls_reader *reader, uint64_t count, size_t frame_bytes, ls_tick_list *list)
{
    list->tick_capacity = (size_t)count + 1;
    list->offsets = ls_alloc(list->tick_capacity * sizeof *list->offsets);
    list->roots = ls_alloc(list->tick_capacity * sizeof *list->roots);
    size_t end = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bytes = ls_read_u32(reader);
        if (bytes > frame_bytes - end)
            return false;
        end += bytes;
        list->offsets[i] = end;
        list->roots[i] = ls_read_u64(reader);
    }
    list->roots[count] = ls_read_u64(reader);
    const uint8_t *frames = ls_read_view(reader, frame_bytes);
    if (end != frame_bytes || !ls_reader_done(reader))
        return false;
    list->frames = ls_alloc(frame_bytes + 1);
    memcpy(list->frames, frames, frame_bytes);
    list->frame_room = list->frame_bytes = frame_bytes;
    list->count = count;
    list->is_closed = true;
    return true;
}

static bool frames_are_whole(ls_tick_list *list)
{
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    for (uint64_t i = 0; i < list->count; i++) {
        ls_frame frame;
        if (!decode_frame(list, i, inputs, &frame))
            return false;
        list->input_count += frame.count;
    }
    return true;
}

ls_status ls_tick_list_decode(const uint8_t *bytes, size_t count, ls_tick_list **list,
                              ls_error *error)
{
    *list = NULL;
    ls_reader reader;
    ls_reader_init(&reader, bytes, count);
    uint64_t magic = ls_read_u64(&reader);
    uint32_t players = ls_read_u32(&reader);
    uint64_t first = ls_read_u64(&reader), ticks = ls_read_u64(&reader);
    uint64_t frame_bytes = ls_read_u64(&reader);
    ls_tick_list *made = NULL;
    /* Bound all counts by the size of the input, so that hostile bytes cannot cause a large
     * allocation. */
    bool is_good = magic == LIST_MAGIC && players >= 1 && players <= LS_PLAYERS_MAX &&
                   ticks <= count / TICK_BYTES_MIN && first <= UINT64_MAX - ticks &&
                   frame_bytes <= count && frame_bytes <= LS_TICK_LIST_BYTES_MAX;
    if (is_good) {
        made = ls_tick_list_create(players, first);
        is_good = decode_ticks(&reader, ticks, (size_t)frame_bytes, made) && frames_are_whole(made);
    }
    if (is_good) {
        *list = made;
        return LS_OK;
    }
    ls_tick_list_destroy(made);
    return ls_error_set(error, LS_ERROR_CORRUPT, "these %zu bytes are no list of ticks", count);
}
