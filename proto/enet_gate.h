/* Parses a datagram before ENet does: tells its kind, and accepts only commands that our links
 * send, with the flags, channel, length and field values that they use, and not too many in one
 * datagram. Everything else is dropped, so even the holder of a valid token can only send what a
 * link of ours sends. Private to proto/.
 *   source  the byte layout of ENet 1.3.17 and 1.3.18, without compressor and with checksum:
 *             flags and peer id 2 | sent time 2 if flagged | checksum 4 | commands
 *           with our counter in the place of the checksum, and our MAC after the commands */
#ifndef LS_ENET_GATE_H
#define LS_ENET_GATE_H

#include <lockstep/packet.h>

#define LS_ENET_PEER_NONE    0xfffu
#define LS_ENET_COMMANDS_MAX 32 /* ENet packs no more into a datagram */
/* The MTU that ENet is given. ENet adds its checksum beyond this size, and we add our MAC. */
#define LS_ENET_MTU_BYTES (LS_MTU_BYTES - 4 - LS_CARRIER_MAC_BYTES)

typedef enum ls_enet_kind {
    LS_ENET_REFUSED = 0,
    LS_ENET_HANDSHAKE, /* a message of the handshake; not for ENet */
    LS_ENET_PATH, /* a CHALLENGE to a client or a RESPONSE to a server (proto/path.h); not for ENet
                   */
    LS_ENET_CONNECT, /* addressed to no peer; every byte is fixed except connect_id */
    LS_ENET_PACKET,  /* addressed to `peer`, which may not exist */
} ls_enet_kind;

typedef struct ls_enet_datagram {
    ls_enet_kind kind;
    uint32_t peer;
    uint8_t session;
    bool has_disconnect;
    bool has_time; /* has the sender's time; commands that ask for an acknowledgement need it */
    uint8_t counter_at;    /* the offset of the counter in a CONNECT or PACKET */
    uint8_t connect_id[4]; /* of a CONNECT, little-endian */
    /* For a PACKET: the number of commands that are not SEND_UNSEQUENCED, the number of
     * SEND_RELIABLE commands, and the sequence numbers of these. */
    uint32_t command_count, reliable_count;
    uint16_t reliable[LS_ENET_COMMANDS_MAX];
} ls_enet_datagram;

/* True for a length that a sealed packet can have. ENet does not count empty packets as memory, so
 * they must not pass. */
static inline bool ls_enet_is_sealed_length(size_t bytes)
{
    return bytes >= LS_SEAL_BYTES && bytes <= LS_PACKET_BYTES_MAX;
}

/* Returns the offset of the checksum in a datagram that begins with this byte. */
static inline uint32_t ls_enet_checksum_at(uint8_t first)
{
    return first & 0x80 ? 4 : 2;
}

/* Parses any bytes, also hostile ones; `receiver` decides which commands are allowed. */
ls_enet_datagram ls_enet_gate_read(const uint8_t *data, size_t bytes, ls_role receiver);

/* Sets *bytes to the length of a command of a PACKET, data included. Returns the offset of the data
 * in a SEND_UNSEQUENCED command, which ENet does not get; 0 for any other command. */
uint32_t ls_enet_gate_command(const uint8_t *at, uint32_t *bytes);

#endif
