/* poll() of sockets under the name of POSIX. */
#ifndef LS_POSIX_POLL_H
#define LS_POSIX_POLL_H

#include "proto/platform_net.h"

#define poll(files, count, timeout_ms) WSAPoll(files, (ULONG)(count), timeout_ms)

#endif
