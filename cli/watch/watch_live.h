/* A running match that `watch URL` follows: its recording in memory, which grows. The player
 * compares the roots of the ticks that it plays; the signatures cover the others. */
#ifndef LS_WATCH_LIVE_H
#define LS_WATCH_LIVE_H

#include "cli/common/match_playback.h"
#include "cli/common/server_keys.h"
#include "cli/watch/live_feed.h"

/* The match is shown this much later than its newest tick, so that the next segment is there in
 * time. */
#define LS_WATCH_LIVE_BEHIND_S 3
/* A machine that is too slow, and is farther behind than this, leaves out ticks. */
#define LS_WATCH_LIVE_LATE_S 8

typedef struct ls_watch_live {
    ls_live_feed *feed; /* NULL: a file is shown, and every member is zero */
    ls_live_news news;
    ls_builder bytes;        /* of the recording so far, which refers to them */
    ls_recording *recording; /* of the playback */
    ls_recording_signed vouched;
    char key[LS_PUBLIC_KEY_TEXT_BYTES]; /* of the server; "": it has none */
    ls_status status;                   /* no more bytes are taken if this is an error */
    ls_error error;
    bool is_following; /* the newest ticks are to be shown */
    bool is_waiting;   /* for more ticks */
} ls_watch_live;

typedef struct ls_watch_live_config {
    const char *url;
    const ls_match_playback_options *playback;
    const ls_server_keys *keys; /* one of these has to be the server's; empty: any */
} ls_watch_live_config;

/* Waits for all that is published, and opens it.
 *   errors  those of ls_live_feed_open() and of the feed; CORRUPT: no recording, a signature is
 *           wrong, or another server's match; those of ls_match_playback_open()
 *   owns    ls_watch_live_close() by the caller, after ls_match_playback_close() and also after
 *           an error */
ls_status ls_watch_live_open(ls_watch_live *live, const ls_watch_live_config *config,
                             ls_match_playback *playback, ls_error *error) LS_MUST_USE;
void ls_watch_live_close(ls_watch_live *live);

/* Takes what has come, and decides whether the playback waits. */
void ls_watch_live_update(ls_watch_live *live, ls_match_playback *playback);
/* Whether ticks may follow the last one. */
bool ls_watch_live_has_more(const ls_watch_live *live);
/* The tick to show when the newest ticks are wanted. */
uint64_t ls_watch_live_tick(const ls_match_playback *playback);
/* Whether the playback is too late to reach the newest ticks by itself. */
bool ls_watch_live_is_late(const ls_watch_live *live, const ls_match_playback *playback);
/* Prints a line on the state of the match, and on how far it is signed. */
void ls_watch_live_print(const ls_watch_live *live, const ls_match_playback *playback,
                         ls_error *line);

#endif
