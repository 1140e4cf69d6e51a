#include "cli/watch/live_feed.h"

#include "cli/serve/http_client.h"
#include "core/base/platform.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Segment N is fetched in slot N modulo SLOTS. The manifest is fetched in the first slot, while no
 * other request runs. */
enum { SLOTS = LS_HTTP_CLIENT_SLOTS, MANIFEST_SLOT = 0 };

/* An answer that is being received. */
struct part {
    bool is_whole;
    ls_builder bytes;
};

struct ls_live_feed {
    ls_live_url url;
    ls_http_client *client;
    /* Only the thread of the client uses these. */
    ls_live_manifest told; /* the newest manifest; no segments: none yet */
    bool wants_manifest, asks_manifest;
    /* a segment was missing, so the manifest is read again; if one is missing then, too, the
     * feed fails */
    bool was_missing;
    uint32_t segments; /* that are taken */
    uint64_t bytes;    /* of them */
    uint64_t pause_until_ns;
    struct part parts[SLOTS];
    /* Under the mutex. */
    ls_mutex mutex;
    ls_builder fresh;
    ls_live_news news;
};

static void tell(ls_live_feed *self, bool is_over, ls_status status, const char *text)
{
    ls_mutex_lock(&self->mutex);
    self->news.is_over |= is_over;
    self->news.status = status;
    snprintf(self->news.text, sizeof self->news.text, "%s", text);
    ls_mutex_unlock(&self->mutex);
}

/* Needs no mutex, because only this thread sets `is_over`. */
static bool is_over(const ls_live_feed *self)
{
    return self->news.is_over;
}

static void pause_feed(ls_live_feed *self)
{
    self->pause_until_ns = ls_monotonic_ns() + LS_LIVE_FEED_POLL_NS;
}

/* Reports no answer, or a code that may pass. Before the first manifest this ends the feed; later
 * it tries again. */
static void note_trouble(ls_live_feed *self, uint32_t code, const char *reason)
{
    ls_error error;
    bool is_first = !self->told.segments;
    const char *again = is_first ? "" : "; trying again";
    if (code)
        ls_error_set(&error, LS_ERROR_IO, "the server answers with code %u%s", (unsigned)code,
                     again);
    else
        ls_error_set(&error, LS_ERROR_IO, "the server does not answer (%s)%s", reason, again);
    tell(self, is_first, is_first ? LS_ERROR_IO : LS_OK, error.text);
}

static void miss_match(ls_live_feed *self)
{
    if (self->told.segments)
        tell(self, true, LS_OK, "the match is not published any more");
    else
        tell(self, true, LS_ERROR_NOT_FOUND, "no match is published there");
}

/* Called when all segments of the manifest are there. Checks their bytes, and ends the feed or
 * waits for the next manifest. */
static void settle(ls_live_feed *self)
{
    ls_error error;
    if (self->bytes != self->told.bytes) {
        ls_error_set(&error, LS_ERROR_CORRUPT,
                     "the segments have %" PRIu64 " bytes, and their manifest says %" PRIu64,
                     self->bytes, self->told.bytes);
        tell(self, true, LS_ERROR_CORRUPT, error.text);
        return;
    }
    ls_mutex_lock(&self->mutex);
    self->news.has_begun = true;
    ls_mutex_unlock(&self->mutex);
    if (self->told.state == LS_BROADCAST_ENDED)
        tell(self, true, LS_OK, "the match has ended");
    else if (self->told.state == LS_BROADCAST_BROKEN)
        tell(self, true, LS_OK, "the server publishes no more of this match");
    self->wants_manifest = true;
    pause_feed(self);
}

static void take_manifest(ls_live_feed *self, const ls_builder *text)
{
    ls_live_manifest next;
    ls_error error;
    ls_status status =
        ls_live_manifest_read(text->data ? text->data : "", text->count, &next, &error);
    bool is_first = !self->told.segments;
    if (status) {
        tell(self, true, status, error.text);
        return;
    }
    tell(self, false, LS_OK, "");
    if (!is_first && strcmp(next.match, self->told.match) != 0) {
        tell(self, true, LS_OK, "another match has begun in this room");
        return;
    }
    /* A cache may answer with an older manifest than the last one. */
    if (next.segments >= self->told.segments)
        self->told = next;
    self->wants_manifest = false;
    if (self->segments == self->told.segments)
        settle(self);
}

static void publish(ls_live_feed *self, struct part *part)
{
    self->segments++;
    self->bytes += part->bytes.count;
    ls_mutex_lock(&self->mutex);
    ls_builder_put(&self->fresh, part->bytes.data, part->bytes.count);
    self->news.text[0] = 0;
    ls_mutex_unlock(&self->mutex);
    ls_free(part->bytes.data);
    *part = (struct part){0};
}

static void take_segment(ls_live_feed *self, struct part *part)
{
    if (!part->bytes.count) {
        tell(self, true, LS_ERROR_CORRUPT, "a segment of the match is empty");
        return;
    }
    part->is_whole = true;
    self->was_missing = false;
    while (self->segments < self->told.segments && self->parts[self->segments % SLOTS].is_whole)
        publish(self, &self->parts[self->segments % SLOTS]);
    if (self->segments == self->told.segments)
        settle(self);
}

