/* The addresses of sockets, for which Windows has other headers. */
#ifndef LS_POSIX_ARPA_INET_H
#define LS_POSIX_ARPA_INET_H

#include "proto/platform_net.h"

#endif
