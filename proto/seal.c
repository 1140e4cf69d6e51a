#include <lockstep/seal.h>

#include "core/base/fault_injection.h"
#include "proto/replay_window.h"
#include <lockstep/bytes.h>
#include <lockstep/entropy.h>

#include <sodium.h>
#include <string.h>

_Static_assert(LS_SEAL_KEY_BYTES == crypto_aead_chacha20poly1305_IETF_KEYBYTES, "key size");
_Static_assert(LS_SEAL_TAG_BYTES == crypto_aead_chacha20poly1305_IETF_ABYTES, "tag size");

enum { NONCE_BYTES = crypto_aead_chacha20poly1305_IETF_NPUBBYTES };

void ls_seal_init(ls_seal *seal, const ls_seal_keys *keys, ls_role role)
{
    LS_ASSERT(sodium_init() >= 0);
    LS_ASSERT(role == LS_ROLE_SERVER || role == LS_ROLE_CLIENT);
    *seal = (ls_seal){0};
    memcpy(seal->send_keys, keys->keys[role], sizeof seal->send_keys);
    memcpy(seal->receive_keys, keys->keys[1 - role], sizeof seal->receive_keys);
}

void ls_seal_reset(ls_seal *seal)
{
    /* Zeroed counters would allow sealing with the zero key: make both directions refuse
     * instead. */
    ls_wipe(seal, sizeof *seal);
    for (uint32_t channel = 0; channel < LS_CHANNEL_COUNT; channel++) {
        seal->send_next[channel] = LS_SEAL_MESSAGES_MAX;
        seal->receive_next[channel] = UINT64_MAX;
    }
}

static void make_nonce(uint8_t nonce[NONCE_BYTES], uint64_t counter)
{
    ls_writer writer;
    ls_writer_init(&writer, nonce, NONCE_BYTES);
    ls_write_u32(&writer, 0);
    ls_write_u64(&writer, counter);
}

ls_status ls_seal_message(ls_seal *seal, const ls_plain *plain,
                          uint8_t storage[LS_PACKET_BYTES_MAX], ls_packet *packet)
{
    LS_ASSERT(plain->channel < LS_CHANNEL_COUNT && plain->bytes <= LS_MESSAGE_BYTES_MAX);
    uint64_t counter = seal->send_next[plain->channel];
    if (counter >= LS_SEAL_MESSAGES_MAX)
        return LS_ERROR_LIMIT;
    _Static_assert(LS_SEAL_MESSAGES_MAX == 1ull << 32, "a counter has four bytes");
    seal->send_next[plain->channel] = counter + 1;

    ls_writer header;
    ls_writer_init(&header, storage, LS_SEAL_HEADER_BYTES);
    ls_write_u8(&header, plain->type);
    ls_write_u32(&header, (uint32_t)counter);
    uint8_t nonce[NONCE_BYTES];
    make_nonce(nonce, counter);
    crypto_aead_chacha20poly1305_ietf_encrypt(storage + LS_SEAL_HEADER_BYTES, NULL, plain->data,
                                              plain->bytes, storage, LS_SEAL_HEADER_BYTES, NULL,
                                              nonce, seal->send_keys[plain->channel]);
    *packet = (ls_packet){
        .channel = plain->channel, .bytes = plain->bytes + LS_SEAL_BYTES, .data = storage};
    return LS_OK;
}

static bool is_fresh(const ls_seal *seal, uint8_t channel, uint64_t counter)
{
    uint64_t next = seal->receive_next[channel];
    return channel == LS_CHANNEL_TICKS ? ls_replay_is_fresh(seal->window, next, counter)
                                       : counter >= next;
}

/* Marks an authenticated counter as used. */
static void take(ls_seal *seal, uint8_t channel, uint64_t counter)
{
    uint64_t *next = &seal->receive_next[channel];
    if (channel == LS_CHANNEL_TICKS)
        ls_replay_take(seal->window, next, counter);
    else if (counter >= *next)
        *next = counter + 1;
}

ls_status ls_seal_open_message(ls_seal *seal, const ls_packet *packet, ls_plain *plain)
{
    plain->bytes = 0;
    ls_reader header;
    ls_reader_init(&header, packet->data, packet->bytes);
    uint8_t type = ls_read_u8(&header);
    uint32_t counter = ls_read_u32(&header);
    if (packet->channel >= LS_CHANNEL_COUNT || packet->bytes < LS_SEAL_BYTES ||
        packet->bytes > LS_PACKET_BYTES_MAX) {
        seal->opens_failed++;
        return LS_ERROR_CORRUPT;
    }
    if (!is_fresh(seal, packet->channel, counter)) {
        seal->replays_refused++;
        return LS_ERROR_REFUSED;
    }
    if (LS_FAULT(REPLAY_WINDOW_EARLY))
        take(seal, packet->channel, counter);
    uint8_t nonce[NONCE_BYTES];
    make_nonce(nonce, counter);
    if (crypto_aead_chacha20poly1305_ietf_decrypt(
            plain->data, NULL, NULL, packet->data + LS_SEAL_HEADER_BYTES,
            packet->bytes - LS_SEAL_HEADER_BYTES, packet->data, LS_SEAL_HEADER_BYTES, nonce,
            seal->receive_keys[packet->channel]) != 0) {
        seal->opens_failed++;
        return LS_ERROR_CORRUPT;
    }
    take(seal, packet->channel, counter);
    plain->channel = packet->channel;
    plain->type = type;
    plain->bytes = packet->bytes - LS_SEAL_BYTES;
    return LS_OK;
}
