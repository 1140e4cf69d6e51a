/* Measures sealing and opening alone: ChaCha20-Poly1305 (IETF) on messages in the CPU's cache. */
#include "benches/net/net.h"

#include "benches/bench.h"
#include <lockstep/base.h>

#include <sodium.h>

#include <string.h>

enum { MESSAGES = 4000, HEADER_BYTES = 10, BYTES_MAX = 1200 };

void net_aead(uint32_t bytes, double *seal_ns, double *open_ns)
{
    uint8_t key[crypto_aead_chacha20poly1305_ietf_KEYBYTES] = {1};
    uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES] = {0};
    uint8_t header[HEADER_BYTES] = {0}, plain[BYTES_MAX] = {0};
    uint8_t sealed[BYTES_MAX + crypto_aead_chacha20poly1305_ietf_ABYTES];
    unsigned long long count = 0;
    LS_ASSERT(bytes <= BYTES_MAX && sodium_init() >= 0);
    uint64_t started_ns = bench_now_ns();
    for (uint32_t i = 0; i < MESSAGES; i++) {
        memcpy(nonce + 4, &i, sizeof i);
        crypto_aead_chacha20poly1305_ietf_encrypt(sealed, &count, plain, bytes, header,
                                                  sizeof header, NULL, nonce, key);
    }
    uint64_t sealed_ns = bench_now_ns();
    for (uint32_t i = 0; i < MESSAGES; i++)
        LS_ASSERT(crypto_aead_chacha20poly1305_ietf_decrypt(
                      plain, &count, NULL, sealed, bytes + sizeof sealed - BYTES_MAX, header,
                      sizeof header, nonce, key) == 0);
    *open_ns = (double)(bench_now_ns() - sealed_ns) / MESSAGES;
    *seal_ns = (double)(sealed_ns - started_ns) / MESSAGES;
}
