#include "proto/platform_net.h"

#include <lockstep/base.h>

#include <errno.h>
#include <windows.h>

static INIT_ONCE has_begun = INIT_ONCE_STATIC_INIT;

static BOOL CALLBACK begin(INIT_ONCE *once, void *parameter, void **context)
{
    WSADATA data;
    (void)once;
    (void)parameter;
    (void)context;
    return WSAStartup(MAKEWORD(2, 2), &data) == 0;
}

/* The system frees it when the process ends. */
void ls_net_begin(void)
{
    LS_ASSERT(InitOnceExecuteOnce(&has_begun, begin, NULL, NULL));
}

static const struct {
    int windows;
    int code;
} codes[] = {
    {WSAEWOULDBLOCK, EAGAIN},
    {WSAEINTR, EINTR},
    {WSAEADDRINUSE, EADDRINUSE},
    {WSAEADDRNOTAVAIL, EADDRNOTAVAIL},
    {WSAEAFNOSUPPORT, EAFNOSUPPORT},
    {WSAEACCES, EACCES},
    {WSAEMSGSIZE, EMSGSIZE},
    {WSAECONNRESET, ECONNRESET},
    {WSAENOBUFS, ENOBUFS},
    {WSAENETUNREACH, ENETUNREACH},
    {WSAEHOSTUNREACH, EHOSTUNREACH},
    {WSAEINVAL, EINVAL},
    {WSAEMFILE, EMFILE},
    {WSAENETDOWN, ENETDOWN},
};

int ls_net_error(void)
{
    int windows = WSAGetLastError();
    for (size_t i = 0; i < LS_COUNT_OF(codes); i++) {
        if (codes[i].windows == windows)
            return -codes[i].code;
    }
    return -EIO;
}
