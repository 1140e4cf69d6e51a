/* lockstep relay: forwards the packets of a match as a bad network would. */
#include "cli/common/arguments.h"
#include "cli/common/clock.h"
#include "cli/common/command.h"
#include "cli/common/match_options.h"
#include "cli/common/number.h"
#include "cli/common/signals.h"
#include "cli/network/relay_options.h"
#include "core/base/json_writer.h"
#include "core/base/platform.h"
#include "proto/host_name.h"
#include <lockstep/server_address.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct relay_command {
    ls_relay_options relay;
    ls_server_address to;
    bool has_to, is_quiet, is_json;
    char listen_host[LS_ADDRESS_TEXT_BYTES];
    uint16_t listen_port;
    uint32_t flows;
    uint64_t idle_ns;
};

/* Reads PORT, ADDRESS:PORT or [IPV6]:PORT. */
static bool read_listen(struct relay_command *options, const char *text, uint64_t *port)
{
    const char *colon = strrchr(text, ':');
    size_t host_bytes = colon ? (size_t)(colon - text) : 0;
    ls_address address;
    if (host_bytes >= sizeof options->listen_host ||
        !ls_parse_u64(colon ? colon + 1 : text, 0, UINT16_MAX, port))
        return false;
    if (!colon)
        return true;
    bool has_brackets = host_bytes > 2 && text[0] == '[' && colon[-1] == ']';
    if (!has_brackets && memchr(text, ':', host_bytes))
        return false;
    snprintf(options->listen_host, sizeof options->listen_host, "%.*s",
             (int)(has_brackets ? host_bytes - 2 : host_bytes), text + has_brackets);
    return ls_resolve_numeric(options->listen_host, 0, &address);
}

static void take_listen(const ls_argument_state *state, const ls_argument *argument, void *input,
                        char *text)
{
    struct relay_command *options = input;
    uint64_t port = 0;
    (void)argument;
    if (!read_listen(options, text, &port))
        ls_argument_fail(state, "--listen takes PORT, ADDRESS:PORT or [IPV6]:PORT, not '%s'", text);
    options->listen_port = (uint16_t)port;
}

static void take_to(const ls_argument_state *state, const ls_argument *argument, void *input,
                    char *text)
{
    struct relay_command *options = input;
    ls_error error;
    (void)argument;
    if (ls_server_address_parse(text, &options->to, &error))
        ls_argument_fail(state, "--to: %s", error.text);
    options->has_to = true;
}

static void check_options(const ls_argument_state *state, void *input)
{
    const struct relay_command *options = input;
    if (!options->has_to)
        ls_argument_fail(state, "--to is missing: the server, as HOST:PORT");
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Addresses:"),
    LS_ARGUMENT_CALL(
        "to", "HOST:PORT[#KEY]", take_to,
        "Forward packets to this server; a #KEY is printed with the relay's own address"),
    LS_ARGUMENT_CALL(
        "listen", "PORT|ADDRESS:PORT", take_listen,
        "Accept clients here (default 127.0.0.1:0); port 0 takes a free one, which is printed"),
    LS_ARGUMENT_NUMBER("flows", "N", struct relay_command, flows, 1, LS_RELAY_FLOWS_MAX,
                       "Serve at most N clients (default 512); packets of others are dropped"),
    LS_ARGUMENT_NUMBER("idle", "S", struct relay_command, idle_ns, 1, 86400,
                       "Forget a client that sends nothing for S seconds (default 60)",
                       .scale = LS_SECOND_NS),
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_FLAG("quiet", struct relay_command, is_quiet, "Print no line each second"),
    LS_ARGUMENT_FLAG("json", struct relay_command, is_json, "Print JSON, one object per line"),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_relay_arguments, offsetof(struct relay_command, relay)}, {0}};
static const ls_arguments argument_table = {
    .list = argument_list,
    .parts = argument_parts,
    .check = check_options,
    .doc = "Forward UDP packets to a server as a bad network would. Join the address that the "
           "relay prints instead of the server's. Each client gets a port of its own towards the "
           "server, as with a NAT. The same seed treats the same traffic alike. Numbers may have "
           "decimals. Ends with SIGINT or SIGTERM.\vExit codes:\n"
           "  0  good\n"
           "  2  wrong use\n"
           "  5  the server's name is not found, or the port is taken\n"
           "  130, 143  a second SIGINT or SIGTERM ended it at once"};

