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

void ls_notice_encode(const ls_notice *notice, ls_plain *plain)
{
    ls_writer writer = ls_plain_begin(plain, LS_MESSAGE_NOTICE, LS_CHANNEL_CONTROL);
    ls_write_u8(&writer, notice->kind);
    switch ((ls_notice_kind)notice->kind) {
    case LS_NOTICE_DESYNC:
        ls_write_u64(&writer, notice->tick);
        ls_write_u64(&writer, notice->your_root);
        ls_write_u64(&writer, notice->server_root);
        break;
    case LS_NOTICE_END:
        ls_write_u64(&writer, notice->tick);
        ls_write_u64(&writer, notice->server_root);
        break;
    case LS_NOTICE_RELOAD:
        ls_write_u64(&writer, notice->tick);
        ls_text_write_reason(&writer, notice->text);
        break;
    case LS_NOTICE_KEPT:
        ls_write_u64(&writer, notice->tick);
        break;
    case LS_NOTICE_KICK:
    case LS_NOTICE_GOODBYE:
    case LS_NOTICE_SAY:
        ls_text_write_reason(&writer, notice->text);
        break;
    case LS_NOTICE_FOLLOW:
        LS_ASSERT(names_host(&notice->to));
        ls_write_bytes(&writer, notice->to.bytes, sizeof notice->to.bytes);
        break;
    default:
        ls_assert_failed(__FILE__, __LINE__, "a notice of no kind");
    }
    LS_ASSERT(ls_plain_end(plain, &writer));
}

bool ls_notice_decode(const ls_plain *plain, ls_notice *notice)
{
    ls_reader reader = ls_plain_open(plain, LS_MESSAGE_NOTICE, LS_CHANNEL_CONTROL);
    *notice = (ls_notice){.kind = ls_read_u8(&reader)};
    switch (notice->kind) {
    case LS_NOTICE_DESYNC:
        notice->tick = ls_read_u64(&reader);
        notice->your_root = ls_read_u64(&reader);
        notice->server_root = ls_read_u64(&reader);
        break;
    case LS_NOTICE_END:
        notice->tick = ls_read_u64(&reader);
        notice->server_root = ls_read_u64(&reader);
        break;
    case LS_NOTICE_RELOAD:
        notice->tick = ls_read_u64(&reader);
        ls_text_read(&reader, notice->text, sizeof notice->text);
        break;
    case LS_NOTICE_KEPT:
        notice->tick = ls_read_u64(&reader);
        break;
    case LS_NOTICE_KICK:
    case LS_NOTICE_GOODBYE:
    case LS_NOTICE_SAY:
        ls_text_read(&reader, notice->text, sizeof notice->text);
        break;
    case LS_NOTICE_FOLLOW:
        ls_read_bytes(&reader, notice->to.bytes, sizeof notice->to.bytes);
        if (!names_host(&notice->to))
            return false;
        break;
    default:
        return false;
    }
    return ls_reader_done(&reader);
}
