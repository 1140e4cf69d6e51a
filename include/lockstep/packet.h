/* The data that links, seals and messages exchange. A packet is what a link carries: sealed, or a
 * handshake message. A plain is one message before sealing or after opening. */
#ifndef LS_PACKET_H
#define LS_PACKET_H

#include <lockstep/base.h>
#include <lockstep/limits.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The tick channel may lose, repeat and reorder messages, which tolerate that. The control channel
 * is reliable and in order, for small messages. */
enum { LS_CHANNEL_TICKS = 0, LS_CHANNEL_CONTROL = 1, LS_CHANNEL_COUNT = 2 };

/* A view: it does not own the bytes. */
typedef struct ls_packet {
    uint8_t channel;
    uint32_t bytes;
    const uint8_t *data;
} ls_packet;

/* A message in clear, from the encoders of proto/message.h or from ls_seal_open_message(). */
typedef struct ls_plain {
    uint8_t channel;
    uint8_t type; /* enum ls_message_type; sent in clear but authenticated */
    uint32_t bytes;
    uint8_t data[LS_MESSAGE_BYTES_MAX];
} ls_plain;

typedef enum ls_role { LS_ROLE_SERVER = 0, LS_ROLE_CLIENT = 1 } ls_role;

#ifdef __cplusplus
}
#endif

#endif
