/* lockstep token */
#include "cli/clock.h"
#include "cli/command.h"
#include "cli/host.h"
#include "cli/number.h"
#include "cli/token_key_file.h"
#include "cli/token_text.h"
#include "proto/pass.h"
#include "proto/text.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

#define LIFETIME_STANDARD_S 60
/* Clocks of matchmaker and server may part by so much. */
#define SKEW_S 5

typedef struct token_options {
    const char *action, *path, *key_path;
    uint64_t lifetime_s;
    bool is_made; /* an option that only `issue` has was given */
    uint32_t server_count;
    const char *servers[LS_TOKEN_ADDRESSES_MAX];
    ls_token token;
} token_options;

enum {
    OPTION_KEY = 256,
    OPTION_CLIENT,
    OPTION_ROOM,
    OPTION_SERVER,
    OPTION_LIFETIME,
    OPTION_SPECTATE
};

static const struct argp_option options[] = {
    {0, 0, NULL, 0, "With both:", 1},
    {"key", OPTION_KEY, "FILE", 0,
     "The matchmaker's key (`lockstep keygen --token-key`). show prints with it what is sealed", 0},
    {0, 0, NULL, 0, "With issue:", 2},
    {"client", OPTION_CLIENT, "NAME", 0, "Who it is for, at most 32 bytes", 0},
    {"room", OPTION_ROOM, "NAME", 0, "The room to enter, at most 32 bytes (any)", 0},
    {"server", OPTION_SERVER, "HOST[:PORT][#KEY]", 0,
     "A server that takes it, up to 4 times (any server); a KEY holds for all of them", 0},
    {"lifetime", OPTION_LIFETIME, "TIME", 0, "How long, in s, m or h, at most 24h (60s)", 0},
    {"spectate-only", OPTION_SPECTATE, NULL, 0, "To watch, not to play", 0},
    {"output", 'o', "FILE", 0, "The connect pass to write, a new private file", 0},
    {0}};

static void parse_text(struct argp_state *state, const char *name, const char *text, char *out,
                       size_t capacity)
{
    if (!*text || strlen(text) >= capacity || !ls_text_is_valid(text))
        argp_error(state, "--%s takes 1 to %zu bytes of printable UTF-8", name, capacity - 1);
    else
        strcpy(out, text);
}

static void parse_lifetime(struct argp_state *state, token_options *chosen, const char *text)
{
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
    argp_error(state, "--lifetime takes a time like 90s, 5m or 2h, at most 24h, not '%s'", text);
}

static void add_server(struct argp_state *state, token_options *chosen, const char *text)
{
    if (chosen->server_count == LS_TOKEN_ADDRESSES_MAX)
        argp_error(state, "at most %d times --server", LS_TOKEN_ADDRESSES_MAX);
    else
        chosen->servers[chosen->server_count++] = text;
}

static void parse_argument(struct argp_state *state, token_options *chosen, const char *text)
{
    bool is_action = strcmp(text, "issue") == 0 || strcmp(text, "show") == 0;
    if (!chosen->action && !is_action)
        argp_error(state, "'%s' is neither issue nor show", text);
    if (!chosen->action)
        chosen->action = text;
    else if (strcmp(chosen->action, "show") == 0 && !chosen->path)
        chosen->path = text;
    else
        argp_error(state, "'%s' is too much", text);
}

