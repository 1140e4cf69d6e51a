/* A UDP socket for IPv4, IPv6 or both, which moves datagrams in batches: many with one system call.
 * It does not depend on ENet. A test may replace these functions with a network inside the process
 * (tests/simulation/enet_sockets.c). Private to proto/. */
#ifndef LS_UDP_H
#define LS_UDP_H

#include <lockstep/address.h>

typedef struct ls_udp ls_udp;

typedef enum ls_udp_family {
    LS_UDP_IPV4 = 0,
    LS_UDP_IPV6, /* IPv6 only */
    LS_UDP_DUAL, /* IPv6 and IPv4 */
} ls_udp_family;

typedef struct ls_udp_config {
    ls_udp_family family;
    ls_address own;        /* host zeros: all interfaces; port 0: any free one */
    uint32_t batch;        /* the most datagrams in one system call, 1..LS_UDP_BATCH_MAX */
    uint32_t buffer_bytes; /* requested size of the system's buffers; the system may grant less */
    bool filter;           /* see ls_socket_filter */
} ls_udp_config;

#define LS_UDP_BATCH_MAX 256

/* A received datagram; its data is valid until the next receive. */
typedef struct ls_udp_datagram {
    ls_address from;
    uint64_t arrived_ns; /* see ls_udp_set_time; 0: unknown */
    uint32_t bytes;
    const uint8_t *data;
} ls_udp_datagram;

/* Counts lost datagrams. */
typedef struct ls_udp_troubles {
    uint64_t unsent; /* lost because the system refused them or its buffer was full */
    uint64_t unread; /* errors of the socket, and datagrams that were too long
                        (LS_DATAGRAM_BYTES_MAX) or from port 0 */
} ls_udp_troubles;

/* Opens a socket and binds it.
 *   errors  LS_ERROR_IO, with the cause in errno
 *   owns    the caller closes *udp */
ls_status ls_udp_open(const ls_udp_config *config, ls_udp **udp) LS_MUST_USE;
void ls_udp_close(ls_udp *udp);

/* Returns the file descriptor, to wait on it. */
int ls_udp_file(const ls_udp *udp);
uint16_t ls_udp_port(const ls_udp *udp);

/* Sets the caller's clock; call it at the beginning of each round of receives. The system stamps a
 * datagram on its arrival, by its wall clock. `arrived_ns` is that moment by the caller's clock,
 * not before the previous round and not after this one. So a step of the wall clock changes
 * `arrived_ns` by at most the time between two rounds.
 *   unit  now_ns: monotonic nanoseconds, never falling */
void ls_udp_set_time(ls_udp *udp, uint64_t now_ns);

/* Returns the next datagram of at least one byte. False when the socket is empty (ls_udp_is_drained
 * is then true), or after a whole batch of useless datagrams (call again). */
bool ls_udp_receive(ls_udp *udp, ls_udp_datagram *datagram) LS_MUST_USE;
/* True when the last receive found the socket empty. */
bool ls_udp_is_drained(const ls_udp *udp);
/* Returns the number of datagrams received from the system so far, useful or not. */
uint64_t ls_udp_taken(const ls_udp *udp);

/* Copies a datagram of 1..LS_DATAGRAM_BYTES_MAX bytes into the batch; a full batch is sent at
 * once. */
void ls_udp_send(ls_udp *udp, const ls_address *to, const uint8_t *data, uint32_t bytes);
/* Sends the batch. */
void ls_udp_flush(ls_udp *udp);

ls_udp_troubles ls_udp_get_troubles(const ls_udp *udp);

#endif
