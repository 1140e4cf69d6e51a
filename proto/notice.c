#include "proto/notice.h"

#include "proto/message.h"
#include "proto/plain.h"
#include "proto/text.h"

#include <lockstep/address.h>

static bool names_host(const ls_remote *to)
{
    const ls_address address = ls_address_of_remote(to);
    return ls_address_is_unicast(&address);
}

enum { TICK = 1, YOUR_ROOT = 2, SERVER_ROOT = 4, TEXT = 8, REMOTE = 16 };

/* The parts of a notice, in the order of their bits; 0: there is no such kind. */
static uint32_t parts_of(uint32_t kind)
{
    static const uint8_t parts[] = {
        [LS_NOTICE_DESYNC] = TICK | YOUR_ROOT | SERVER_ROOT,
        [LS_NOTICE_KICK] = TEXT,
        [LS_NOTICE_GOODBYE] = TEXT,
        [LS_NOTICE_END] = TICK | SERVER_ROOT,
        [LS_NOTICE_RELOAD] = TICK | TEXT,
        [LS_NOTICE_KEPT] = TICK,
        [LS_NOTICE_SAY] = TEXT,
        [LS_NOTICE_FOLLOW] = REMOTE,
    };
    return kind < LS_COUNT_OF(parts) ? parts[kind] : 0;
}

void ls_notice_encode(const ls_notice *notice, ls_plain *plain)
{
    ls_writer writer = ls_plain_begin(plain, LS_MESSAGE_NOTICE, LS_CHANNEL_CONTROL);
    uint32_t parts = parts_of(notice->kind);
    LS_ASSERT(parts && (!(parts & REMOTE) || names_host(&notice->to)));
    ls_write_u8(&writer, notice->kind);
    if (parts & TICK)
        ls_write_u64(&writer, notice->tick);
    if (parts & YOUR_ROOT)
        ls_write_u64(&writer, notice->your_root);
    if (parts & SERVER_ROOT)
        ls_write_u64(&writer, notice->server_root);
    if (parts & TEXT)
        ls_text_write_reason(&writer, notice->text);
    if (parts & REMOTE)
        ls_write_bytes(&writer, notice->to.bytes, sizeof notice->to.bytes);
    LS_ASSERT(ls_plain_end(plain, &writer));
}

bool ls_notice_decode(const ls_plain *plain, ls_notice *notice)
{
    ls_reader reader = ls_plain_open(plain, LS_MESSAGE_NOTICE, LS_CHANNEL_CONTROL);
    *notice = (ls_notice){.kind = ls_read_u8(&reader)};
    uint32_t parts = parts_of(notice->kind);
    if (parts & TICK)
        notice->tick = ls_read_u64(&reader);
    if (parts & YOUR_ROOT)
        notice->your_root = ls_read_u64(&reader);
    if (parts & SERVER_ROOT)
        notice->server_root = ls_read_u64(&reader);
    if (parts & TEXT)
        ls_text_read(&reader, notice->text, sizeof notice->text);
    if (parts & REMOTE)
        ls_read_bytes(&reader, notice->to.bytes, sizeof notice->to.bytes);
    return parts && (!(parts & REMOTE) || names_host(&notice->to)) && ls_reader_done(&reader);
}
