#include "proto/socket.h"

#include <lockstep/limits.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/filter.h>
#include <sys/eventfd.h>
#endif

bool ls_socket_filter(int descriptor)
{
#ifdef SO_ATTACH_FILTER
    /* Offsets count from the start of the UDP header. */
    enum { UDP_BYTES = 8, PAYLOAD_MIN = 2 };
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0), /* source port */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 4, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, UDP_BYTES + PAYLOAD_MIN, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, UDP_BYTES + LS_DATAGRAM_BYTES_MAX, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog program = {.len = LS_COUNT_OF(code), .filter = code};
    return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
#else
    (void)descriptor;
    return false;
#endif
}

uint32_t ls_socket_buffer_bytes(int descriptor, int option)
{
    int value = 0;
    socklen_t bytes = sizeof value;
    getsockopt(descriptor, SOL_SOCKET, option, &value, &bytes);
    return value > 0 ? (uint32_t)value : 0;
}

int ls_wake_open(void)
{
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void ls_wake_close(int wake)
{
    if (wake >= 0)
        close(wake);
}

void ls_wake_ring(int wake)
{
    uint64_t one = 1;
    if (wake >= 0)
        (void)!write(wake, &one, sizeof one);
}

bool ls_socket_wait(int descriptor, int wake, uint32_t timeout_ms)
{
    struct pollfd wanted[] = {{.fd = descriptor, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
    int timeout = timeout_ms > INT32_MAX ? INT32_MAX : (int)timeout_ms;
    if (poll(wanted, wake >= 0 ? 2 : 1, timeout) <= 0)
        return false;
    uint64_t rings;
    if (wanted[1].revents)
        (void)!read(wake, &rings, sizeof rings);
    return wanted[0].revents != 0;
}
