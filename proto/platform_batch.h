/* Moves many datagrams with one system call: platform_batch_linux.c. Elsewhere each datagram takes
 * a call: platform_batch_plain.c. Private to proto/. */
#ifndef LS_PLATFORM_BATCH_H
#define LS_PLATFORM_BATCH_H

#include <lockstep/address.h>

/* Buffers for datagrams of one direction, for one socket. */
typedef struct ls_batch ls_batch;

ls_batch *ls_batch_create(int family, uint32_t capacity) LS_MUST_USE;
void ls_batch_destroy(ls_batch *batch);

/* Receives datagrams until the batch is full or the socket is empty.
 *   errors  returns how many, at least 1; -EAGAIN: the socket is empty; another -errno */
int ls_batch_receive(ls_batch *batch, int descriptor) LS_MUST_USE;

typedef struct ls_batch_datagram {
    ls_address from;
    bool is_cut;      /* it was longer than LS_DATAGRAM_BYTES_MAX */
    uint32_t bytes;   /* 0: an empty one, and the other members are not set */
    int64_t stamp_ns; /* when it arrived, by ls_batch_clock_ns(); 0: unknown */
    const uint8_t *data;
} ls_batch_datagram;
/* Reads a datagram that was received; its data is valid until the next receive. */
void ls_batch_read(const ls_batch *batch, uint32_t index, ls_batch_datagram *datagram);
/* Reads the wall clock that stamps arrivals, and that may jump; 0 where nothing is stamped. */
int64_t ls_batch_clock_ns(void);

/* Copies a datagram of at most LS_DATAGRAM_BYTES_MAX bytes into the batch. */
void ls_batch_write(ls_batch *batch, uint32_t index, const ls_address *to, const uint8_t *data,
                    uint32_t bytes);
/* Sends `count` datagrams from `first` on.
 *   errors  returns how many were sent, at least 1; -EAGAIN: the system's buffer is full; another
 *           -errno: the first one was not sent */
int ls_batch_send(ls_batch *batch, int descriptor, uint32_t first, uint32_t count) LS_MUST_USE;

#endif
