/* The address of a datagram: IPv6, or IPv4 mapped into it. A link over IP stores it in the
 * bytes of a remote (include/lockstep/remote.h). */
#ifndef LS_ADDRESS_H
#define LS_ADDRESS_H

#include <lockstep/remote.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_ADDRESS_HOST_BYTES 16

/* An endpoint. Equal addresses have equal bytes: compare and hash the struct.
 *   source  RFC 4291, section 2.5.5.2: 192.0.2.1 is ::ffff:192.0.2.1 */
typedef struct ls_address {
    uint8_t host[LS_ADDRESS_HOST_BYTES]; /* most significant first */
    uint8_t port[2];
} ls_address;
LS_STATIC_ASSERT(sizeof(ls_address) == LS_REMOTE_BYTES,
                 "no padding: it is compared and hashed as bytes");

/* An initializer for a.b.c.d:port. */
#define LS_ADDRESS_IPV4(a_, b_, c_, d_, port_)                                                     \
    {                                                                                              \
        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, (a_), (b_), (c_), (d_)},                        \
        {                                                                                          \
            (uint8_t)((port_) >> 8), (uint8_t)((port_)&0xff)                                       \
        }                                                                                          \
    }

LS_API bool ls_address_is_ipv4(const ls_address *address);
/* True for an address of this machine: 127.0.0.0/8 or ::1. */
LS_API bool ls_address_is_loopback(const ls_address *address);

/* From where packets can reach an address: from its own machine, its private network, or
 * everywhere. */
typedef enum ls_address_reach {
    LS_REACH_MACHINE, /* loopback */
    LS_REACH_NETWORK, /* private, shared (100.64/10), link-local and unique local addresses */
    LS_REACH_WORLD
} ls_address_reach;
LS_API ls_address_reach ls_address_get_reach(const ls_address *address);

/* True when one host may be there: a port, and no multicast, broadcast or unspecified address. */
LS_API bool ls_address_is_unicast(const ls_address *address);

/* The host that budgets count by, an IPv4 address or an IPv6 /64, and the network, a /24 or a /56:
 * the address with zeros in the place of the rest. An IPv6 customer can use all addresses of a /64,
 * and often of a /56, so a single one has no budget. */
LS_API ls_remote_key ls_address_host(const ls_address *address);
LS_API ls_remote_key ls_address_network(const ls_address *address);
/* The host and the network of an address, and whether the address is of this machine. */
LS_API ls_remote_origin ls_address_origin(const ls_address *address);

/* The remote of an address at a link over IP: its bytes. */
static inline ls_remote ls_address_to_remote(const ls_address *address)
{
    ls_remote remote;
    memcpy(remote.bytes, address, sizeof remote.bytes);
    return remote;
}

static inline ls_address ls_address_of_remote(const ls_remote *remote)
{
    ls_address address;
    memcpy(&address, remote->bytes, sizeof address);
    return address;
}

static inline uint16_t ls_address_port(const ls_address *address)
{
    return (uint16_t)(address->port[0] << 8 | address->port[1]);
}

/* The zone of a link-local address: the number of the interface, in bytes of `host` that are zero
 * otherwise. 0: none, as for every other address. */
LS_API uint32_t ls_address_zone(const ls_address *address);
LS_API void ls_address_set_zone(ls_address *address, uint32_t zone);

#define LS_ADDRESS_TEXT_BYTES LS_REMOTE_TEXT_BYTES
/* Writes the address as text, e.g. "192.0.2.1:40001", "[2001:db8::1]:40001" or
 * "[fe80::1%2]:40001". */
LS_API void ls_address_format(const ls_address *address, char text[LS_ADDRESS_TEXT_BYTES]);
/* Writes the host alone, without brackets. */
LS_API void ls_address_format_host(const ls_address *address, char text[LS_ADDRESS_TEXT_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
