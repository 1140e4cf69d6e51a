#include "proto/message.h"

#include "proto/plain.h"
#include "proto/text.h"

#include <string.h>

_Static_assert(LS_TICKS_BODIES_BYTES_MAX >= LS_FRAME_BYTES_MAX, "one frame must fit a packet");

/* Sizes in an UPDATE: the fixed fields, the header of each optional part, and the items of the
 * parts. */
enum {
    UPDATE_BYTES = 8 + 4 + 1,
    GAP_BYTES = 8 + 2,
    INPUTS_BYTES = 1 + 4,
    INPUT_BYTES = 8 + 2, /* without its data */
    ROOTS_BYTES = 1 + 2,
    ROOT_BYTES = 8,
    BATCH_BYTES = 2, /* beside one root; the byte with the number of roots is then 0 */
    STATES_BYTES = 1 + 8,
};
/* Flags of an UPDATE: the optional parts present, in this order, ROOTS_BEGIN for roots_begin, and
 * the level of congestion in the upper three bits. */
enum {
    HAS_GAP = 1,
    HAS_INPUTS = 2,
    HAS_ROOTS = 4,
    HAS_STATES = 8,
    ROOTS_BEGIN = 16,
    CONGESTION_SHIFT = 5
};
_Static_assert(LS_CONGESTION_MAX == 7, "three bits of the flags");
_Static_assert(UPDATE_BYTES + GAP_BYTES + INPUTS_BYTES + INPUT_BYTES + LS_INPUT_BYTES_MAX +
                       ROOTS_BYTES + LS_UPDATE_ROOTS_MAX * ROOT_BYTES + STATES_BYTES +
                       LS_UPDATE_STATES_MAX * LS_STATE_BYTES_MAX <=
                   LS_MESSAGE_BYTES_MAX,
               "one input must fit beside all roots and states");

/* A flag in the byte of a TICKS message that has the number of ticks: the bodies are packed. */
#define TICKS_PACKED 0x80

static bool encode_ticks(const ls_ticks *ticks, bool is_packed, ls_plain *plain)
{
    ls_writer writer = ls_plain_begin(plain, LS_MESSAGE_TICKS, LS_CHANNEL_TICKS);
    ls_write_u64(&writer, ticks->first);
    ls_write_u8(&writer, (uint8_t)(ticks->count | (is_packed ? TICKS_PACKED : 0)));
    ls_write_u32(&writer, ticks->input_ack);
    ls_write_u32(&writer, ticks->root_ack);
    ls_write_u32(&writer, ticks->echo_us);
    ls_write_u32(&writer, ticks->held_us);
    ls_write_u32(&writer, (uint32_t)ticks->slack_us);
    for (uint32_t i = 0; i < ticks->count; i++) {
        const ls_ticks_body *body = &ticks->bodies[i];
        LS_ASSERT(body->bytes >= 1 && body->bytes <= LS_FRAME_BYTES_MAX);
        if (is_packed && i)
            ls_frame_diff_write(&writer, body - 1, body);
        else
            ls_write_bytes(&writer, body->data, body->bytes);
    }
    return ls_plain_end(plain, &writer);
}

bool ls_ticks_encode(const ls_ticks *ticks, ls_plain *plain)
{
    LS_ASSERT(ticks->count >= 1 && ticks->count <= LS_TICKS_MAX);
    uint32_t whole = LS_MESSAGE_BYTES_MAX - LS_TICKS_BODIES_BYTES_MAX;
    for (uint32_t i = 0; i < ticks->count; i++)
        whole += ticks->bodies[i].bytes;
    return (ticks->is_packed && encode_ticks(ticks, true, plain) && plain->bytes < whole) ||
           encode_ticks(ticks, false, plain);
}

/* Reads body `i`. Unless it is whole in the message, it is written to ticks->unpacked from `used`
 * on. False if the body is not valid. */
