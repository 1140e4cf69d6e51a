/* The id and the keys of a connection. A handshake gives them to the links of both sides before the
 * connection exists. */
#ifndef LS_CARRIER_H
#define LS_CARRIER_H

#include <lockstep/address.h>
#include <lockstep/packet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a handshake, for both links. The id names the connection before it exists; the keys
 * authenticate the headers of ENet, one for each direction. */
#define LS_CARRIER_KEY_BYTES 16
typedef struct ls_carrier {
    uint32_t connect_id;                   /* not 0 */
    uint8_t keys[2][LS_CARRIER_KEY_BYTES]; /* by the role that sends */
} ls_carrier;

#ifdef __cplusplus
}
#endif

#endif
