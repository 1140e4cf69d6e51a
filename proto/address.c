#include <lockstep/address.h>

#include <stdio.h>

void ls_address_format(const ls_address *address, char text[LS_ADDRESS_TEXT_BYTES])
{
    unsigned port = (unsigned)address->port[0] << 8 | address->port[1];
    snprintf(text, LS_ADDRESS_TEXT_BYTES, "%u.%u.%u.%u:%u", address->host[0], address->host[1],
             address->host[2], address->host[3], port);
}