static bool read_body(ls_reader *reader, uint32_t i, uint32_t player_count, uint32_t used,
                      ls_ticks *ticks)
{
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    uint64_t tick = ticks->first + ticks->count - 1 - i;
    ls_ticks_body *body = &ticks->bodies[i];
    uint32_t changes = ticks->is_packed && i ? ls_read_u8(reader) : LS_FRAME_DIFF_WHOLE;
    if (changes == LS_FRAME_DIFF_WHOLE) {
        size_t start = reader->offset;
        if (!ls_frame_decode(reader, tick, player_count, inputs, &frame))
            return false;
        *body = (ls_ticks_body){reader->data + start, (uint32_t)(reader->offset - start)};
        return true;
    }
    *body = (ls_ticks_body){ticks->unpacked + used, body[-1].bytes};
    if (body->bytes > sizeof ticks->unpacked - used ||
        !ls_frame_diff_read(reader, changes, body - 1, ticks->unpacked + used))
        return false;
    ls_reader own;
    ls_reader_init(&own, body->data, body->bytes);
    return ls_frame_decode(&own, tick, player_count, inputs, &frame) && ls_reader_done(&own);
}

bool ls_ticks_decode(const ls_plain *plain, uint32_t player_count, ls_ticks *ticks)
{
    ls_reader reader = ls_plain_open(plain, LS_MESSAGE_TICKS, LS_CHANNEL_TICKS);
    ticks->first = ls_read_u64(&reader);
    ticks->count = ls_read_u8(&reader);
    ticks->is_packed = ticks->count & TICKS_PACKED;
    ticks->count &= ~(uint32_t)TICKS_PACKED;
    ticks->input_ack = ls_read_u32(&reader);
    ticks->root_ack = ls_read_u32(&reader);
    ticks->echo_us = ls_read_u32(&reader);
    ticks->held_us = ls_read_u32(&reader);
    ticks->slack_us = (int32_t)ls_read_u32(&reader);
    if (ticks->count < 1 || ticks->count > LS_TICKS_MAX || ticks->first > UINT64_MAX - ticks->count)
        reader.failed = true;
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < ticks->count && !reader.failed; i++) {
        if (!read_body(&reader, i, player_count, bytes, ticks))
            return false;
        bytes += ticks->bodies[i].bytes;
        reader.failed |= bytes > LS_TICKS_BODIES_BYTES_MAX;
    }
    return ls_reader_done(&reader);
}

uint32_t ls_update_inputs_fit(const ls_update *update)
{
    size_t left = LS_MESSAGE_BYTES_MAX - UPDATE_BYTES - INPUTS_BYTES;
    if (update->gap_count)
        left -= GAP_BYTES;
    if (update->root_count)
        left -= ROOTS_BYTES + update->root_count * (size_t)ROOT_BYTES +
                (update->batch_count ? (size_t)BATCH_BYTES : 0);
    if (update->state_count)
        left -= STATES_BYTES + update->state_count * (size_t)update->state_bytes;
    uint32_t count = 0;
    while (count < update->input_count && count < LS_UPDATE_INPUTS_MAX) {
        size_t bytes = INPUT_BYTES + (size_t)update->inputs[count].bytes;
        if (bytes > left)
            break;
        left -= bytes;
        count++;
    }
    return count;
}

static void write_inputs(ls_writer *writer, const ls_update *update)
{
    ls_write_u8(writer, (uint8_t)update->input_count);
    ls_write_u32(writer, update->inputs[0].sequence);
    for (uint32_t i = 0; i < update->input_count; i++) {
        const ls_update_input *input = &update->inputs[i];
        LS_ASSERT(input->sequence == update->inputs[0].sequence + i && input->sequence > 0);
        ls_write_u64(writer, input->tick);
        ls_write_u16(writer, input->bytes);
        ls_write_bytes(writer, input->data, input->bytes);
    }
}

/* Checks the range of the roots. Their first tick is encoded as its distance before `ack`, in two
 * bytes instead of eight. */
static bool roots_are_valid(const ls_update *update)
{
    uint32_t ticks = update->batch_count ? update->batch_count : update->root_count;
    return update->root_first <= update->ack && ticks >= 1 &&
           update->root_count <= LS_UPDATE_ROOTS_MAX &&
           update->ack - update->root_first >= ticks - 1;
}

