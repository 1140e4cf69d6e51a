/* Measures sealing and opening alone: ChaCha20-Poly1305 on messages in the CPU's cache. */
#include "benches/net/net.h"

#include "benches/bench.h"
#include "proto/aead.h"
#include <lockstep/base.h>

#include <sodium.h>
#include <string.h>

enum { MESSAGES = 4000, HEADER_BYTES = 5, BYTES_MAX = 1200 };

void net_aead(uint32_t bytes, double *seal_ns, double *open_ns)
{
    uint8_t key[LS_AEAD_KEY_BYTES] = {1}, nonce[LS_AEAD_NONCE_BYTES] = {0};
    uint8_t header[HEADER_BYTES] = {0}, plain[BYTES_MAX] = {0};
    uint8_t sealed[BYTES_MAX + LS_AEAD_TAG_BYTES];
    const ls_aead aead = {key, nonce, header, sizeof header};
    LS_ASSERT(bytes <= BYTES_MAX && sodium_init() >= 0);
    uint64_t started_ns = bench_now_ns();
    for (uint32_t i = 0; i < MESSAGES; i++) {
        memcpy(nonce + 4, &i, sizeof i);
        ls_aead_seal(&aead, plain, bytes, sealed);
    }
    uint64_t sealed_ns = bench_now_ns();
    for (uint32_t i = 0; i < MESSAGES; i++)
        LS_ASSERT(ls_aead_open(&aead, sealed, bytes, plain));
    *open_ns = (double)(bench_now_ns() - sealed_ns) / MESSAGES;
    *seal_ns = (double)(sealed_ns - started_ns) / MESSAGES;
}
