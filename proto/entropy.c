#include <lockstep/entropy.h>

#include <sodium.h>

void ls_entropy_fill(const ls_entropy *entropy, void *bytes, size_t count)
{
    if (entropy && entropy->fill) {
        entropy->fill(entropy->context, bytes, count);
        return;
    }
    LS_ASSERT(sodium_init() >= 0);
    randombytes_buf(bytes, count);
}

void ls_wipe(void *secret, size_t bytes)
{
    sodium_memzero(secret, bytes);
}