static void write_roots(ls_writer *writer, const ls_update *update)
{
    LS_ASSERT(update->root_count <= LS_UPDATE_ROOTS_MAX);
    LS_ASSERT(update->ack - update->root_first <= LS_UPDATE_ROOT_AGE_MAX);
    LS_ASSERT(!update->batch_count || (update->batch_count >= 2 && update->root_count == 1));
    ls_write_u8(writer, update->batch_count ? 0 : (uint8_t)update->root_count);
    ls_write_u16(writer, (uint16_t)(update->ack - update->root_first));
    if (update->batch_count)
        ls_write_u16(writer, (uint16_t)update->batch_count);
    for (uint32_t i = 0; i < update->root_count; i++)
        ls_write_u64(writer, update->roots[i]);
}

static uint8_t flags_of(const ls_update *update)
{
    return (uint8_t)((update->gap_count ? HAS_GAP : 0) | (update->input_count ? HAS_INPUTS : 0) |
                     (update->root_count ? HAS_ROOTS : 0) | (update->state_count ? HAS_STATES : 0) |
                     (update->root_count && update->roots_begin ? ROOTS_BEGIN : 0) |
                     update->congestion << CONGESTION_SHIFT);
}

bool ls_update_encode(const ls_update *update, ls_plain *plain)
{
    LS_ASSERT(update->input_count <= LS_UPDATE_INPUTS_MAX);
    LS_ASSERT(update->state_count <= LS_UPDATE_STATES_MAX);
    LS_ASSERT(update->state_bytes <= LS_STATE_BYTES_MAX);
    LS_ASSERT(update->congestion <= LS_CONGESTION_MAX);
    ls_writer writer = ls_plain_begin(plain, LS_MESSAGE_UPDATE, LS_CHANNEL_TICKS);
    ls_write_u64(&writer, update->ack);
    ls_write_u32(&writer, update->stamp_us);
    ls_write_u8(&writer, flags_of(update));
    if (update->gap_count) {
        ls_write_u64(&writer, update->gap_first);
        ls_write_u16(&writer, (uint16_t)update->gap_count);
    }
    if (update->input_count)
        write_inputs(&writer, update);
    if (update->root_count)
        write_roots(&writer, update);
    if (update->state_count) {
        ls_write_u8(&writer, (uint8_t)update->state_count);
        ls_write_u64(&writer, update->state_first);
        ls_write_bytes(&writer, update->states, update->state_count * update->state_bytes);
    }
    return ls_plain_end(plain, &writer);
}

static void read_gap(ls_reader *reader, ls_update *update)
{
    update->gap_first = ls_read_u64(reader);
    update->gap_count = ls_read_u16(reader);
    if (update->gap_count < 1 || update->gap_count > LS_GAP_TICKS_MAX ||
        update->gap_first < update->ack || update->gap_first > UINT64_MAX - update->gap_count)
        reader->failed = true;
}

static void read_inputs(ls_reader *reader, ls_update *update)
{
    uint32_t count = ls_read_u8(reader), sequence = ls_read_u32(reader);
    if (count < 1 || count > LS_UPDATE_INPUTS_MAX || sequence == 0 ||
        sequence > UINT32_MAX - LS_UPDATE_INPUTS_MAX)
        reader->failed = true;
    update->input_count = reader->failed ? 0 : count;
    for (uint32_t i = 0; i < update->input_count && !reader->failed; i++) {
        ls_update_input *input = &update->inputs[i];
        input->sequence = sequence + i;
        input->tick = ls_read_u64(reader);
        input->bytes = ls_read_u16(reader);
        if (input->bytes < 1 || input->bytes > LS_INPUT_BYTES_MAX)
            reader->failed = true;
        input->data = ls_read_view(reader, input->bytes);
    }
}

static void read_batch_count(ls_reader *reader, ls_update *update)
{
    update->root_count = 1;
    update->batch_count = ls_read_u16(reader);
    if (update->batch_count < 2 || update->batch_count > LS_ROOT_BATCH_MAX)
        reader->failed = true;
}

