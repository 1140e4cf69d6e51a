#include "cli/watch/watch_live.h"

#include "cli/common/clock.h"
#include "cli/common/named_text.h"
#include "cli/common/replay_file.h"
#include "core/base/platform.h"
#include "replays/growing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PAUSE_NS (LS_SECOND_NS / 50)

static uint64_t ticks_of(const ls_match_playback *playback, uint32_t seconds)
{
    return (uint64_t)seconds * ls_replay_player_header(playback->player)->match.tick_rate;
}

static uint64_t ticks_left(const ls_match_playback *playback)
{
    return ls_replay_player_last(playback->player) - ls_replay_player_tick(playback->player);
}

bool ls_watch_live_has_more(const ls_watch_live *live)
{
    return live->feed && !live->news.is_over && !live->status;
}

/* The first error stays. The name of the match is left out: commands and the picture have it. */
static void fail(ls_watch_live *live, const char *name, ls_status status, const char *text)
{
    if (!live->status)
        live->status = ls_error_set(&live->error, status, "%s", ls_named_text_rest(text, name));
}

/* Checks the end and the signatures. The recording of a running match may be torn anywhere, but not
 * be damaged. */
static void check(ls_watch_live *live, const ls_match_playback *playback)
{
    ls_recording_end end;
    ls_error text;
    ls_status status = ls_replay_player_end(playback->player, &end, &text);
    if (!status)
        status = ls_recording_check_signatures(live->recording, &live->vouched, &text);
    if (status)
        fail(live, playback->path, status, text.text);
}

static void wait_until_begun(ls_watch_live *live)
{
    for (;;) {
        ls_live_feed_take(live->feed, &live->bytes, &live->news);
        if (live->news.has_begun || live->news.is_over)
            return;
        ls_clock_sleep_until(ls_monotonic_ns() + PAUSE_NS);
    }
}

static ls_status check_key(ls_watch_live *live, const ls_watch_live_config *config, ls_error *error)
{
    const ls_recording_header *header = ls_recording_get_header(live->recording);
    ls_public_key key;
    if (!ls_replay_key_format(header, live->key))
        live->key[0] = 0;
    memcpy(key.bytes, header->server_key, sizeof key.bytes);
    if (!config->keys->count || (live->key[0] && ls_server_keys_has(config->keys, &key)))
        return LS_OK;
    return ls_error_set(error, LS_ERROR_CORRUPT,
                        live->key[0] ? "%.256s: is of the server %s, which --key does not name"
                                     : "%.256s: is of a server without a key%s",
                        config->url, live->key);
}

ls_status ls_watch_live_open(ls_watch_live *live, const ls_watch_live_config *config,
                             ls_match_playback *playback, ls_error *error)
{
    ls_status status = ls_live_feed_open(config->url, &live->feed, error);
    if (status)
        return status;
    wait_until_begun(live);
    if (!live->news.has_begun)
        return ls_error_set(error, live->news.status, "%.256s: %.512s", config->url,
                            live->news.text);
    status = ls_recording_open_memory(config->url, live->bytes.data, live->bytes.count,
                                      &live->recording, error);
    if (status)
        return status;
    status = check_key(live, config, error);
    if (status) {
        ls_recording_close(live->recording);
        return status;
    }
    status =
        ls_match_playback_open_of(config->url, live->recording, config->playback, playback, error);
    if (status)
        return status;
    check(live, playback);
    return live->status
               ? ls_error_set(error, live->status, "%.256s: %.512s", config->url, live->error.text)
               : LS_OK;
}

void ls_watch_live_close(ls_watch_live *live)
{
    ls_live_feed_close(live->feed);
    ls_free(live->bytes.data);
    *live = (ls_watch_live){0};
}

static void grow(ls_watch_live *live, ls_match_playback *playback, const ls_builder *fresh)
{
    ls_builder all = {0};
    ls_builder_put(&all, live->bytes.data, live->bytes.count);
    ls_builder_put(&all, fresh->data, fresh->count);
    ls_growing_take(live->recording, playback->player, all.data, all.count);
    ls_free(live->bytes.data);
    live->bytes = all;
    check(live, playback);
}

void ls_watch_live_update(ls_watch_live *live, ls_match_playback *playback)
{
    ls_builder fresh = {0};
    if (!live->feed || live->status)
        return;
    ls_live_feed_take(live->feed, &fresh, &live->news);
    if (fresh.count)
        grow(live, playback, &fresh);
    ls_free(fresh.data);
    if (live->news.status)
        fail(live, playback->path, live->news.status, live->news.text);
    uint64_t left = ticks_left(playback);
    live->is_waiting =
        ls_watch_live_has_more(live) &&
        (left == 0 || (live->is_waiting && left < ticks_of(playback, LS_WATCH_LIVE_BEHIND_S)));
}

uint64_t ls_watch_live_tick(const ls_match_playback *playback)
{
    uint64_t first = ls_replay_player_first(playback->player);
    uint64_t last = ls_replay_player_last(playback->player);
    uint64_t behind = ticks_of(playback, LS_WATCH_LIVE_BEHIND_S);
    return last - first > behind ? last - behind : first;
}

bool ls_watch_live_is_late(const ls_watch_live *live, const ls_match_playback *playback)
{
    return live->is_following && ls_watch_live_has_more(live) &&
           ticks_left(playback) > ticks_of(playback, LS_WATCH_LIVE_LATE_S);
}

static void print_signed(const ls_watch_live *live, const ls_match_playback *playback,
                         ls_error *line)
{
    const ls_recording_signed *vouched = &live->vouched;
    if (!live->key[0])
        ls_error_set(line, LS_OK, "not signed");
    else if (vouched->tick <= ls_replay_player_first(playback->player))
        ls_error_set(line, LS_OK, "no tick is signed yet");
    else
        ls_error_set(line, LS_OK, "signed through tick %" PRIu64 " by %s", vouched->tick - 1,
                     live->key);
}

void ls_watch_live_print(const ls_watch_live *live, const ls_match_playback *playback,
                         ls_error *line)
{
    ls_error vouched;
    uint32_t rate = ls_replay_player_header(playback->player)->match.tick_rate;
    double behind_s = (double)ticks_left(playback) / rate;
    print_signed(live, playback, &vouched);
    if (live->status)
        ls_error_set(line, live->status, "%s", live->error.text);
    else if (live->news.text[0])
        ls_error_set(line, LS_OK, "%.512s; %.256s", live->news.text, vouched.text);
    else
        ls_error_set(line, LS_OK, "live, %.1f s behind; %.256s", behind_s, vouched.text);
}
