#include <lockstep/recording_series.h>

#include "replays/recording_internal.h"
#include "replays/recording_signatures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char ending[] = ".lsr";

int ls_series_stem(const char *name)
{
    size_t length = strlen(name), cut = sizeof ending - 1;
    bool is_cut = length > cut && strcmp(name + length - cut, ending) == 0;
    return (int)(is_cut ? length - cut : length);
}

char *ls_series_name(const char *first_name, uint32_t number)
{
    int stem = ls_series_stem(first_name);
    size_t bytes = strlen(first_name) + 16;
    char *name = ls_alloc(bytes);
    snprintf(name, bytes, "%.*s.%u%s", stem, first_name, number, first_name + stem);
    return name;
}

bool ls_series_number(const char *name, uint32_t *number)
{
    const char *end = name + ls_series_stem(name), *at = end;
    if (!*end)
        return false;
    uint32_t found = 0, place = 1;
    while (at > name && at[-1] >= '0' && at[-1] <= '9' && place <= LS_RECORDING_SEGMENTS_MAX) {
        found += (uint32_t)(*--at - '0') * place;
        place *= 10;
    }
    *number = found;
    return found > 0 && found <= LS_RECORDING_SEGMENTS_MAX && at > name && at[-1] == '.';
}

bool ls_series_first_name(const char *name, uint32_t number, char *first_name, size_t bytes)
{
    char tail[24];
    size_t length = strlen(name);
    size_t cut = (size_t)snprintf(tail, sizeof tail, ".%u%s", number, ending);
    if (number == 0 || length <= cut || strcmp(name + length - cut, tail) != 0)
        return false;
    return snprintf(first_name, bytes, "%.*s%s", (int)(length - cut), name, ending) < (int)bytes;
}

static uint64_t end_tick(const ls_recording *recording)
{
    return recording->header.first_tick + recording->index.end.tick_count;
}

static void add(ls_series *series, ls_recording *recording, char *name)
{
    uint32_t count = series->count + 1;
    series->files = ls_realloc(series->files, count * sizeof series->files[0]);
    series->names = ls_realloc(series->names, count * sizeof series->names[0]);
    series->files[series->count] = recording;
    series->names[series->count] = name;
    series->count = count;
}

ls_series *ls_series_of(ls_recording *recording)
{
    ls_series *series = ls_alloc(sizeof *series);
    add(series, recording, NULL);
    return series;
}

void ls_series_close(ls_series *series)
{
    if (!series)
        return;
    for (uint32_t i = 0; i < series->count; i++) {
        ls_recording_close(series->files[i]);
        ls_free(series->names[i]);
    }
    ls_free(series->files);
    ls_free(series->names);
    ls_free(series);
}

static bool is_of(const ls_recording_header *first, const ls_recording_header *later,
                  uint32_t number)
{
    uint64_t origin = first->origin ? first->origin : first->salt;
    return later->origin == origin && later->segment == number &&
           later->simulation.rules_version == first->simulation.rules_version &&
           memcmp(later->simulation.fingerprint, first->simulation.fingerprint,
                  sizeof first->simulation.fingerprint) == 0 &&
           memcmp(later->server_key, first->server_key, sizeof first->server_key) == 0;
}

/* Adds the file of this number, if there is one and it belongs to the match. A number may have no
 * file, because the attempt to create one can fail too. */
static ls_status add_later(ls_series *series, const char *path, uint32_t number, ls_error *error)
{
    ls_recording *found;
    char *name = ls_series_name(path, number);
    ls_status status = ls_recording_open(name, &found, error);
    bool is_ours =
        !status && is_of(&series->files[0]->header, ls_recording_get_header(found), number);
    uint64_t end = end_tick(ls_series_last(series));
    if (is_ours && found->header.first_tick < end)
        status = ls_error_set(error, LS_ERROR_CORRUPT,
                              "%s: begins with tick %" PRIu64
                              ", but the file before it has ticks up to %" PRIu64
                              ": one of them was changed",
                              name, found->header.first_tick, end - 1);
    if (is_ours && !status) {
        add(series, found, name);
        return LS_OK;
    }
    ls_recording_close(found);
    ls_free(name);
    return status == LS_ERROR_NOT_FOUND ? LS_OK : status;
}

