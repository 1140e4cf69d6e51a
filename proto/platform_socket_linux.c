/* The part of proto/platform_socket.h that POSIX lacks and Linux has. */
#include "proto/platform_socket.h"

#include <lockstep/limits.h>

#include <errno.h>
#include <linux/filter.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

bool ls_socket_filter(int descriptor)
{
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
}

int ls_bell_open(void)
{
    int bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return bell < 0 ? -errno : bell;
}

void ls_bell_close(int bell)
{
    if (bell >= 0)
        close(bell);
}

void ls_bell_ring(int bell)
{
    uint64_t one = 1;
    if (bell >= 0)
        (void)!write(bell, &one, sizeof one);
}
