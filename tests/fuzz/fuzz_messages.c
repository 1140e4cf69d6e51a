/* Arbitrary bytes as each decrypted message of a session: no crash and no read out of bounds, and
 * an accepted message encodes to the same bytes, or, packed, to the same frames.
 * bytes  type, size of one state, then the message */
#include "proto/evidence_message.h"
#include "proto/message.h"
#include "proto/notice.h"

#include <string.h>

enum { PLAYERS = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static uint32_t sum(const uint8_t *data, size_t bytes)
{
    uint32_t total = 0;
    for (size_t i = 0; i < bytes; i++)
        total += data[i];
    return total;
}

static bool ticks_again(const ls_plain *plain, ls_plain *again)
{
    ls_ticks ticks;
    if (!ls_ticks_decode(plain, PLAYERS, &ticks))
        return false;
    for (uint32_t i = 0; i < ticks.count; i++) {
        ls_reader reader;
        ls_input inputs[LS_FRAME_INPUTS_MAX];
        ls_frame frame;
        ls_reader_init(&reader, ticks.bodies[i].data, ticks.bodies[i].bytes);
        LS_ASSERT(
            ls_frame_decode(&reader, ticks.first + ticks.count - 1 - i, PLAYERS, inputs, &frame));
        LS_ASSERT(ls_reader_done(&reader) && ls_frame_bytes(&frame) == ticks.bodies[i].bytes);
        for (uint32_t k = 0; k < frame.count; k++)
            LS_ASSERT(sum(frame.inputs[k].data, frame.inputs[k].bytes) < UINT32_MAX);
    }
    LS_ASSERT(ls_ticks_encode(&ticks, again));
    if (!ticks.is_packed)
        return true;
    /* Frames can be packed in several ways; ours has to mean the same. */
    ls_ticks same;
    LS_ASSERT(ls_ticks_decode(again, PLAYERS, &same) && same.count == ticks.count);
    for (uint32_t i = 0; i < ticks.count; i++)
        LS_ASSERT(same.bodies[i].bytes == ticks.bodies[i].bytes &&
                  memcmp(same.bodies[i].data, ticks.bodies[i].data, same.bodies[i].bytes) == 0);
    *again = *plain;
    return true;
}

static bool update_again(const ls_plain *plain, uint32_t state_bytes, ls_plain *again)
{
    ls_update update;
    if (!ls_update_decode(plain, state_bytes, &update))
        return false;
    LS_ASSERT(update.state_count == 0 || state_bytes > 0);
    LS_ASSERT(sum(update.states, (size_t)update.state_count * state_bytes) < UINT32_MAX);
    LS_ASSERT(ls_update_encode(&update, again));
    return true;
}

static bool snapshot_request_again(const ls_plain *plain, ls_plain *again)
{
    ls_snapshot_request request;
    if (!ls_snapshot_request_decode(plain, &request))
        return false;
    ls_snapshot_request_encode(&request, again);
    return true;
}

static bool snapshot_chunk_again(const ls_plain *plain, ls_plain *again)
{
    ls_snapshot_chunk chunk;
    if (!ls_snapshot_chunk_decode(plain, &chunk))
        return false;
    LS_ASSERT(sum(chunk.data, chunk.bytes) < UINT32_MAX);
    ls_snapshot_chunk_encode(&chunk, again);
    return true;
}

static bool evidence_again(const ls_plain *plain, ls_plain *again)
{
    ls_evidence_request request;
    ls_evidence_chunk chunk;
    if (ls_evidence_request_decode(plain, &request)) {
        ls_evidence_request_encode(&request, again);
        return true;
    }
    if (!ls_evidence_chunk_decode(plain, &chunk))
        return false;
    LS_ASSERT(sum(chunk.data, chunk.bytes) < UINT32_MAX);
    ls_evidence_chunk_encode(&chunk, again);
    return true;
}

static bool notice_again(const ls_plain *plain, ls_plain *again)
{
    ls_notice notice;
    if (!ls_notice_decode(plain, &notice))
        return false;
    LS_ASSERT(memchr(notice.text, 0, sizeof notice.text));
    ls_notice_encode(&notice, again);
    return true;
}

/* Re-encodes a BYE, PAUSE, REPORT or CONFIRM message. */
static bool small_again(const ls_plain *plain, ls_plain *again)
{
    ls_bye bye;
    ls_line_report report;
    bool wants_pause;
    if (ls_bye_decode(plain, &bye)) {
        LS_ASSERT(memchr(bye.text, 0, sizeof bye.text));
        ls_bye_encode(&bye, again);
    } else if (ls_pause_decode(plain, &wants_pause)) {
        ls_pause_encode(wants_pause, again);
    } else if (ls_line_report_decode(plain, &report)) {
        ls_line_report_encode(&report, again);
    } else if (ls_confirm_decode(plain)) {
        ls_confirm_encode(again);
    } else {
        return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    ls_plain plain = {0}, again = {0};
    if (bytes < 2 || bytes - 2 > LS_MESSAGE_BYTES_MAX)
        return 0;
    plain.type = data[0];
    plain.bytes = (uint32_t)bytes - 2;
    memcpy(plain.data, data + 2, bytes - 2);
    uint32_t state_bytes = data[1] % (LS_STATE_BYTES_MAX + 1);
    for (plain.channel = 0; plain.channel < LS_CHANNEL_COUNT; plain.channel++) {
        /* Each decoder checks type and channel itself, so at most one accepts the message. */
        int taken = ticks_again(&plain, &again);
        taken += update_again(&plain, state_bytes, &again);
        taken += snapshot_request_again(&plain, &again);
        taken += snapshot_chunk_again(&plain, &again);
        taken += evidence_again(&plain, &again);
        taken += notice_again(&plain, &again);
        taken += small_again(&plain, &again);
        LS_ASSERT(taken <= 1);
        LS_ASSERT(!taken ||
                  (again.type == plain.type && again.channel == plain.channel &&
                   again.bytes == plain.bytes && memcmp(again.data, plain.data, plain.bytes) == 0));
    }
    return 0;
}
