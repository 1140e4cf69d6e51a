#include "proto/platform_net.h"

#include <lockstep/base.h>

#include <errno.h>
#include <string.h>
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

/* WSACleanup() is never called: the system cleans up when the process ends. */
void ls_net_begin(void)
{
    LS_ASSERT(InitOnceExecuteOnce(&has_begun, begin, NULL, NULL));
}

static const struct {
    int windows;
    int code;
    const char *text; /* NULL: strerror() knows it */
} codes[] = {
    {WSAEWOULDBLOCK, EAGAIN, NULL},
    {WSAEINTR, EINTR, NULL},
    {WSAEADDRINUSE, EADDRINUSE, "Address already in use"},
    {WSAEADDRNOTAVAIL, EADDRNOTAVAIL, "Cannot assign requested address"},
    {WSAEAFNOSUPPORT, EAFNOSUPPORT, "Address family not supported by protocol"},
    {WSAEACCES, EACCES, NULL},
    {WSAEMSGSIZE, EMSGSIZE, "Message too long"},
    {WSAECONNRESET, ECONNRESET, "Connection reset by peer"},
    {WSAENOBUFS, ENOBUFS, "No buffer space available"},
    {WSAENETUNREACH, ENETUNREACH, "Network is unreachable"},
    {WSAEHOSTUNREACH, EHOSTUNREACH, "No route to host"},
    {WSAEINVAL, EINVAL, NULL},
    {WSAEMFILE, EMFILE, NULL},
    {WSAENETDOWN, ENETDOWN, "Network is down"},
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

const char *ls_net_error_text(int code)
{
    for (size_t i = 0; i < LS_COUNT_OF(codes); i++) {
        if (codes[i].code == -code && codes[i].text)
            return codes[i].text;
    }
    return strerror(-code);
}
