#include "cli/common/verify_trust.h"

#include "cli/common/replay_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const ls_recording_header *header_of(const ls_series *series)
{
    return ls_recording_get_header(series->files[0]);
}

/* Says why the recording is not signed. Cuts and reruns are recognised by an `origin` without a
 * `segment`, or by their closing. */
static const char *why_unsigned(const ls_series *series)
{
    const ls_recording_header *header = header_of(series);
    const ls_recording_end *end = ls_recording_find_end(ls_series_last(series));
    char key[LS_PUBLIC_KEY_TEXT_BYTES];
    if (ls_replay_key_format(header, key))
        return "it names a server's key, but has no valid signature";
    bool is_cut = (header->origin && !header->segment) ||
                  (end->is_closed && end->closing.reason == LS_CLOSING_CUT);
    return is_cut ? "this is a cut or a rerun of a recording, which no server signs"
                  : "the server had no key";
}

static bool is_wanted(const ls_verify_trust *trust, const ls_recording_header *header)
{
    ls_public_key key;
    memcpy(key.bytes, header->server_key, sizeof key.bytes);
    return ls_server_keys_has(trust->keys, &key);
}

static bool has_keys(const ls_verify_trust *trust)
{
    return trust->keys && trust->keys->count;
}

ls_status ls_verify_trust_check(const ls_verify_trust *trust, const char *path,
                                const ls_series *series, ls_error *error)
{
    ls_series_signed vouched;
    char key[LS_PUBLIC_KEY_TEXT_BYTES];
    const ls_recording_header *header = header_of(series);
    bool has_key = ls_replay_key_format(header, key);
    if (!has_keys(trust) && !trust->needs_all)
        return LS_OK;
    if (has_key && has_keys(trust) && !is_wanted(trust, header))
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "%s: is of the server %s, which --key %s does not name: get the file "
                            "from the server that you mean, or the right key from its operator",
                            path, key, trust->keys->text);
    if (ls_series_check_signatures(series, &vouched, NULL) != LS_OK)
        return LS_OK;
    if (!vouched.is_any)
        return ls_error_set(error, LS_ERROR_CORRUPT, "%s: signed by no server: %s", path,
                            why_unsigned(series));
    if (trust->needs_all && vouched.unsigned_ticks)
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "%s: %" PRIu64 " of its ticks are not signed, the first of them is "
                            "tick %" PRIu64
                            ": the end of the file is missing, or its server was stopped "
                            "before it could sign them",
                            path, vouched.unsigned_ticks, vouched.tick);
    return LS_OK;
}

ls_status ls_verify_trust_describe(const ls_verify_trust *trust, const ls_series *series,
                                   ls_series_signed *vouched, ls_error *line, ls_error *error)
{
    ls_status status = ls_series_check_signatures(series, vouched, error);
    char key[LS_PUBLIC_KEY_TEXT_BYTES], files[64] = "", part[48] = "before the first tick";
    (void)ls_replay_key_format(header_of(series), key);
    if (vouched->tick > header_of(series)->first_tick)
        snprintf(part, sizeof part, "through tick %" PRIu64, vouched->tick - 1);
    if (series->count > 1)
        snprintf(files, sizeof files, "; %" PRIu32 " files, %" PRIu64 " ticks in none of them",
                 series->count, ls_series_lost_ticks(series));
    if (vouched->is_any)
        (void)ls_error_set(line, LS_OK, "signed %s, %" PRIu64 " unsigned, by the server %s%s%s",
                           part, vouched->unsigned_ticks, key,
                           has_keys(trust) ? ", which --key names"
                                           : "; --key checks that this is the server you mean",
                           files);
    else
        (void)ls_error_set(line, LS_OK, "signed by no server, %" PRIu64 " ticks unsigned: %s%s",
                           vouched->unsigned_ticks, why_unsigned(series), files);
    return status;
}