/* Notes a missing segment. The server removes the segments of a match that another one replaces, so
 * the manifest is read again before this is an error. */
static void miss_segment(ls_live_feed *self)
{
    if (self->was_missing)
        tell(self, true, LS_ERROR_CORRUPT, "the manifest names segments that are not there");
    self->was_missing = self->wants_manifest = true;
}

/* The calls of the client */

static uint64_t waiting_bytes(const ls_live_feed *self)
{
    uint64_t bytes = 0;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        bytes += self->parts[slot].bytes.count;
    return bytes;
}

static bool received(void *context, uint32_t slot, const char *data, size_t bytes)
{
    ls_live_feed *self = context;
    uint64_t limit =
        self->asks_manifest ? LS_LIVE_MANIFEST_BYTES_MAX : self->told.bytes - self->bytes;
    if (is_over(self))
        return false;
    if (waiting_bytes(self) + bytes > limit) {
        tell(self, true, LS_ERROR_CORRUPT,
             self->asks_manifest ? "the server's answer does not describe a running match"
                                 : "the segments are longer than their manifest says");
        return false;
    }
    ls_builder_put(&self->parts[slot].bytes, data, bytes);
    return true;
}

static void ended(void *context, uint32_t slot, uint32_t code, const char *reason)
{
    ls_live_feed *self = context;
    struct part *part = &self->parts[slot];
    bool is_manifest = self->asks_manifest;
    self->asks_manifest = false;
    if (is_over(self))
        return;
    if (code == 200 && !is_manifest) {
        take_segment(self, part);
        return;
    }
    if (code != 200)
        pause_feed(self);
    if (code == 200)
        take_manifest(self, &part->bytes);
    else if (code == 404 && !is_manifest)
        miss_segment(self);
    else if (code == 404 || code == 410)
        miss_match(self);
    else
        note_trouble(self, code, reason);
    ls_free(part->bytes.data);
    *part = (struct part){0};
}

static void begin(ls_live_feed *self, uint32_t slot, const char *name)
{
    char path[LS_LIVE_PATH_BYTES + LS_BROADCAST_SEGMENT_BYTES];
    snprintf(path, sizeof path, "%s%s", self->url.path, name);
    const ls_http_client_request request = {
        .method = "GET", .path = path, .kept_bytes_max = UINT64_MAX};
    ls_http_client_begin(self->client, slot, &request);
}

static bool is_busy(const ls_live_feed *self)
{
    bool is_any = false;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        is_any |= ls_http_client_is_busy(self->client, slot);
    return is_any;
}

static void begin_segments(ls_live_feed *self)
{
    char name[LS_BROADCAST_SEGMENT_BYTES];
    uint32_t first = self->segments, left = self->told.segments - first;
    for (uint32_t i = 0; i < SLOTS && i < left; i++) {
        uint32_t slot = (first + i) % SLOTS;
        if (ls_http_client_is_busy(self->client, slot) || self->parts[slot].is_whole)
            continue;
        ls_broadcast_files_segment(self->told.match, first + i, name);
        begin(self, slot, name);
    }
}

static void step(void *context)
{
    ls_live_feed *self = context;
    if (is_over(self) || ls_monotonic_ns() < self->pause_until_ns)
        return;
    if (!self->wants_manifest) {
        begin_segments(self);
    } else if (!is_busy(self)) {
        /* Whole parts after a missing one are fetched again. */
        for (uint32_t slot = 0; slot < SLOTS; slot++)
            ls_free(self->parts[slot].bytes.data);
        memset(self->parts, 0, sizeof self->parts);
        self->asks_manifest = true;
        begin(self, MANIFEST_SLOT, "live");
    }
}

ls_status ls_live_feed_open(const char *url, ls_live_feed **feed, ls_error *error)
{
    ls_live_feed *self = ls_alloc(sizeof *self);
    *feed = NULL;
    ls_status status = ls_live_url_parse(url, &self->url, error);
    if (status) {
        ls_free(self);
        return status;
    }
    self->wants_manifest = true;
    ls_mutex_init(&self->mutex);
    const ls_http_client_config config = {.host = self->url.host,
                                          .port = self->url.port,
                                          .has_tls = self->url.has_tls,
                                          .step = step,
                                          .received = received,
                                          .ended = ended,
                                          .context = self};
    status = ls_http_client_open(&config, &self->client, error);
    if (status)
        ls_live_feed_close(self);
    else
        *feed = self;
    return status;
}

void ls_live_feed_close(ls_live_feed *feed)
{
    if (!feed)
        return;
    ls_http_client_close(feed->client);
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        ls_free(feed->parts[slot].bytes.data);
    ls_free(feed->fresh.data);
    ls_mutex_destroy(&feed->mutex);
    ls_free(feed);
}

void ls_live_feed_take(ls_live_feed *feed, ls_builder *bytes, ls_live_news *news)
{
    ls_mutex_lock(&feed->mutex);
    if (feed->fresh.count)
        ls_builder_put(bytes, feed->fresh.data, feed->fresh.count);
    ls_free(feed->fresh.data);
    feed->fresh = (ls_builder){0};
    *news = feed->news;
    ls_mutex_unlock(&feed->mutex);
}
