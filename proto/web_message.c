#include "proto/web_message.h"

#include "proto/handshake_internal.h"
#include <lockstep/bytes.h>

ls_web_message_kind ls_web_message_kind_of(const uint8_t *data, size_t bytes)
{
    if (bytes == 0 || bytes > LS_WEB_MESSAGE_BYTES_MAX)
        return LS_WEB_MALFORMED;
    if (data[0] == LS_WEB_CONNECT)
        return bytes == LS_WEB_CONNECT_BYTES ? LS_WEB_CONNECTING : LS_WEB_MALFORMED;
    if (data[0] >= LS_HANDSHAKE_HELLO && data[0] <= LS_HANDSHAKE_REJECT)
        return LS_WEB_DATAGRAM;
    if (data[0] >= LS_CHANNEL_COUNT)
        return LS_WEB_MALFORMED;
    size_t packet = bytes - 1;
    return packet >= LS_SEAL_BYTES && packet <= LS_PACKET_BYTES_MAX ? LS_WEB_PACKET
                                                                    : LS_WEB_MALFORMED;
}

uint32_t ls_web_connect_id(const uint8_t message[LS_WEB_CONNECT_BYTES])
{
    ls_reader reader;
    ls_reader_init(&reader, message + 1, LS_WEB_CONNECT_BYTES - 1);
    return ls_read_u32(&reader);
}
