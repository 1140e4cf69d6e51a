/* Arbitrary bytes as a datagram before ENet sees it: no crash and no read out of bounds, and an
 * accepted datagram meets the link's assumptions.
 * bytes  the receiving side, then the datagram */
#include "proto/enet_gate.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* A packet with an extra byte must be refused: the gate never guesses a length. */
static void check_packet(const ls_enet_datagram *found, const uint8_t *data, size_t bytes,
                         ls_role receiver)
{
    uint8_t longer[LS_DATAGRAM_BYTES_MAX + 1];
    LS_ASSERT(bytes <= LS_DATAGRAM_BYTES_MAX && found->peer < LS_ENET_PEER_NONE);
    LS_ASSERT(found->session < 4);
    LS_ASSERT(found->reliable_count <= found->command_count);
    LS_ASSERT(found->command_count <= LS_ENET_COMMANDS_MAX);
    LS_ASSERT(found->counter_at == ls_enet_checksum_at(data[0]));
    memcpy(longer, data, bytes);
    longer[bytes] = 0;
    LS_ASSERT(ls_enet_gate_read(longer, bytes + 1, receiver).kind == LS_ENET_REFUSED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes < 1)
        return 0;
    ls_role receiver = data[0] & 1 ? LS_ROLE_CLIENT : LS_ROLE_SERVER;
    ls_enet_datagram found = ls_enet_gate_read(data + 1, bytes - 1, receiver);
    LS_ASSERT(found.kind != LS_ENET_HANDSHAKE || (bytes - 1 <= LS_MTU_BYTES && data[1] & 0x40));
    LS_ASSERT(found.kind != LS_ENET_CONNECT ||
              (bytes - 1 == 64 && memcmp(found.connect_id, data + 49, 4) == 0));
    if (found.kind == LS_ENET_PACKET)
        check_packet(&found, data + 1, bytes - 1, receiver);
    return 0;
}
