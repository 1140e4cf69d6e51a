/* The constants repeat ENet's protocol, because only enet_library.h may include enet.h. */
#include "proto/enet_gate.h"

#include "proto/path.h"

#include <string.h>

enum {
    COMMAND_ACKNOWLEDGE = 1,
    COMMAND_CONNECT,
    COMMAND_VERIFY_CONNECT,
    COMMAND_DISCONNECT,
    COMMAND_PING,
    COMMAND_SEND_RELIABLE,
    COMMAND_SEND_UNRELIABLE,
    COMMAND_SEND_FRAGMENT,
    COMMAND_SEND_UNSEQUENCED,
    COMMAND_BANDWIDTH_LIMIT,
    COMMAND_THROTTLE_CONFIGURE,
    COMMAND_COUNT,
};
enum {
    COMMAND_MASK = 0x0f,
    COMMAND_IS_ACKNOWLEDGED = 0x80,
    COMMAND_IS_UNSEQUENCED = 0x40,
    COMMAND_DISCONNECT_NOW = COMMAND_DISCONNECT | COMMAND_IS_UNSEQUENCED,
    CHANNEL_NONE = 0xff, /* the channel of commands that concern the connection itself */
    COMMAND_HEADER_BYTES = 4,
    HEADER_HAS_SENT_TIME = 0x80, /* in the first byte */
    HEADER_IS_COMPRESSED = 0x40,
    WINDOW_BYTES = 65536,
    SESSIONS = 4,
    SESSION_NONE = 0xff,
};

/* How our links send each command: its first byte, its channel, and its length without data. A
 * command of length 0 is refused here; is_our_connect() checks CONNECT.
 *
 * SEND_UNRELIABLE is missing, because its fragments would make the receiver deaf after some loss.
 * SEND_FRAGMENT is missing, because every packet fits into a datagram. */
static const struct {
    uint8_t first, channel, bytes;
} commands[COMMAND_COUNT] = {
    [COMMAND_ACKNOWLEDGE] = {0x01, CHANNEL_NONE, 8},
    [COMMAND_VERIFY_CONNECT] = {0x83, CHANNEL_NONE, 44},
    [COMMAND_DISCONNECT] = {0x84, CHANNEL_NONE, 8},
    [COMMAND_PING] = {0x85, CHANNEL_NONE, 4},
    [COMMAND_SEND_RELIABLE] = {0x86, LS_CHANNEL_CONTROL, 6},
    [COMMAND_SEND_UNSEQUENCED] = {0x49, LS_CHANNEL_TICKS, 8},
    [COMMAND_BANDWIDTH_LIMIT] = {0x8a, CHANNEL_NONE, 12},
    [COMMAND_THROTTLE_CONFIGURE] = {0x8b, CHANNEL_NONE, 16},
};

static uint32_t read_16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t read_32(const uint8_t *at)
{
    return read_16(at) << 16 | read_16(at + 2);
}

static bool is_zero(const uint8_t *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (at[i] != 0)
            return false;
    return true;
}

static bool is_session(uint8_t session)
{
    return session < SESSIONS || session == SESSION_NONE;
}

/* True when the offered MTU, window, channel count, bandwidths (0: no limit) and throttle are those
 * that our links send. Other values would limit or inflate ENet's work for this peer. */
static bool is_our_offer(const uint8_t *at)
{
    return read_32(at) == LS_ENET_MTU_BYTES && read_32(at + 4) == WINDOW_BYTES &&
           read_32(at + 8) == LS_CHANNEL_COUNT && is_zero(at + 12, 8) && read_32(at + 20) == 5000 &&
           read_32(at + 24) == 2 && read_32(at + 28) == 2;
}

/* The 32 bytes: 4 of ENet's header, 4 of its checksum, 24 of its largest command. */
_Static_assert(LS_PACKET_BYTES_MAX + 32 == LS_ENET_MTU_BYTES, "the largest packet is not cut");

/* True when first byte and channel are as our links send them. The first byte has the flags: ENet
 * would accept a command without the acknowledgement flag and never acknowledge it. */
static bool is_our_form(const uint8_t *at)
{
    uint32_t number = at[0] & COMMAND_MASK;
    bool is_first = at[0] == commands[number].first || at[0] == COMMAND_DISCONNECT_NOW;
    bool is_channel = at[1] == commands[number].channel ||
                      (number == COMMAND_ACKNOWLEDGE && at[1] == LS_CHANNEL_CONTROL);
    return is_first && is_channel;
}

/* Checks the fields of the command at `at`, which has all of its bytes before the data. */
static bool is_our_command(const uint8_t *at, ls_role receiver)
{
    switch (at[0] & COMMAND_MASK) {
    case COMMAND_VERIFY_CONNECT:
        /* With the id LS_ENET_PEER_NONE, ENet would not check the session of later datagrams. */
        return receiver == LS_ROLE_CLIENT && read_16(at + 4) < LS_ENET_PEER_NONE &&
               at[6] < SESSIONS && at[7] < SESSIONS && is_our_offer(at + 8);
    case COMMAND_SEND_RELIABLE:
        return ls_enet_is_sealed_length(read_16(at + 4));
    case COMMAND_SEND_UNSEQUENCED:
        return ls_enet_is_sealed_length(read_16(at + 6));
    case COMMAND_BANDWIDTH_LIMIT:
        return is_zero(at + 4, 8);
    case COMMAND_THROTTLE_CONFIGURE:
        return read_32(at + 4) == 5000 && read_32(at + 8) == 32 && read_32(at + 12) == 0;
    default:
        return true;
    }
}

