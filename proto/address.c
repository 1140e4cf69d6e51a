#include <lockstep/address.h>

#include <string.h>

_Static_assert(LS_ADDRESS_HOST_BYTES == LS_REMOTE_KEY_BYTES, "a key has room for a host");

/* Offsets of the IPv4 address in a mapped address, and of the zone in a link-local one. */
enum { IPV4_AT = 12, ZONE_AT = 4 };

bool ls_address_is_ipv4(const ls_address *address)
{
    static const uint8_t prefix[IPV4_AT] = {[10] = 0xff, [11] = 0xff};
    return memcmp(address->host, prefix, sizeof prefix) == 0;
}

bool ls_address_is_loopback(const ls_address *address)
{
    static const uint8_t one[LS_ADDRESS_HOST_BYTES] = {[LS_ADDRESS_HOST_BYTES - 1] = 1};
    return ls_address_is_ipv4(address) ? address->host[IPV4_AT] == 127
                                       : memcmp(address->host, one, sizeof one) == 0;
}

bool ls_address_is_unicast(const ls_address *address)
{
    static const uint8_t zeros[LS_ADDRESS_HOST_BYTES];
    uint8_t first = address->host[IPV4_AT];
    if (ls_address_port(address) == 0)
        return false;
    if (ls_address_is_ipv4(address)) /* not 0.0.0.0/8, multicast, reserved or broadcast */
        return first > 0 && first < 224;
    return address->host[0] != 0xff && memcmp(address->host, zeros, sizeof zeros) != 0;
}

static ls_remote_key first_bytes(const ls_address *address, size_t bytes)
{
    ls_remote_key result = {0};
    memcpy(result.bytes, address->host, bytes);
    return result;
}

ls_remote_key ls_address_host(const ls_address *address)
{
    return first_bytes(address, ls_address_is_ipv4(address) ? IPV4_AT + 4 : 8);
}

ls_remote_key ls_address_network(const ls_address *address)
{
    return first_bytes(address, ls_address_is_ipv4(address) ? IPV4_AT + 3 : 7);
}

ls_remote_origin ls_address_origin(const ls_address *address)
{
    return (ls_remote_origin){.host = ls_address_host(address),
                              .network = ls_address_network(address),
                              .is_local = ls_address_is_loopback(address)};
}

/* True for an address of the link-local prefix fe80::/10. */
static bool is_link_local(const ls_address *address)
{
    return address->host[0] == 0xfe && (address->host[1] & 0xc0) == 0x80;
}

/* True for an address of a private network: of RFC 1918, 6598 or 3927 (IPv4), of RFC 4193 or
 * link-local (IPv6). */
static bool is_private(const ls_address *address)
{
    const uint8_t *host = address->host, *ipv4 = address->host + IPV4_AT;
    if (!ls_address_is_ipv4(address))
        return (host[0] & 0xfe) == 0xfc || is_link_local(address);
    return ipv4[0] == 10 || (ipv4[0] == 172 && (ipv4[1] & 0xf0) == 16) ||
           (ipv4[0] == 192 && ipv4[1] == 168) || (ipv4[0] == 100 && (ipv4[1] & 0xc0) == 64) ||
           (ipv4[0] == 169 && ipv4[1] == 254);
}

ls_address_reach ls_address_get_reach(const ls_address *address)
{
    if (ls_address_is_loopback(address))
        return LS_REACH_MACHINE;
    return is_private(address) ? LS_REACH_NETWORK : LS_REACH_WORLD;
}

uint32_t ls_address_zone(const ls_address *address)
{
    uint32_t zone = 0;
    if (is_link_local(address))
        memcpy(&zone, address->host + ZONE_AT, sizeof zone);
    return zone;
}

void ls_address_set_zone(ls_address *address, uint32_t zone)
{
    if (is_link_local(address))
        memcpy(address->host + ZONE_AT, &zone, sizeof zone);
}
