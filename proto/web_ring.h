/* A bounded queue of records from one thread to one other thread. Neither side waits for the other,
 * and neither allocates. Private to proto/. */
#ifndef LS_WEB_RING_H
#define LS_WEB_RING_H

#include <lockstep/address.h>

#include <stdatomic.h>

typedef enum ls_web_record_kind {
    LS_WEB_RECORD_SKIP = 0,  /* nothing more until the end of the ring; the ring's own */
    LS_WEB_RECORD_OPENED,    /* to the link: a channel exists; the data is its ls_address */
    LS_WEB_RECORD_CLOSED,    /* to the link: the channel is gone */
    LS_WEB_RECORD_MESSAGE,   /* in both directions: a message of the channel */
    LS_WEB_RECORD_CONNECTED, /* to the port: the channel has a connection; the data is the answer */
    LS_WEB_RECORD_END,       /* to the port: close the channel after its control packets */
} ls_web_record_kind;

/* A channel has a slot, and a number that no other channel gets. */
typedef struct ls_web_record {
    uint64_t number;
    uint64_t arrived_ns; /* of a MESSAGE to the link */
    uint32_t bytes;      /* of the data, which follows */
    uint32_t slot;
    uint32_t kind; /* ls_web_record_kind */
    uint32_t unused;
} ls_web_record;

/* Records begin at multiples of this, so that one without data always fits before the end. */
#define LS_WEB_RECORD_BYTES 32
LS_STATIC_ASSERT(sizeof(ls_web_record) == LS_WEB_RECORD_BYTES, "a record without data is one unit");

/* The bytes of a record in the ring. */
static inline uint32_t ls_web_record_size(uint32_t data_bytes)
{
    return (LS_WEB_RECORD_BYTES + data_bytes + LS_WEB_RECORD_BYTES - 1) &
           ~(LS_WEB_RECORD_BYTES - 1u);
}

typedef struct ls_web_ring {
    uint8_t *bytes;
    uint32_t capacity;    /* a power of two */
    _Atomic uint32_t end; /* bytes added so far; `begin`: bytes removed so far; both wrap */
    _Atomic uint32_t begin;
} ls_web_ring;

/* Allocates a ring for at least `bytes_min` bytes of records. */
void ls_web_ring_init(ls_web_ring *ring, uint32_t bytes_min);
void ls_web_ring_reset(ls_web_ring *ring);

/* Adds a record with a copy of the data. False, with nothing added, when fewer than `spare` bytes
 * would stay free. Only one thread may add. */
bool ls_web_ring_add(ls_web_ring *ring, const ls_web_record *record, const void *data,
                     uint32_t spare) LS_MUST_USE;

/* Returns the oldest record, with its data after it; NULL: there is none. It stays valid until
 * ls_web_ring_drop() removes it. Only one thread may take. */
const ls_web_record *ls_web_ring_first(ls_web_ring *ring);
void ls_web_ring_drop(ls_web_ring *ring);

static inline const uint8_t *ls_web_record_data(const ls_web_record *record)
{
    return (const uint8_t *)(record + 1);
}

#endif
