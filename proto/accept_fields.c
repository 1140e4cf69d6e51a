#include "proto/accept_fields.h"

#include "proto/text.h"

#include <lockstep/address.h>

void ls_accept_write(const ls_handshake_accept *accept, uint32_t capabilities, ls_writer *plain)
{
    ls_write_u8(plain, accept->player);
    ls_write_u32(plain, accept->connect_id);
    ls_write_u32(plain, accept->epoch);
    ls_write_u64(plain, accept->tick);
    ls_match_encode(&accept->match, plain);
    ls_write_text(plain, accept->room);
    ls_write_text(plain, accept->build);
    ls_write_bytes(plain, accept->resume_secret, sizeof accept->resume_secret);
    if (capabilities & LS_CAPABILITY_FOLLOW)
        ls_write_bytes(plain, accept->forward.bytes, sizeof accept->forward.bytes);
}

/* Reads the address to which the server sends the client on. Zeros: none, the server admits the
 * client itself. */
static bool read_forward(ls_reader *reader, ls_remote *forward)
{
    ls_read_bytes(reader, forward->bytes, sizeof forward->bytes);
    const ls_address address = ls_address_of_remote(forward);
    return ls_remote_is_none(forward) || ls_address_is_unicast(&address);
}

bool ls_accept_read(const uint8_t *plain, size_t bytes, uint32_t capabilities,
                    ls_handshake_accept *accept)
{
    ls_reader reader;
    ls_reader_init(&reader, plain, bytes);
    *accept = (ls_handshake_accept){.player = ls_read_u8(&reader)};
    accept->connect_id = ls_read_u32(&reader);
    accept->epoch = ls_read_u32(&reader);
    accept->tick = ls_read_u64(&reader);
    if (!ls_match_decode(&reader, &accept->match))
        return false;
    ls_text_read(&reader, accept->room, sizeof accept->room);
    ls_text_read(&reader, accept->build, sizeof accept->build);
    ls_read_bytes(&reader, accept->resume_secret, sizeof accept->resume_secret);
    if (capabilities & LS_CAPABILITY_FOLLOW && !read_forward(&reader, &accept->forward))
        return false;
    return ls_reader_done(&reader) && accept->connect_id != 0 &&
           (accept->player < accept->match.player_count ||
            accept->player == LS_HANDSHAKE_PLAYER_NONE);
}
