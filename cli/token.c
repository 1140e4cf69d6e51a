/* lockstep token: issues a connect token for a player, or prints one. */
#include "cli/common/arguments.h"
#include "cli/common/clock.h"
#include "cli/common/command.h"
#include "cli/common/menu.h"
#include "cli/common/number.h"
#include "cli/common/token_key_file.h"
#include "proto/host_name.h"
#include "proto/text.h"
#include <lockstep/pass.h>
#include <lockstep/server_address.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LIFETIME_DEFAULT_S 60
/* The largest difference between the clocks of matchmaker and server, in seconds. */
#define SKEW_S 5

typedef struct token_options {
    const char *path, *key_path;
    uint64_t lifetime_s;
    uint32_t server_count;
    const char *servers[LS_TOKEN_ADDRESSES_MAX];
    bool is_spectator;
    ls_token token;
} token_options;

static void take_lifetime(const ls_argument_state *state, const ls_argument *argument, void *input,
                          char *text)
{
    token_options *chosen = input;
    (void)argument;
    static const char units[] = "smh";
    static const uint32_t seconds[] = {1, 60, 3600};
    char digits[8];
    size_t count = strlen(text);
    const char *unit = count ? strchr(units, text[count - 1]) : NULL;
    uint32_t factor = unit && *unit ? seconds[unit - units] : 0;
    if (factor && count <= sizeof digits) {
        memcpy(digits, text, count - 1);
        digits[count - 1] = 0;
        if (ls_parse_u64(digits, 1, LS_TOKEN_LIFE_S_MAX / factor, &chosen->lifetime_s)) {
            chosen->lifetime_s *= factor;
            return;
        }
    }
    ls_argument_fail(state, "--lifetime takes a time like 90s, 5m or 2h, at most 24h, not '%s'",
                     text);
}

static void take_text(const ls_argument_state *state, const ls_argument *argument, const char *text,
                      char *out, size_t capacity)
{
    if (!*text || strlen(text) >= capacity || !ls_text_is_valid(text))
        ls_argument_fail(state, "--%s takes 1 to %zu bytes of printable UTF-8", argument->name,
                         capacity - 1);
    else
        strcpy(out, text);
}

static void take_client(const ls_argument_state *state, const ls_argument *argument, void *input,
                        char *text)
{
    token_options *chosen = input;
    take_text(state, argument, text, chosen->token.client, sizeof chosen->token.client);
}

static void take_room(const ls_argument_state *state, const ls_argument *argument, void *input,
                      char *text)
{
    token_options *chosen = input;
    take_text(state, argument, text, chosen->token.room, sizeof chosen->token.room);
}

static void check_issue(const ls_argument_state *state, void *input)
{
    const token_options *chosen = input;
    if (!chosen->key_path)
        ls_argument_fail(state, "--key is missing; `lockstep keygen --token-key` makes one");
    else if (!chosen->token.client[0])
        ls_argument_fail(state, "--client NAME is missing: the player that the token lets in");
    else if (!chosen->path)
        ls_argument_fail(state, "--output FILE is missing: where the token goes");
}

static const ls_argument issue_options[] = {
    LS_ARGUMENT_TEXT(
        "key", "FILE", token_options, key_path,
        "Seal the token with the matchmaker's key in FILE, made by `lockstep keygen --token-key`"),
    LS_ARGUMENT_CALL("client", "NAME", take_client, "Name of the player, at most 32 bytes"),
    LS_ARGUMENT_CALL("room", "NAME", take_room,
                     "Admit to this room only, at most 32 bytes (default: any)"),
    LS_ARGUMENT_TEXTS(
        "server", "HOST[:PORT][#KEY]", token_options, servers, server_count,
        "Admit to this server only; up to 4 times (default: any server that has the matchmaker's "
        "key). A #KEY holds for all of them"),
    LS_ARGUMENT_CALL(
        "lifetime", "TIME", take_lifetime,
        "Let the token expire after TIME: a number and s, m or h, at most 24h (default 60s)"),
    LS_ARGUMENT_FLAG("spectate-only", token_options, is_spectator,
                     "Admit as a spectator, not as a player"),
    LS_ARGUMENT_TEXT("output", "FILE", token_options, path,
                     "Write the token to FILE, a new private file", .letter = 'o'),
    {0},
};
static const ls_arguments issue_table = {
    .list = issue_options,
    .usage = "--key FILE --client NAME --output FILE",
    .check = check_issue,
    .doc = "Write a connect token, which a matchmaker hands to a player: servers with the same "
           "matchmaker's key admit its bearer. The player gives the file to `lockstep join --token "
           "FILE`."
           "\vExit codes:\n"
           "  0  good\n"
           "  2  wrong use, or the key file is missing\n"
           "  4  the key file is damaged or no matchmaker's key\n"
           "  5  a file cannot be read or written, or a host is not found\n"
           "  6  the output exists already, or others can read the key file"};

