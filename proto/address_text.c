/* Addresses as text: include/lockstep/address.h. */
#include "proto/platform_net.h"

#include <lockstep/address.h>

#include <stdio.h>

enum { IPV4_AT = 12 }; /* offset of the IPv4 address in a mapped one */

void ls_address_format_host(const ls_address *address, char text[LS_ADDRESS_TEXT_BYTES])
{
    bool is_ipv4 = ls_address_is_ipv4(address);
    uint32_t zone = ls_address_zone(address);
    ls_address plain = *address;
    ls_address_set_zone(&plain, 0);
    LS_ASSERT(inet_ntop(is_ipv4 ? AF_INET : AF_INET6, plain.host + (is_ipv4 ? IPV4_AT : 0), text,
                        LS_ADDRESS_TEXT_BYTES));
    size_t count = strlen(text);
    if (zone)
        snprintf(text + count, LS_ADDRESS_TEXT_BYTES - count, "%%%u", zone);
}

void ls_address_format(const ls_address *address, char text[LS_ADDRESS_TEXT_BYTES])
{
    bool is_ipv4 = ls_address_is_ipv4(address);
    char host[LS_ADDRESS_TEXT_BYTES];
    ls_address_format_host(address, host);
    int count = snprintf(text, LS_ADDRESS_TEXT_BYTES, "%s%.56s%s:%u", is_ipv4 ? "" : "[", host,
                         is_ipv4 ? "" : "]", (unsigned)ls_address_port(address));
    LS_ASSERT(count > 0 && count < LS_ADDRESS_TEXT_BYTES);
}
