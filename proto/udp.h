/* A UDP socket of IPv4, of IPv6 or of both, which moves datagrams in batches: one system call for
 * many. It knows nothing of ENet. A test may define these functions anew, over a network inside the
 * process (tests/simulation/enet_sockets.c). Private to proto/. */
#ifndef LS_UDP_H
#define LS_UDP_H

#include <lockstep/address.h>

typedef struct ls_udp ls_udp;

typedef enum ls_udp_family {
    LS_UDP_IPV4 = 0,
    LS_UDP_IPV6, /* only */
    LS_UDP_DUAL, /* IPv6 and IPv4 */
} ls_udp_family;

typedef struct ls_udp_config {
    ls_udp_family family;
    ls_address own;        /* host zeros: all interfaces; port 0: any free one */
    uint32_t batch;        /* 1..LS_UDP_BATCH_MAX datagrams of one system call */
    uint32_t buffer_bytes; /* of the system's buffers, wanted; as many as it grants */
    bool filter;           /* see ls_socket_filter */
} ls_udp_config;

#define LS_UDP_BATCH_MAX 256

/* A view; lives until the next receive. */
typedef struct ls_udp_datagram {
    ls_address from;
    uint32_t bytes;
    const uint8_t *data;
} ls_udp_datagram;

/* Counters of losses. */
typedef struct ls_udp_troubles {
    uint64_t unsent; /* refused by the system, or no room in its buffer: lost */
    uint64_t unread; /* errors of the socket, longer than LS_DATAGRAM_BYTES_MAX, port 0 */
} ls_udp_troubles;

/* Opens and binds.
 *   errors  LS_ERROR_IO, with the cause in errno
 *   owns    the caller closes *udp */
ls_status ls_udp_open(const ls_udp_config *config, ls_udp **udp) LS_MUST_USE;
void ls_udp_close(ls_udp *udp);

/* For waiting. */
int ls_udp_file(const ls_udp *udp);
/* Whether the kernel drops datagrams that are too short or too long. */
bool ls_udp_is_filtered(const ls_udp *udp);
uint16_t ls_udp_port(const ls_udp *udp);

/* The next datagram of at least one byte; false when the socket is empty, or after a batch of
 * others. The next call then asks the system again. */
bool ls_udp_receive(ls_udp *udp, ls_udp_datagram *datagram) LS_MUST_USE;
/* True when the last receive found the socket empty. */
bool ls_udp_is_drained(const ls_udp *udp);
/* All datagrams that the system gave so far, useful or not. */
uint64_t ls_udp_taken(const ls_udp *udp);

/* Copies one datagram of 1..LS_DATAGRAM_BYTES_MAX bytes into the batch; a full batch leaves. */
void ls_udp_send(ls_udp *udp, const ls_address *to, const uint8_t *data, uint32_t bytes);
/* The batch leaves. */
void ls_udp_flush(ls_udp *udp);

ls_udp_troubles ls_udp_get_troubles(const ls_udp *udp);

#endif
