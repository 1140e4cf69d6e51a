/* Remotes at a link over IP, and the connections of a remote's host. */
#ifndef LS_REMOTES_H
#define LS_REMOTES_H

#include <lockstep/address.h>
#include <lockstep/link_remote.h>

/* An initializer for the remote of a.b.c.d:port. */
#define LS_REMOTE_IPV4(a_, b_, c_, d_, port_)                                                      \
    {                                                                                              \
        .bytes = {                                                                                 \
            0,                                                                                     \
            0,                                                                                     \
            0,                                                                                     \
            0,                                                                                     \
            0,                                                                                     \
            0,                                                                                     \
            0,                                                                                     \
            0,                                                                                     \
            0,                                                                                     \
            0,                                                                                     \
            0xff,                                                                                  \
            0xff,                                                                                  \
            (a_),                                                                                  \
            (b_),                                                                                  \
            (c_),                                                                                  \
            (d_),                                                                                  \
            (uint8_t)((port_) >> 8),                                                               \
            (uint8_t)((port_)&0xff)                                                                \
        }                                                                                          \
    }

/* Counts the connections of the host of this remote. */
static inline uint32_t connections_of(const ls_link *link, const ls_remote *remote)
{
    const ls_remote_key host = ls_link_locate(link, remote).host;
    return ls_link_connections(link, &host);
}

#endif
