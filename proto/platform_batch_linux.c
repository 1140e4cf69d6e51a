/* proto/platform_batch.h with recvmmsg, sendmmsg and the kernel's time stamps. */
#include "proto/platform_batch.h"

#include "proto/endpoint.h"
#include <lockstep/limits.h>

#include <errno.h>
#include <string.h>
#include <time.h>

enum { SLOT_BYTES = LS_DATAGRAM_BYTES_MAX + 4 }; /* aligned */

/* Room for a datagram's ancillary data: the time of its arrival. */
typedef union batch_remarks {
    struct cmsghdr aligned;
    uint8_t data[CMSG_SPACE(sizeof(struct timespec))];
} batch_remarks;

struct ls_batch {
    int family;
    uint32_t capacity;
    struct mmsghdr *messages;
    struct iovec *parts;
    ls_endpoint *ends;
    batch_remarks *remarks;
    uint8_t *data; /* SLOT_BYTES each */
};

ls_batch *ls_batch_create(int family, uint32_t capacity)
{
    ls_batch *batch = ls_alloc(sizeof *batch);
    batch->family = family;
    batch->capacity = capacity;
    batch->messages = ls_alloc(capacity * sizeof batch->messages[0]);
    batch->parts = ls_alloc(capacity * sizeof batch->parts[0]);
    batch->ends = ls_alloc(capacity * sizeof batch->ends[0]);
    batch->remarks = ls_alloc(capacity * sizeof batch->remarks[0]);
    batch->data = ls_alloc((size_t)capacity * SLOT_BYTES);
    for (uint32_t i = 0; i < capacity; i++) {
        batch->parts[i].iov_base = batch->data + (size_t)i * SLOT_BYTES;
        batch->messages[i].msg_hdr = (struct msghdr){
            .msg_name = &batch->ends[i], .msg_iov = &batch->parts[i], .msg_iovlen = 1};
    }
    return batch;
}

void ls_batch_destroy(ls_batch *batch)
{
    ls_free(batch->messages);
    ls_free(batch->parts);
    ls_free(batch->ends);
    ls_free(batch->remarks);
    ls_free(batch->data);
    ls_free(batch);
}

int ls_batch_receive(ls_batch *batch, int descriptor)
{
    for (uint32_t i = 0; i < batch->capacity; i++) {
        struct msghdr *header = &batch->messages[i].msg_hdr;
        batch->parts[i].iov_len = LS_DATAGRAM_BYTES_MAX;
        header->msg_namelen = sizeof batch->ends[i];
        header->msg_control = &batch->remarks[i];
        header->msg_controllen = sizeof batch->remarks[i];
    }
    int count = recvmmsg(descriptor, batch->messages, batch->capacity, MSG_DONTWAIT, NULL);
    return count > 0 ? count : -errno;
}

static int64_t timespec_ns(const struct timespec *time)
{
    return (int64_t)time->tv_sec * (int64_t)LS_SECOND_NS + time->tv_nsec;
}

static int64_t find_stamp(struct msghdr *header)
{
    for (struct cmsghdr *remark = CMSG_FIRSTHDR(header); remark;
         remark = CMSG_NXTHDR(header, remark)) {
        struct timespec stamp;
        if (remark->cmsg_level != SOL_SOCKET || remark->cmsg_type != SCM_TIMESTAMPNS ||
            remark->cmsg_len < CMSG_LEN(sizeof stamp))
            continue;
        memcpy(&stamp, CMSG_DATA(remark), sizeof stamp);
        return timespec_ns(&stamp);
    }
    return 0;
}

void ls_batch_read(const ls_batch *batch, uint32_t index, ls_batch_datagram *datagram)
{
    struct mmsghdr *message = &batch->messages[index];
    datagram->bytes = message->msg_len;
    if (message->msg_len == 0)
        return;
    datagram->from = ls_endpoint_address(&batch->ends[index]);
    datagram->is_cut = (message->msg_hdr.msg_flags & MSG_TRUNC) != 0;
    datagram->stamp_ns = find_stamp(&message->msg_hdr);
    datagram->data = batch->data + (size_t)index * SLOT_BYTES;
}

int64_t ls_batch_clock_ns(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 ? timespec_ns(&now) : 0;
}

void ls_batch_write(ls_batch *batch, uint32_t index, const ls_address *to, const uint8_t *data,
                    uint32_t bytes)
{
    ls_endpoint_from_address(to, batch->family, &batch->ends[index]);
    batch->messages[index].msg_hdr.msg_namelen = ls_endpoint_bytes(batch->family);
    batch->parts[index].iov_len = bytes;
    memcpy(batch->parts[index].iov_base, data, bytes);
}

int ls_batch_send(ls_batch *batch, int descriptor, uint32_t first, uint32_t count)
{
    int sent = sendmmsg(descriptor, batch->messages + first, count, MSG_DONTWAIT);
    return sent > 0 ? sent : -errno;
}