/* Returns how many packets were dropped for other reasons than the loss that was asked for. */
static uint64_t dropped(const ls_relay_direction *direction)
{
    return direction->overrun + direction->queue_full + direction->stale + direction->send_failed;
}

static double kilobytes(uint64_t now, uint64_t before, double seconds)
{
    return (double)(now - before) / seconds / 1000;
}

static void print_direction(const char *name, const ls_relay_direction *now,
                            const ls_relay_direction *before, double seconds)
{
    printf("  %s %.0f packets/s %.1f kB/s", name,
           (double)(now->packets - before->packets) / seconds,
           kilobytes(now->bytes, before->bytes, seconds));
}

static void print_line(const ls_relay_stats *now, const ls_relay_stats *before, double seconds)
{
    printf("flows %u", now->flows);
    print_direction("up", &now->up, &before->up, seconds);
    print_direction("down", &now->down, &before->down, seconds);
    printf("  lost %" PRIu64 "  delayed %" PRIu64,
           now->up.lost + now->down.lost - before->up.lost - before->down.lost,
           now->up.waiting + now->down.waiting);
    uint64_t more = dropped(&now->up) + dropped(&now->down);
    if (more > dropped(&before->up) + dropped(&before->down))
        printf("  dropped %" PRIu64, more - dropped(&before->up) - dropped(&before->down));
    putchar('\n');
}

static void add_json_direction(ls_builder *text, const char *name,
                               const ls_relay_direction *direction)
{
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {
        {"packets", direction->packets},
        {"bytes", direction->bytes},
        {"delivered", direction->delivered},
        {"delivered_bytes", direction->delivered_bytes},
        {"lost", direction->lost},
        {"duplicated", direction->duplicated},
        {"reordered", direction->reordered},
        {"corrupted", direction->corrupted},
        {"truncated", direction->truncated},
        {"overrun", direction->overrun},
        {"queue_full", direction->queue_full},
        {"stale", direction->stale},
        {"send_failed", direction->send_failed},
        {"waiting", direction->waiting},
    };
    ls_json_open(text, name, '{');
    for (uint32_t i = 0; i < LS_COUNT_OF(counts); i++)
        ls_json_u64(text, counts[i].name, counts[i].count);
    ls_json_close(text, '}');
}

static void print_json(ls_builder *text)
{
    ls_json_close(text, '}');
    puts(text->data);
    ls_free(text->data);
}

/* Prints the counts since the start. A reader can compute the rate over any interval. */
static void print_json_stats(const char *event, const ls_relay_stats *stats, double seconds)
{
    ls_builder text = {0};
    ls_json_open(&text, NULL, '{');
    ls_json_string(&text, "event", event);
    ls_json_decimal(&text, "seconds", (uint64_t)(seconds * 1000), 3);
    ls_json_u64(&text, "flows", stats->flows);
    ls_json_u64(&text, "flows_opened", stats->flows_opened);
    ls_json_u64(&text, "flows_refused", stats->flows_refused);
    ls_json_u64(&text, "rebinds", stats->rebinds);
    add_json_direction(&text, "up", &stats->up);
    add_json_direction(&text, "down", &stats->down);
    print_json(&text);
}

static void print_summary_direction(const char *name, const ls_relay_direction *direction)
{
    printf("%-4s packets %" PRIu64 "  delivered %" PRIu64 "  lost %" PRIu64 "  duplicated %" PRIu64
           "  reordered %" PRIu64 "  corrupted %" PRIu64 "  truncated %" PRIu64 "  overrun %" PRIu64
           "  other drops %" PRIu64 "\n",
           name, direction->packets, direction->delivered, direction->lost, direction->duplicated,
           direction->reordered, direction->corrupted, direction->truncated, direction->overrun,
           dropped(direction) - direction->overrun);
}

static void print_summary(const ls_relay_stats *stats, double seconds)
{
    printf("relayed %.1f s  flows %" PRIu64 "  refused packets %" PRIu64 "  rebinds %" PRIu64 "\n",
           seconds, stats->flows_opened, stats->flows_refused, stats->rebinds);
    print_summary_direction("up", &stats->up);
    print_summary_direction("down", &stats->down);
}

