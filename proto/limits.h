/* Every size and count that the wire knows, in one place. What one side may send the other side
 * must accept; a message beyond any of these is dropped whole. Times and rates that only one side
 * watches (timeouts, budgets) live with the side that watches them. */
#ifndef LS_LIMITS_H
#define LS_LIMITS_H

#include <stdint.h>

/* Raised with every change of a byte on the wire; docs/protocol.md keeps the history. */
#define LS_PROTOCOL_VERSION 2
#define LS_PORT_DEFAULT     7777

/* Packets. ENet takes 4 bytes a datagram, 4 for the checksum to come and 24 for the largest command
 * out of the MTU; a longer unsequenced packet would travel as reliable fragments, so none is sent.
 * The ceiling of the control channel is the HELLO, which is padded to it. */
#define LS_MTU_BYTES         1200
#define LS_PACKET_BYTES_MAX  1168
#define LS_CONTROL_BYTES_MAX 1200

/* Sealing: type, flags, counter before the ciphertext, tag after it. */
#define LS_SEAL_HEADER_BYTES 10
#define LS_SEAL_TAG_BYTES    16
#define LS_SEAL_BYTES        (LS_SEAL_HEADER_BYTES + LS_SEAL_TAG_BYTES)
#define LS_SEAL_WINDOW       1024
#define LS_SEAL_MESSAGES_MAX (UINT64_C(1) << 32)
#define LS_MESSAGE_BYTES_MAX (LS_PACKET_BYTES_MAX - LS_SEAL_BYTES)

/* Ticks. The running window is 8 frames; an answer to a gap request may hold more small ones. */
#define LS_TICKS_WINDOW      8
#define LS_TICKS_MAX         64
#define LS_GAP_TICKS_MAX     600
#define LS_UPDATE_INPUTS_MAX 8
#define LS_UPDATE_ROOTS_MAX  8
#define LS_UPDATE_STATES_MAX 8

/* Snapshots. */
#define LS_CHUNK_BYTES_MAX            1024
#define LS_SNAPSHOT_BYTES_MAX         (256u << 20)
#define LS_SNAPSHOT_REQUEST_BYTES_MAX (64u << 10)

/* Texts, with their terminating zero. */
#define LS_NAME_BYTES            33
#define LS_SIMULATION_TEXT_BYTES 33
#define LS_BUILD_TEXT_BYTES      97
#define LS_REASON_BYTES          225
#define LS_CLIENT_ID_BYTES       33
#define LS_ROOM_BYTES            33
#define LS_PASSWORD_BYTES        129 /* never sent */

/* Handshake. */
#define LS_HELLO_BYTES        LS_MTU_BYTES
#define LS_COOKIE_BYTES_MAX   240
#define LS_AUTH_BYTES         1100
#define LS_ACCEPT_BYTES_MAX   600
#define LS_FINGERPRINT_BYTES  16
#define LS_RESUME_BYTES       32
#define LS_COOKIE_BUCKET_NS   (UINT64_C(60) * 1000000000)
#define LS_CERTIFICATE_LIFE_S (24u * 3600u)

/* Connect tokens. A server remembers the tokens that it saw as long as they live. */
#define LS_TOKEN_BYTES         256
#define LS_TOKEN_ADDRESSES_MAX 4
#define LS_TOKEN_LIFE_S_MAX    (24u * 3600u)

#endif