static void read_roots(ls_reader *reader, ls_update *update)
{
    update->root_count = ls_read_u8(reader);
    update->root_first = update->ack - ls_read_u16(reader);
    if (!update->root_count)
        read_batch_count(reader, update);
    if (!roots_are_valid(update))
        reader->failed = true;
    for (uint32_t i = 0; i < update->root_count && !reader->failed; i++)
        update->roots[i] = ls_read_u64(reader);
}

static void read_states(ls_reader *reader, ls_update *update)
{
    update->state_count = ls_read_u8(reader);
    update->state_first = ls_read_u64(reader);
    if (update->state_count < 1 || update->state_count > LS_UPDATE_STATES_MAX ||
        !update->state_bytes || update->state_first > UINT64_MAX - LS_UPDATE_STATES_MAX)
        reader->failed = true;
    else
        update->states = ls_read_view(reader, update->state_count * (size_t)update->state_bytes);
}

bool ls_update_decode(const ls_plain *plain, uint32_t state_bytes, ls_update *update)
{
    ls_reader reader = ls_plain_open(plain, LS_MESSAGE_UPDATE, LS_CHANNEL_TICKS);
    *update = (ls_update){.state_bytes = state_bytes};
    update->ack = ls_read_u64(&reader);
    update->stamp_us = ls_read_u32(&reader);
    uint8_t flags = ls_read_u8(&reader);
    update->roots_begin = flags & ROOTS_BEGIN;
    update->congestion = flags >> CONGESTION_SHIFT;
    if (update->roots_begin && !(flags & HAS_ROOTS))
        reader.failed = true;
    if (flags & HAS_GAP)
        read_gap(&reader, update);
    if (flags & HAS_INPUTS)
        read_inputs(&reader, update);
    if (flags & HAS_ROOTS)
        read_roots(&reader, update);
    if (flags & HAS_STATES)
        read_states(&reader, update);
    return ls_reader_done(&reader);
}

static bool request_is_valid(const ls_snapshot_request *request)
{
    return request->offset < LS_SNAPSHOT_BYTES_MAX && request->bytes >= 1 &&
           request->bytes <= LS_SNAPSHOT_REQUEST_BYTES_MAX;
}

void ls_snapshot_request_encode(const ls_snapshot_request *request, ls_plain *plain)
{
    LS_ASSERT(request_is_valid(request));
    ls_writer writer = ls_plain_begin(plain, LS_MESSAGE_SNAPSHOT_REQUEST, LS_CHANNEL_TICKS);
    ls_write_u64(&writer, request->tick);
    ls_write_u32(&writer, request->offset);
    ls_write_u32(&writer, request->bytes);
    LS_ASSERT(ls_plain_end(plain, &writer));
}

bool ls_snapshot_request_decode(const ls_plain *plain, ls_snapshot_request *request)
{
    ls_reader reader = ls_plain_open(plain, LS_MESSAGE_SNAPSHOT_REQUEST, LS_CHANNEL_TICKS);
    request->tick = ls_read_u64(&reader);
    request->offset = ls_read_u32(&reader);
    request->bytes = ls_read_u32(&reader);
    return ls_reader_done(&reader) && request_is_valid(request);
}

static bool chunk_is_valid(const ls_snapshot_chunk *chunk)
{
    return chunk->total_bytes <= LS_SNAPSHOT_BYTES_MAX && chunk->raw_bytes >= 1 &&
           chunk->raw_bytes <= LS_SNAPSHOT_BYTES_MAX && chunk->bytes >= 1 &&
           chunk->bytes <= LS_CHUNK_BYTES_MAX && chunk->bytes <= chunk->total_bytes &&
           chunk->offset <= chunk->total_bytes - chunk->bytes;
}

void ls_snapshot_chunk_encode(const ls_snapshot_chunk *chunk, ls_plain *plain)
{
    LS_ASSERT(chunk_is_valid(chunk));
    ls_writer writer = ls_plain_begin(plain, LS_MESSAGE_SNAPSHOT_CHUNK, LS_CHANNEL_TICKS);
    ls_write_u64(&writer, chunk->tick);
    ls_write_u32(&writer, chunk->total_bytes);
    ls_write_u32(&writer, chunk->raw_bytes);
    ls_write_u32(&writer, chunk->offset);
    ls_write_bytes(&writer, chunk->data, chunk->bytes); /* the data fills the rest of the message */
    LS_ASSERT(ls_plain_end(plain, &writer));
}

