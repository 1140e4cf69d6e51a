/* The system's socket addresses and its resolver: the same functions on every system, but in
 * different headers. Only files named proto/platform* may test for a system (tests/tidy). These
 * files are in proto/ and not in core/base/, because the engine needs no network. Private to
 * proto/. */
#ifndef LS_PLATFORM_NET_H
#define LS_PLATFORM_NET_H

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif

/* Must be called before the first function of these headers; a repeated call does nothing.
 *   thread  any */
void ls_net_begin(void);
/* The error of the last call on this thread, as -errno. */
int ls_net_error(void);
/* Returns the words that Linux has for such an error. */
const char *ls_net_error_text(int code);

#endif