ls_status ls_series_open(const char *path, ls_series **series, ls_error *error)
{
    ls_recording *first;
    *series = NULL;
    ls_status status = ls_recording_open(path, &first, error);
    if (status)
        return status;
    ls_series *made = ls_series_of(first);
    /* A part cut out of a match is not its beginning, so later files do not continue it. */
    bool is_first = first->header.segment == 0 && first->header.origin == 0;
    for (uint32_t i = 1; is_first && !status && i <= LS_RECORDING_SEGMENTS_MAX; i++)
        status = add_later(made, path, i, error);
    if (status) {
        ls_series_close(made);
        made = NULL;
    }
    *series = made;
    return status;
}

ls_recording *ls_series_last(const ls_series *series)
{
    return series->files[series->count - 1];
}

uint64_t ls_series_end_tick(const ls_series *series, uint32_t file)
{
    LS_ASSERT(file < series->count);
    return end_tick(series->files[file]);
}

bool ls_series_find_root(const ls_series *series, uint64_t tick, uint64_t *root)
{
    for (uint32_t i = series->count; i > 0; i--)
        if (ls_recording_find_root(series->files[i - 1], tick, root))
            return true;
    return false;
}

uint64_t ls_series_lost_ticks(const ls_series *series)
{
    uint64_t lost = 0;
    for (uint32_t i = 1; i < series->count; i++)
        lost += series->files[i]->header.first_tick - end_tick(series->files[i - 1]);
    return lost;
}

/* Whether the later file's link describes this whole file as it is. */
static bool is_vouched(const ls_recording *recording, const ls_running_hash *hash,
                       const ls_recording *later)
{
    uint8_t value[LS_RUNNING_HASH_BYTES];
    const ls_recording_link *link = ls_recording_get_link(later);
    ls_recording_signed signatures;
    if (!link || link->salt != recording->header.salt ||
        link->bytes != recording->index.end.valid_bytes || link->tick != end_tick(recording))
        return false;
    ls_running_hash_get(hash, value);
    return memcmp(value, link->hash, sizeof value) == 0 &&
           ls_recording_check_signatures(later, &signatures, NULL) == LS_OK && signatures.count > 0;
}

ls_status ls_series_check_signatures(const ls_series *series, ls_series_signed *result,
                                     ls_error *error)
{
    *result = (ls_series_signed){0};
    bool is_unbroken = true;
    uint32_t count = 0;
    for (uint32_t i = 0; i < series->count; i++) {
        const ls_recording *file = series->files[i];
        ls_running_hash hash;
        ls_recording_signed vouched;
        ls_status status = ls_recording_hash(file, &hash, &vouched, error);
        uint64_t end = end_tick(file);
        for (uint32_t later = i + 1; !status && vouched.has_key && later < series->count; later++)
            if (is_vouched(file, &hash, series->files[later]))
                vouched.tick = end;
        result->has_key = vouched.has_key;
        count += vouched.count;
        if (is_unbroken && vouched.tick > file->header.first_tick) {
            result->is_any = true;
            result->tick = vouched.tick;
        }
        uint64_t from = is_unbroken ? vouched.tick : file->header.first_tick;
        result->unsigned_ticks += end - from;
        is_unbroken = is_unbroken && vouched.tick == end;
        if (status)
            return status;
    }
    /* A match without a tick has only its beginning to sign. */
    if (!result->is_any && count && !result->unsigned_ticks) {
        result->is_any = true;
        result->tick = series->files[0]->header.first_tick;
    }
    return LS_OK;
}