static const ls_argument show_options[] = {
    LS_ARGUMENT_TEXT("key", "FILE", token_options, key_path,
                     "Print the sealed part too, which the matchmaker's key in FILE opens"),
    {0},
};
static const ls_arguments show_table = {
    .list = show_options,
    .usage = "FILE",
    .file = offsetof(token_options, path),
    .file_missing = "FILE is missing",
    .file_twice = "one FILE",
    .doc = "Print what is in a connect token."
           "\vExit codes:\n"
           "  0  good\n"
           "  2  wrong use, or a file is missing\n"
           "  4  FILE is damaged, no token, or not sealed with this key\n"
           "  5  a file cannot be read\n"
           "  6  others can read a secret file"};

static ls_status add_place(ls_token *token, const char *text, bool *has_key, ls_error *error)
{
    ls_server_address server;
    ls_status status = ls_server_address_parse(text, &server, error);
    if (status)
        return status;
    if (server.has_key && *has_key && !ls_public_key_equal(&server.key, &token->server))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "--server with two keys: a token is for one server, or for all that "
                            "have its matchmaker's key");
    if (server.has_key) {
        *has_key = true;
        token->server = server.key;
    }
    ls_address *added = &token->addresses[token->address_count++];
    return ls_resolve_one(server.host, server.port, added, error);
}

static ls_status write_pass(const token_options *chosen, const ls_token_key *key, ls_token *token,
                            ls_error *error)
{
    uint8_t bytes[LS_TOKEN_BYTES];
    ls_pass pass;
    if (ls_token_issue(key, NULL, token, bytes) != LS_OK)
        return ls_error_set(error, LS_ERROR_USAGE, "no server would take such a token");
    ls_pass_init(&pass, token, bytes);
    ls_status status = ls_pass_save(chosen->path, &pass, error);
    ls_pass_reset(&pass);
    return status;
}

static ls_status issue(const token_options *chosen, ls_error *error)
{
    ls_token token = chosen->token;
    token.rights = chosen->is_spectator ? LS_TOKEN_SPECTATE : LS_TOKEN_PLAY | LS_TOKEN_SPECTATE;
    bool has_key = false;
    for (uint32_t i = 0; i < chosen->server_count; i++) {
        ls_status status = add_place(&token, chosen->servers[i], &has_key, error);
        if (status)
            return status;
    }
    if (chosen->server_count && !has_key)
        fprintf(stderr, "lockstep token: warning: --server without a #KEY: only a server that was "
                        "told its --address, or bound to it, refuses a token for another\n");
    uint64_t now_s = ls_clock_unix_s();
    token.expiry_s = now_s + chosen->lifetime_s;
    token.not_before_s = now_s - SKEW_S;
    if (token.expiry_s - token.not_before_s > LS_TOKEN_LIFE_S_MAX)
        token.not_before_s = now_s;
    ls_token_key key;
    ls_status status = ls_token_key_file_read(chosen->key_path, &key, error);
    if (!status)
        status = write_pass(chosen, &key, &token, error);
    if (!status)
        printf("issued %s\n", chosen->path);
    ls_token_key_reset(&key);
    ls_token_reset(&token);
    return status;
}

static ls_status open_sealed(const char *key_path, const ls_pass *pass, ls_token *token,
                             ls_error *error)
{
    ls_token_key key;
    ls_status status = ls_token_key_file_read(key_path, &key, error);
    if (status)
        return status;
    /* Use a time at which the token was valid, because an expired one is shown as well. */
    ls_token_rule rule = {.keys = &key, .key_count = 1, .unix_s = token->not_before_s};
    status = ls_token_open(&rule, pass->token, token, error);
    if (status == LS_ERROR_NOT_FOUND)
        status = ls_error_set(error, LS_ERROR_CORRUPT, "the token is not sealed with the key of %s",
                              key_path);
    ls_token_key_reset(&key);
    return status;
}

/* Prints a time; a time from a file may be beyond the calendar. */
static void print_time(const char *name, uint64_t unix_s)
{
    char text[32] = "";
    struct tm parts;
    time_t seconds = (time_t)unix_s;
    if (unix_s <= INT64_MAX && gmtime_r(&seconds, &parts))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    if (text[0])
        printf("%s %s\n", name, text);
    else
        printf("%s %" PRIu64 " s\n", name, unix_s);
}