/* Prints the first line: the address to join, and the conditions, so that a run can be repeated. */
static void print_start(const struct relay_command *options, const ls_relay_config *config,
                        const ls_relay *relay)
{
    ls_server_address own = {
        .port = ls_relay_port(relay), .has_key = options->to.has_key, .key = options->to.key};
    char own_text[LS_SERVER_ADDRESS_TEXT_BYTES], to_text[LS_SERVER_ADDRESS_TEXT_BYTES];
    char up[LS_CONDITIONS_TEXT_BYTES], down[LS_CONDITIONS_TEXT_BYTES];
    ls_server_address to = options->to;
    snprintf(own.host, sizeof own.host, "%s", config->listen_host);
    to.has_key = false;
    ls_server_address_format(&own, own_text);
    ls_server_address_format(&to, to_text);
    ls_conditions_format(&config->up, up);
    ls_conditions_format(&config->down, down);
    const char *shared = config->is_shared ? ", all clients together" : "";
    if (options->is_json) {
        ls_builder text = {0};
        ls_json_open(&text, NULL, '{');
        ls_json_string(&text, "event", "start");
        ls_json_string(&text, "listen", own_text);
        ls_json_string(&text, "to", to_text);
        ls_json_u64(&text, "seed", config->seed);
        ls_json_string(&text, "up", up);
        ls_json_string(&text, "down", down);
        ls_json_bool(&text, "shared", config->is_shared);
        print_json(&text);
    } else if (strcmp(up, down) == 0)
        printf("relaying %s to %s  seed %" PRIu64 "  each way: %s%s\n", own_text, to_text,
               config->seed, up, shared);
    else
        printf("relaying %s to %s  seed %" PRIu64 "  up: %s  down: %s%s\n", own_text, to_text,
               config->seed, up, down, shared);
}

static double seconds_of(uint64_t ns)
{
    return (double)ns / (double)LS_SECOND_NS;
}

static void run(const struct relay_command *options, ls_relay *relay)
{
    uint64_t start_ns = ls_monotonic_ns(), line_ns = start_ns;
    ls_relay_stats before = {0};
    while (!ls_signals_stop_is_requested()) {
        uint64_t wake_ns = ls_relay_step(relay, ls_monotonic_ns());
        uint64_t now_ns = ls_monotonic_ns();
        if (now_ns >= line_ns + LS_SECOND_NS) {
            ls_relay_stats stats = ls_relay_get_stats(relay);
            if (!options->is_quiet && options->is_json)
                print_json_stats("second", &stats, seconds_of(now_ns - start_ns));
            else if (!options->is_quiet)
                print_line(&stats, &before, seconds_of(now_ns - line_ns));
            before = stats;
            line_ns = now_ns;
        }
        /* Sleep at most 0.1 s, because a signal that arrives just before the sleep does not end
         * it. */
        uint64_t latest_ns = now_ns + LS_SECOND_NS / 10;
        wake_ns = wake_ns < latest_ns ? wake_ns : latest_ns;
        if (wake_ns > now_ns)
            ls_relay_wait(relay, wake_ns - now_ns);
    }
    ls_relay_stats stats = ls_relay_get_stats(relay);
    if (options->is_json)
        print_json_stats("end", &stats, seconds_of(ls_monotonic_ns() - start_ns));
    else
        print_summary(&stats, seconds_of(ls_monotonic_ns() - start_ns));
}

ls_exit ls_command_relay(int count, char **arguments)
{
    struct relay_command options = {
        .listen_host = "127.0.0.1", .flows = LS_RELAY_FLOWS_MAX, .idle_ns = LS_RELAY_IDLE_NS};
    ls_arguments_parse(&argument_table, count, arguments, &options);
    ls_relay_config config = ls_relay_config_default();
    config.listen_host = options.listen_host;
    config.listen_port = options.listen_port;
    config.to_host = options.to.host;
    config.to_port = options.to.port;
    config.flows_max = options.flows;
    config.idle_ns = options.idle_ns;
    config.clock = ls_monotonic_ns;
    ls_relay_options_apply(&options.relay, &config);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    ls_signals_install();
    ls_relay *relay;
    ls_error error;
    ls_status status = ls_relay_create(&config, &relay, &error);
    if (status)
        return ls_command_fail("relay", status, &error);
    print_start(&options, &config, relay);
    run(&options, relay);
    ls_relay_destroy(relay);
    return LS_EXIT_GOOD;
}