static void check_options(struct argp_state *state, const token_options *chosen)
{
    if (!chosen->action)
        argp_error(state, "issue or show is missing");
    else if (strcmp(chosen->action, "show") == 0 && chosen->is_made)
        argp_error(state, "show takes only --key");
    else if (strcmp(chosen->action, "show") == 0 && !chosen->path)
        argp_error(state, "show: FILE is missing");
    else if (strcmp(chosen->action, "issue") == 0 && !chosen->key_path)
        argp_error(state, "issue: --key is missing; `lockstep keygen --token-key` makes one");
    else if (strcmp(chosen->action, "issue") == 0 && !chosen->token.client[0])
        argp_error(state, "issue: --client is missing");
    else if (!chosen->path)
        argp_error(state, "issue: --output is missing");
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    token_options *chosen = state->input;
    chosen->is_made = chosen->is_made || key == 'o' || (key > OPTION_KEY && key <= OPTION_SPECTATE);
    switch (key) {
    case OPTION_KEY:
        chosen->key_path = text;
        return 0;
    case OPTION_CLIENT:
        parse_text(state, "client", text, chosen->token.client, sizeof chosen->token.client);
        return 0;
    case OPTION_ROOM:
        parse_text(state, "room", text, chosen->token.room, sizeof chosen->token.room);
        return 0;
    case OPTION_SERVER:
        add_server(state, chosen, text);
        return 0;
    case OPTION_LIFETIME:
        parse_lifetime(state, chosen, text);
        return 0;
    case OPTION_SPECTATE:
        chosen->token.rights = LS_TOKEN_SPECTATE;
        return 0;
    case 'o':
        chosen->path = text;
        return 0;
    case ARGP_KEY_ARG:
        parse_argument(state, chosen, text);
        return 0;
    case ARGP_KEY_END:
        check_options(state, chosen);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .parser = parse,
    .options = options,
    .args_doc = "issue|show [FILE]",
    .doc = "Connect passes, which a matchmaker hands to players. `issue` writes one: a token that "
           "servers with the same key believe, and what the player needs beside it. `show` prints "
           "what is in one."
           "\vExit codes: 0 good; 2 wrong use, no such file; 4 no key or no pass, damaged, or not "
           "sealed with this key; 5 a file cannot be read or written, a host not be found; 6 the "
           "pass exists already, or others can read a secret file."};

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
    return ls_host_find(&server, &token->addresses[token->address_count++], error);
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
    bool has_key = false;
    for (uint32_t i = 0; i < chosen->server_count; i++) {
        ls_status status = add_place(&token, chosen->servers[i], &has_key, error);
        if (status)
            return status;
    }
    if (chosen->server_count && !has_key)
        fprintf(stderr, "lockstep token: warning: --server without a #KEY: only a server that was "
                        "told its --address, or bound to it, refuses a pass for another\n");
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
    /* Looked at as of when it was good. */
    ls_token_rule rule = {.keys = &key, .key_count = 1, .unix_s = token->not_before_s};
    status = ls_token_open(&rule, pass->token, token, error);
    if (status == LS_ERROR_NOT_FOUND)
        status = ls_error_set(error, LS_ERROR_CORRUPT, "the token is not sealed with the key of %s",
                              key_path);
    ls_token_key_reset(&key);
    return status;
}

static ls_status show(const token_options *chosen, ls_error *error)
{
    ls_pass pass;
    ls_token token;
    ls_status status = ls_pass_load(chosen->path, &pass, error);
    if (status)
        return status;
    LS_ASSERT(ls_token_peek(pass.token, &token)); /* else it were no pass */
    if (chosen->key_path)
        status = open_sealed(chosen->key_path, &pass, &token, error);
    if (!status)
        ls_token_text_print_pass(&pass, &token, ls_clock_unix_s());
    if (!status && chosen->key_path)
        ls_token_text_print_sealed(&token);
    ls_token_reset(&token);
    ls_pass_reset(&pass);
    return status;
}

ls_exit ls_command_token(int count, char **arguments)
{
    token_options chosen = {.lifetime_s = LIFETIME_STANDARD_S,
                            .token.rights = LS_TOKEN_PLAY | LS_TOKEN_SPECTATE};
    argp_parse(&argp, count, arguments, 0, NULL, &chosen);
    ls_error error;
    bool is_show = strcmp(chosen.action, "show") == 0;
    ls_status status = is_show ? show(&chosen, &error) : issue(&chosen, &error);
    return status ? ls_command_fail("token", status, &error) : LS_EXIT_GOOD;
}
