/* Multiples of the base point without libsodium's table of them. The table is 30 KiB that do not
 * compress, in a module of 200 KiB. A client needs one multiple, for the key of its handshake, and
 * the table would make only that faster. libraries.cmake compiles this file into the libsodium of
 * WebAssembly, in the place of the function that uses the table. */
#include "private/ed25519_ref10.h"

#include <stdlib.h>

void ls_sodium_base_multiple(ge25519_p3 *h, const unsigned char *a);

/* In constant time, as its caller needs: ge25519_scalarmult() is. */
void ls_sodium_base_multiple(ge25519_p3 *h, const unsigned char *a)
{
    /* RFC 8032, 5.1: y = 4/5, and the even x */
    static const unsigned char base[32] = {0x58, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
                                           0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
                                           0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
                                           0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66};
    ge25519_p3 point;
    if (ge25519_frombytes(&point, base) != 0)
        abort();
    ge25519_scalarmult(h, a, &point);
}
