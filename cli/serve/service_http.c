#include "cli/serve/service_http.h"

#include "cli/common/clock.h"
#include "cli/common/descriptor_limit.h"
#include "cli/serve/http_address.h"
#include "cli/serve/http_answer.h"
#include "cli/serve/metrics_board.h"
#include "cli/serve/viewer_answer.h"
#include "core/base/platform.h"

#include <inttypes.h>
#include <string.h>

/* For recordings and the rest of the process. */
#define DESCRIPTORS_BESIDE 256

/* A follower asks for the manifest each second, and maybe through a cache that is a second late. */
#define FOLLOWER_QUIET_NS (2500 * LS_NS_PER_MS)
#define LINGER_MAX_NS     (6 * LS_SECOND_NS)

struct ls_service_http {
    ls_service_http_config config;
    ls_metrics_board board;
    uint64_t start_unix_s;
    uint64_t due_ns;      /* when the metrics are next published */
    uint64_t followed_ns; /* when a file of a broadcast was last asked for; 0: never. Atomic */
    /* Used by the HTTP thread alone, as are the answers. */
    ls_viewer_shelf shelf;
    ls_viewer_files files;
    ls_http *http;
    ls_http_token proxy_token;
};

static void publish(ls_service_http *self, uint64_t now_ns)
{
    ls_metrics_take(ls_metrics_board_begin(&self->board), self->config.source, now_ns);
    ls_metrics_board_publish(&self->board);
    self->due_ns = now_ns + LS_HTTP_PUBLISH_NS;
}

static bool admits(void *context, const ls_http_post *post, ls_http_answer *result)
{
    return ls_service_admin_admits(((ls_service_http *)context)->config.admin, post, result);
}

static void answer_post(void *context, const ls_http_post *post, ls_http_answer *result)
{
    const ls_service_http_config *config = &((ls_service_http *)context)->config;
    if (ls_lobby_call_is_here(post->path))
        ls_service_lobby_post(config->lobby, post, result);
    else
        ls_service_admin_post(config->admin, post, result);
}

/* Called by the HTTP thread, which alone reads the board. */
static void answer(void *context, const char *path, ls_http_answer *result)
{
    ls_service_http *self = context;
    if (self->config.admin && strncmp(path, "/admin/", strlen("/admin/")) == 0) {
        ls_http_refuse_method(result, "POST");
        return;
    }
    if (ls_lobby_call_is_here(path)) {
        ls_service_lobby_get(self->config.lobby, ls_metrics_board_read(&self->board), path, result);
        return;
    }
    const ls_http_facts facts = {.sim = self->config.sim,
                                 .start_unix_s = self->start_unix_s,
                                 .metrics = ls_metrics_board_read(&self->board),
                                 .now_ns = ls_monotonic_ns()};
    if (ls_http_answer_get(&facts, path, result) || !self->config.options->site)
        return;
    ls_free(result->body.data);
    if (strncmp(path, LS_VIEWER_LIVE, strlen(LS_VIEWER_LIVE)) == 0)
        __atomic_store_n(&self->followed_ns, facts.now_ns, __ATOMIC_RELAXED);
    /* The shelf is updated at each request, because a large folder is read in parts. */
    ls_viewer_shelf_update(&self->shelf, facts.now_ns);
    ls_viewer_answer_get(&self->files, path, result);
}

static void log_address(const ls_service_http *self)
{
    char address[LS_HTTP_ADDRESS_BYTES];
    ls_http_address_print(self->config.options->http, ls_http_port(self->http), address);
    ls_log_print(self->config.log, "listening_http address=%s", address);
    if (self->config.web)
        ls_log_print(self->config.log, "listening_web url=\"ws://%s" LS_HTTP_PLAY_PATH "\"",
                     address);
    if (!self->config.options->site)
        return;
    ls_log_print(self->config.log, "viewer url=\"http://%s/#list=\"", address);
    if (!self->config.web)
        return;
    ls_log_print(self->config.log, "play url=\"http://%s/play.html#sim=%s\"", address,
                 self->config.sim);
}

