/* proto/platform_batch.h with a system call for each datagram, and without stamps. */
#include "proto/platform_batch.h"

#include "proto/endpoint.h"
#include <lockstep/limits.h>

#include <errno.h>
#include <string.h>

/* One byte more than allowed shows that a datagram is too long. */
enum { SLOT_BYTES = LS_DATAGRAM_BYTES_MAX + 4, ASKED_BYTES = LS_DATAGRAM_BYTES_MAX + 1 };

typedef struct batch_slot {
    ls_endpoint end;
    uint32_t bytes;
    uint8_t data[SLOT_BYTES];
} batch_slot;

struct ls_batch {
    int family;
    uint32_t capacity;
    batch_slot slots[];
};

ls_batch *ls_batch_create(int family, uint32_t capacity)
{
    ls_batch *batch = ls_alloc(sizeof *batch + capacity * sizeof batch->slots[0]);
    batch->family = family;
    batch->capacity = capacity;
    return batch;
}

void ls_batch_destroy(ls_batch *batch)
{
    ls_free(batch);
}

/* On Windows a datagram that does not fit is an error, but the call has taken it from the socket.
 */
static int receive_one(batch_slot *slot, int descriptor)
{
    socklen_t end_bytes = sizeof slot->end;
    int64_t bytes =
        recvfrom(descriptor, (void *)slot->data, ASKED_BYTES, 0, &slot->end.any, &end_bytes);
    int code = bytes < 0 ? ls_net_error() : 0;
    if (code == -EMSGSIZE) {
        bytes = ASKED_BYTES;
        code = 0;
    }
    slot->bytes = (uint32_t)bytes;
    return code;
}

/* An error after the first datagram is not reported, because the datagrams before it must be
 * returned. */
int ls_batch_receive(ls_batch *batch, int descriptor)
{
    for (uint32_t i = 0; i < batch->capacity; i++) {
        int code = receive_one(&batch->slots[i], descriptor);
        if (code != 0)
            return i > 0 ? (int)i : code;
    }
    return (int)batch->capacity;
}

void ls_batch_read(const ls_batch *batch, uint32_t index, ls_batch_datagram *datagram)
{
    const batch_slot *slot = &batch->slots[index];
    *datagram = (ls_batch_datagram){.bytes = slot->bytes};
    if (slot->bytes == 0)
        return;
    datagram->from = ls_endpoint_address(&slot->end);
    datagram->is_cut = slot->bytes > LS_DATAGRAM_BYTES_MAX;
    datagram->data = slot->data;
}

int64_t ls_batch_clock_ns(void)
{
    return 0;
}

void ls_batch_write(ls_batch *batch, uint32_t index, const ls_address *to, const uint8_t *data,
                    uint32_t bytes)
{
    batch_slot *slot = &batch->slots[index];
    ls_endpoint_from_address(to, batch->family, &slot->end);
    slot->bytes = bytes;
    memcpy(slot->data, data, bytes);
}

int ls_batch_send(ls_batch *batch, int descriptor, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const batch_slot *slot = &batch->slots[first + i];
        int64_t sent = sendto(descriptor, (const void *)slot->data, (int)slot->bytes, 0,
                              &slot->end.any, ls_endpoint_bytes(batch->family));
        if (sent < 0)
            return i > 0 ? (int)i : ls_net_error();
    }
    return (int)count;
}
