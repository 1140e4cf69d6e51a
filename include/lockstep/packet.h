/* The two things that pass between a link, the sealing and the messages: a packet is what a link
 * carries (sealed, or a handshake message), a plain is one message before sealing or after opening.
 */
#ifndef LS_PACKET_H
#define LS_PACKET_H

#include <lockstep/base.h>
#include <lockstep/limits.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Messages of the tick channel may be lost, doubled and reordered, and tolerate it; the control
 * channel is reliable and in order. Messages of the control channel are small. */
enum { LS_CHANNEL_TICKS = 0, LS_CHANNEL_CONTROL = 1, LS_CHANNEL_COUNT = 2 };

/* A view: the bytes belong to the code that made it. */
typedef struct ls_packet {
    uint8_t channel;
    uint32_t bytes;
    const uint8_t *data;
} ls_packet;

/* Filled by the encoders of proto/message.h and by ls_seal_open. */
typedef struct ls_plain {
    uint8_t channel;
    uint8_t type; /* enum ls_message_type; travels in clear but authenticated */
    uint32_t bytes;
    uint8_t data[LS_MESSAGE_BYTES_MAX];
} ls_plain;

typedef enum ls_role { LS_ROLE_SERVER = 0, LS_ROLE_CLIENT = 1 } ls_role;

#ifdef __cplusplus
}
#endif

#endif
