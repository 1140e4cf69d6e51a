/* Checks the server's signatures in a recording. */
#include "replays/recording_signatures.h"

#include "replays/recording_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether one signature is valid; the hash covers the bytes before its record. */
static bool is_right(const ls_recording *recording, const ls_running_hash *hash, size_t offset,
                     ls_recording_signature *signature)
{
    ls_record record;
    ls_public_key key;
    memcpy(key.bytes, recording->header.server_key, sizeof key.bytes);
    return ls_record_verify(&recording->cursor.file, offset, recording->header.salt, &record) &&
           ls_record_decode_signature(&record, signature) &&
           ls_running_hash_verify(hash, signature->tick, &key, signature->bytes);
}

static ls_status refuse(const ls_recording *recording, size_t offset,
                        const ls_recording_signed *signed_part, ls_error *error)
{
    char rest[96] = "no tick is covered by a valid signature";
    if (signed_part->tick > recording->header.first_tick)
        snprintf(rest, sizeof rest, "the ticks below %" PRIu64 " are as the server wrote them",
                 signed_part->tick);
    return ls_error_set(error, LS_ERROR_CORRUPT,
                        "%s: the server's signature at byte %zu is wrong: the file was changed "
                        "before it, or it is forged; %s",
                        recording->name, offset, rest);
}

ls_status ls_recording_hash(const ls_recording *recording, ls_running_hash *hash,
                            ls_recording_signed *result, ls_error *error)
{
    const ls_recording_index *index = &recording->index;
    const uint8_t *data = recording->cursor.file.data;
    static const uint8_t no_key[LS_PUBLIC_KEY_BYTES];
    size_t at = 0;
    *result = (ls_recording_signed){.tick = recording->header.first_tick};
    result->has_key = memcmp(recording->header.server_key, no_key, sizeof no_key) != 0;
    ls_running_hash_init(hash);
    if (!result->has_key)
        return LS_OK;
    for (uint32_t i = 0; i < index->signature_count; i++) {
        ls_recording_signature signature;
        ls_running_hash_add(hash, data + at, index->signatures[i] - at);
        at = index->signatures[i];
        if (!is_right(recording, hash, at, &signature))
            return refuse(recording, at, result, error);
        result->count++;
        result->tick = signature.tick;
        result->bytes = at;
    }
    ls_running_hash_add(hash, data + at, (size_t)index->end.valid_bytes - at);
    return LS_OK;
}

ls_status ls_recording_check_signatures(const ls_recording *recording, ls_recording_signed *result,
                                        ls_error *error)
{
    ls_running_hash hash;
    if (recording->joined)
        return recording->joined_vtable->check_signatures(recording->joined, result, error);
    return ls_recording_hash(recording, &hash, result, error);
}
