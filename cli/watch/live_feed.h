/* Fetches a running match that `serve --broadcast-dir` publishes, by HTTP, from its server or from
 * any web server and cache between. A thread of its own asks for the manifest once a second and for
 * the segments that it names. The server may be slow, gone or hostile: nothing here vouches for the
 * bytes, which the reader of recordings checks. */
#ifndef LS_LIVE_FEED_H
#define LS_LIVE_FEED_H

#include "cli/watch/live_manifest.h"
#include "core/base/builder.h"

/* The pause before the manifest is asked for again, and before a failed request is repeated. */
#define LS_LIVE_FEED_POLL_NS LS_SECOND_NS

typedef struct ls_live_feed ls_live_feed;

/* The state of a feed. */
typedef struct ls_live_news {
    bool has_begun; /* all segments of the first manifest are there */
    bool is_over;   /* no more bytes follow */
    /* Why the feed is over: LS_OK if the match has ended, its server publishes no more of it, or
     * another match has begun in the room; CORRUPT or INCOMPATIBLE: the server's answers make no
     * sense; NOT_FOUND or IO: there has never been a match. */
    ls_status status;
    char text[sizeof((ls_error *)NULL)->text]; /* a reason or a present trouble; "": none */
} ls_live_news;

/* Starts the thread.
 *   errors  USAGE: no such URL, or this build has no HTTP; IO: no thread
 *   owns    ls_live_feed_close() by the caller */
ls_status ls_live_feed_open(const char *url, ls_live_feed **feed, ls_error *error) LS_MUST_USE;
/* NULL is allowed. */
void ls_live_feed_close(ls_live_feed *feed);
/* Appends the bytes that have come since the last call to `bytes`, in the order of the recording.
 */
void ls_live_feed_take(ls_live_feed *feed, ls_builder *bytes, ls_live_news *news);

#endif