static ls_http_play_config play_of(const ls_service_http *self)
{
    const ls_service_options *options = self->config.options;
    ls_http_play_config play = {
        .link = self->config.web,
        .rules = {.origin_count = options->web_origin_count,
                  .proxy = options->http_proxy,
                  .proxy_token = options->http_proxy_token ? &self->proxy_token : NULL}};
    memcpy(play.rules.origins, options->web_origins, sizeof play.rules.origins);
    return play;
}

/* Makes sure that there are enough descriptors. Without a free one, libwebsockets would turn to a
 * waiting connection again and again. */
static ls_status allow_descriptors(const ls_service_http_config *config, ls_error *error)
{
    if (!config->web)
        return LS_OK;
    uint32_t channels = ls_web_port_channels_max(ls_link_web_port(config->web));
    uint64_t wanted = (uint64_t)channels + LS_HTTP_CONNECTIONS_MAX + DESCRIPTORS_BESIDE;
    uint64_t max = ls_descriptor_limit(wanted);
    if (max >= wanted)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_IO,
                        "--web needs %" PRIu64
                        " file descriptors and this process may open %" PRIu64
                        ": raise the limit (ulimit -n %" PRIu64 "), or lower --peers",
                        wanted, max, wanted);
}

ls_status ls_service_http_open(const ls_service_http_config *config, ls_service_http **http,
                               ls_error *error)
{
    *http = NULL;
    if (!config->options->http)
        return LS_OK;
    ls_status status = allow_descriptors(config, error);
    if (!status && config->options->site)
        status = ls_viewer_check_site(config->options->site, error);
    ls_http_token proxy_token = {{0}};
    if (!status && config->options->http_proxy_token)
        status = ls_http_token_read(config->options->http_proxy_token, &proxy_token, error);
    if (status)
        return status;
    ls_service_http *self = ls_alloc(sizeof *self);
    self->config = *config;
    self->proxy_token = proxy_token;
    self->shelf.folder = config->options->record;
    self->files = (ls_viewer_files){.site = config->options->site,
                                    .folder = config->options->record,
                                    .live = config->options->broadcast,
                                    .play = config->web ? config->sim : NULL,
                                    .shelf = &self->shelf};
    ls_metrics_board_init(&self->board);
    publish(self, ls_monotonic_ns());
    self->start_unix_s = ls_clock_unix_s();
    const ls_http_config port = {.option = "--http",
                                 .listen = config->options->http,
                                 .policy = config->options->site
                                               ? LS_VIEWER_POLICY
                                               : "default-src 'none'; frame-ancestors 'none'",
                                 .answer = answer,
                                 .admits = admits,
                                 .post = config->admin ? answer_post : NULL,
                                 .play = play_of(self),
                                 .context = self};
    status = ls_http_open(&port, &self->http, error);
    if (status) {
        ls_service_http_close(self);
        return status;
    }
    log_address(self);
    *http = self;
    return LS_OK;
}

void ls_service_http_close(ls_service_http *http)
{
    if (!http)
        return;
    ls_http_close(http->http);
    ls_metrics_board_reset(&http->board);
    ls_viewer_shelf_reset(&http->shelf);
    ls_free(http);
}

void ls_service_http_linger(const ls_service_http *http)
{
    uint64_t now_ns = ls_monotonic_ns(), end_ns = now_ns + LINGER_MAX_NS, followed_ns;
    if (!http)
        return;
    while (now_ns < end_ns &&
           (followed_ns = __atomic_load_n(&http->followed_ns, __ATOMIC_RELAXED)) != 0 &&
           now_ns < followed_ns + FOLLOWER_QUIET_NS) {
        ls_clock_sleep_until(now_ns + LS_SECOND_NS / 20);
        now_ns = ls_monotonic_ns();
    }
}

void ls_service_http_publish(ls_service_http *http, uint64_t now_ns)
{
    if (http && now_ns >= http->due_ns)
        publish(http, now_ns);
}