static uint32_t data_bytes(const uint8_t *at)
{
    switch (at[0] & COMMAND_MASK) {
    case COMMAND_SEND_RELIABLE:
        return read_16(at + 4);
    case COMMAND_SEND_UNSEQUENCED:
        return read_16(at + 6);
    default:
        return 0;
    }
}

/* Returns the whole length of a command, or 0 when our links do not send it. */
static uint32_t command_bytes(const uint8_t *at, const uint8_t *end, bool has_time,
                              ls_role receiver)
{
    uint32_t number = at[0] & COMMAND_MASK;
    uint32_t bytes = number < COMMAND_COUNT ? commands[number].bytes : 0;
    if (bytes == 0 || (size_t)(end - at) < bytes || !is_our_form(at) ||
        !is_our_command(at, receiver))
        return 0;
    /* Without a time, ENet would act on the command and never acknowledge it: a DISCONNECT would
     * stay half done. */
    if ((at[0] & COMMAND_IS_ACKNOWLEDGED) && !has_time)
        return 0;
    bytes += data_bytes(at);
    return (size_t)(end - at) < bytes ? 0 : bytes;
}

static void count_command(const uint8_t *at, ls_enet_datagram *datagram)
{
    datagram->command_count += (at[0] & COMMAND_MASK) != COMMAND_SEND_UNSEQUENCED;
    datagram->has_disconnect |= (at[0] & COMMAND_MASK) == COMMAND_DISCONNECT;
    if ((at[0] & COMMAND_MASK) == COMMAND_SEND_RELIABLE)
        datagram->reliable[datagram->reliable_count++] = (uint16_t)read_16(at + 2);
}

static bool are_our_commands(const uint8_t *at, const uint8_t *end, ls_role receiver,
                             ls_enet_datagram *datagram)
{
    bool has_time = datagram->has_time;
    for (uint32_t count = 0; at < end; count++) {
        uint32_t bytes = command_bytes(at, end, has_time, receiver);
        if (bytes == 0 || count == LS_ENET_COMMANDS_MAX)
            return false;
        count_command(at, datagram);
        at += bytes;
    }
    return true;
}

/* True for exactly the datagram with which our clients connect. Its outgoing peer id must be 0:
 * with LS_ENET_PEER_NONE, ENet would leave the connect id out of the checksums. */
static bool is_our_connect(const uint8_t *data, size_t bytes)
{
    enum { AT = 8, BYTES = 48 };
    static const uint8_t head[AT] = {COMMAND_CONNECT | COMMAND_IS_ACKNOWLEDGED, 0xff, 0, 1, 0, 0};
    const uint8_t *at = data + AT;
    return bytes == AT + BYTES && data[0] == (HEADER_HAS_SENT_TIME | LS_ENET_PEER_NONE >> 8) &&
           memcmp(at, head, 6) == 0 && is_session(at[6]) && is_session(at[7]) &&
           is_our_offer(at + 8) && is_zero(at + 44, 4);
}

ls_enet_datagram ls_enet_gate_read(const uint8_t *data, size_t bytes, ls_role receiver)
{
    ls_enet_datagram result = {.kind = LS_ENET_REFUSED};
    if (bytes == 0)
        return result;
    /* ENet without a compressor drops compressed datagrams: their flag, bit 6, is free for us. */
    if (data[0] & HEADER_IS_COMPRESSED) {
        if (data[0] == (receiver == LS_ROLE_SERVER ? LS_PATH_RESPONSE : LS_PATH_CHALLENGE))
            result.kind = bytes == LS_PATH_BYTES ? LS_ENET_PATH : LS_ENET_REFUSED;
        else
            result.kind = bytes <= LS_MTU_BYTES ? LS_ENET_HANDSHAKE : LS_ENET_REFUSED;
        return result;
    }
    uint32_t checksum_at = ls_enet_checksum_at(data[0]);
    uint32_t commands_at = checksum_at + 4;
    /* ENet itself would read the checksum of a short datagram beyond its end. */
    if (bytes < commands_at + COMMAND_HEADER_BYTES + LS_CARRIER_MAC_BYTES ||
        bytes > LS_DATAGRAM_BYTES_MAX)
        return result;
    bytes -= LS_CARRIER_MAC_BYTES;
    result.counter_at = (uint8_t)checksum_at;
    result.peer = read_16(data) & 0xfff;
    result.session = data[0] >> 4 & (SESSIONS - 1);
    result.has_time = (data[0] & HEADER_HAS_SENT_TIME) != 0;
    if (result.peer == LS_ENET_PEER_NONE) {
        if (!is_our_connect(data, bytes))
            return result;
        memcpy(result.connect_id, data + 48, 4);
        result.kind = LS_ENET_CONNECT;
    } else if (are_our_commands(data + commands_at, data + bytes, receiver, &result)) {
        result.kind = LS_ENET_PACKET;
    }
    return result;
}

uint32_t ls_enet_gate_command(const uint8_t *at, uint32_t *bytes)
{
    uint32_t number = at[0] & COMMAND_MASK, fixed_bytes = commands[number].bytes;
    *bytes = fixed_bytes + data_bytes(at);
    return number == COMMAND_SEND_UNSEQUENCED ? fixed_bytes : 0;
}