bool ls_snapshot_chunk_decode(const ls_plain *plain, ls_snapshot_chunk *chunk)
{
    ls_reader reader = ls_plain_open(plain, LS_MESSAGE_SNAPSHOT_CHUNK, LS_CHANNEL_TICKS);
    chunk->tick = ls_read_u64(&reader);
    chunk->total_bytes = ls_read_u32(&reader);
    chunk->raw_bytes = ls_read_u32(&reader);
    chunk->offset = ls_read_u32(&reader);
    chunk->bytes = (uint32_t)ls_reader_left(&reader);
    chunk->data = ls_read_view(&reader, chunk->bytes);
    return ls_reader_done(&reader) && chunk_is_valid(chunk);
}

void ls_bye_encode(const ls_bye *bye, ls_plain *plain)
{
    ls_writer writer = ls_plain_begin(plain, LS_MESSAGE_BYE, LS_CHANNEL_CONTROL);
    ls_text_write_reason(&writer, bye->text);
    LS_ASSERT(ls_plain_end(plain, &writer));
}

bool ls_bye_decode(const ls_plain *plain, ls_bye *bye)
{
    ls_reader reader = ls_plain_open(plain, LS_MESSAGE_BYE, LS_CHANNEL_CONTROL);
    ls_text_read(&reader, bye->text, sizeof bye->text);
    return ls_reader_done(&reader);
}

const char *ls_bye_failure(const ls_bye *bye)
{
    static const char prefix[] = LS_BYE_FAILED;
    size_t bytes = sizeof prefix - 1;
    return strncmp(bye->text, prefix, bytes) == 0 ? bye->text + bytes : NULL;
}

void ls_pause_encode(bool wants_pause, ls_plain *plain)
{
    ls_writer writer = ls_plain_begin(plain, LS_MESSAGE_PAUSE, LS_CHANNEL_CONTROL);
    ls_write_u8(&writer, wants_pause);
    LS_ASSERT(ls_plain_end(plain, &writer));
}

bool ls_pause_decode(const ls_plain *plain, bool *wants_pause)
{
    ls_reader reader = ls_plain_open(plain, LS_MESSAGE_PAUSE, LS_CHANNEL_CONTROL);
    uint8_t value = ls_read_u8(&reader);
    *wants_pause = value == 1;
    return ls_reader_done(&reader) && value <= 1;
}

void ls_line_report_encode(const ls_line_report *report, ls_plain *plain)
{
    LS_ASSERT(report->loss_permille <= 1000);
    ls_writer writer = ls_plain_begin(plain, LS_MESSAGE_REPORT, LS_CHANNEL_TICKS);
    ls_write_u32(&writer, report->rtt_us);
    ls_write_u16(&writer, report->loss_permille);
    ls_write_u16(&writer, report->delay_ticks);
    ls_write_u16(&writer, report->rollback_ticks);
    LS_ASSERT(ls_plain_end(plain, &writer));
}

bool ls_line_report_decode(const ls_plain *plain, ls_line_report *report)
{
    ls_reader reader = ls_plain_open(plain, LS_MESSAGE_REPORT, LS_CHANNEL_TICKS);
    report->rtt_us = ls_read_u32(&reader);
    report->loss_permille = ls_read_u16(&reader);
    report->delay_ticks = ls_read_u16(&reader);
    report->rollback_ticks = ls_read_u16(&reader);
    return ls_reader_done(&reader) && report->loss_permille <= 1000;
}

void ls_confirm_encode(ls_plain *plain)
{
    ls_writer writer = ls_plain_begin(plain, LS_MESSAGE_CONFIRM, LS_CHANNEL_CONTROL);
    LS_ASSERT(ls_plain_end(plain, &writer));
}

bool ls_confirm_decode(const ls_plain *plain)
{
    ls_reader reader = ls_plain_open(plain, LS_MESSAGE_CONFIRM, LS_CHANNEL_CONTROL);
    return ls_reader_done(&reader);
}
