#include "cli/token/token_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

void ls_token_text_print_pass(const ls_pass *pass, const ls_token *token, uint64_t unix_s)
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

void ls_token_text_print_sealed(const ls_token *token)
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