static void print_life(const ls_token *token, uint64_t unix_s)
{
    if (unix_s >= token->expiry_s)
        printf("state expired %" PRIu64 " s ago\n", unix_s - token->expiry_s);
    else if (unix_s < token->not_before_s)
        printf("state good in %" PRIu64 " s\n", token->not_before_s - unix_s);
    else
        printf("state good for %" PRIu64 " s\n", token->expiry_s - unix_s);
}

static void print_addresses(const char *name, const ls_address *addresses, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char text[LS_ADDRESS_TEXT_BYTES];
        ls_address_format(&addresses[i], text);
        printf("%s %s\n", name, text);
    }
}

static void print_hex(const char *name, const uint8_t *bytes, size_t count)
{
    printf("%s ", name);
    for (size_t i = 0; i < count; i++)
        printf("%02x", bytes[i]);
    putchar('\n');
}

static bool is_zero(const uint8_t *bytes, size_t count)
{
    size_t i = 0;
    while (i < count && bytes[i] == 0)
        i++;
    return i == count;
}

/* `token` has at least what ls_token_peek() gives. */
static void print_pass(const ls_pass *pass, const ls_token *token, uint64_t unix_s)
{
    printf("key-id %" PRIu32 "\n", token->key_id);
    print_time("not-before", token->not_before_s);
    print_time("expiry", token->expiry_s);
    print_life(token, unix_s);
    print_addresses("server", pass->addresses, pass->address_count);
    if (pass->has_server_key) {
        char text[LS_PUBLIC_KEY_TEXT_BYTES];
        ls_public_key_format(&pass->server_key, text);
        printf("server-key %s\n", text);
    }
}

/* Prints the part that the matchmaker's key opens, but never the psk. */
static void print_sealed(const ls_token *token)
{
    print_hex("sealed token-id", token->id, sizeof token->id);
    printf("sealed client %s\n", token->client);
    printf("sealed room %s\n", token->room[0] ? token->room : "(any)");
    printf("sealed rights%s%s\n", token->rights & LS_TOKEN_PLAY ? " play" : "",
           token->rights & LS_TOKEN_SPECTATE ? " spectate" : "");
    print_addresses("sealed server", token->addresses, token->address_count);
    if (token->address_count == 0)
        puts("sealed server (any)");
    char text[LS_PUBLIC_KEY_TEXT_BYTES] = "(any)";
    if (!is_zero(token->server.bytes, sizeof token->server.bytes))
        ls_public_key_format(&token->server, text);
    printf("sealed server-key %s\n", text);
    if (is_zero(token->fingerprint, sizeof token->fingerprint))
        puts("sealed simulation (any)");
    else
        print_hex("sealed simulation", token->fingerprint, sizeof token->fingerprint);
}

static ls_status show(const token_options *chosen, ls_error *error)
{
    ls_pass pass;
    ls_token token;
    ls_status status = ls_pass_load(chosen->path, &pass, error);
    if (status)
        return status;
    LS_ASSERT(ls_token_peek(pass.token, &token)); /* every pass has a token that can be peeked at */
    if (chosen->key_path)
        status = open_sealed(chosen->key_path, &pass, &token, error);
    if (!status)
        print_pass(&pass, &token, ls_clock_unix_s());
    if (!status && chosen->key_path)
        print_sealed(&token);
    ls_token_reset(&token);
    ls_pass_reset(&pass);
    return status;
}

static ls_exit run_issue(int count, char **arguments)
{
    token_options chosen = {.lifetime_s = LIFETIME_DEFAULT_S};
    ls_error error;
    ls_arguments_parse(&issue_table, count, arguments, &chosen);
    ls_status status = issue(&chosen, &error);
    return status ? ls_command_fail("token issue", status, &error) : LS_EXIT_GOOD;
}

static ls_exit run_show(int count, char **arguments)
{
    token_options chosen = {0};
    ls_error error;
    ls_arguments_parse(&show_table, count, arguments, &chosen);
    ls_status status = show(&chosen, &error);
    return status ? ls_command_fail("token show", status, &error) : LS_EXIT_GOOD;
}

static const ls_command actions[] = {
    {"issue", "write a connect token for a player", run_issue},
    {"show", "print what is in a connect token", run_show},
};

static const ls_menu menu = {
    .noun = "action",
    .before = "Usage: lockstep token ACTION [OPTION...]\n\n"
              "Issue and print connect tokens, which a matchmaker hands to players.\n\n",
    .after = "\n`lockstep token ACTION --help` lists the options of an action.\n",
    .entries = actions,
    .count = LS_COUNT_OF(actions),
};

ls_exit ls_command_token(int count, char **arguments)
{
    return ls_menu_run(&menu, count, arguments);
}
