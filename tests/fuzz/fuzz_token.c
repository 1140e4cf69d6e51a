/* Arbitrary bytes as a connect token, as a token's content under a known key, as the text of a
 * connect pass and as a pass's content. Only sealed content is accepted, a refusal leaves no state,
 * and accepted content has exactly one byte form. The first byte of an input selects the case. */
#include "proto/armor.h"
#include "proto/token_internal.h"
#include <lockstep/pass.h>

#include <string.h>

#define NOW_S UINT64_C(1800000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { SEALED = 0, CONTENT, TEXT, PASS_CONTENT, KINDS };
enum { PASS_BYTES = LS_TOKEN_BYTES + 32 + 32 + 1 + 24, TEXT_BYTES_MAX = 2 * LS_PASS_TEXT_BYTES };

static const ls_token_key key = {.id = 7, .secret = "the fuzzer knows it"};

static ls_status open_token(const uint8_t bytes[LS_TOKEN_BYTES], ls_token *token)
{
    ls_token_rule rule = {.keys = &key, .key_count = 1, .unix_s = NOW_S};
    ls_status status = ls_token_open(&rule, bytes, token, NULL);
    ls_token empty = {0};
    LS_ASSERT((status == LS_OK) == (memcmp(token, &empty, sizeof empty) != 0));
    return status;
}

/* An entropy source that replays a token's random parts: id, psk, nonce. */
typedef struct replay {
    const void *parts[3];
    uint32_t next;
} replay;

static void fill_replay(void *context, void *bytes, size_t count)
{
    replay *r = context;
    memcpy(bytes, r->parts[r->next++], count);
}

static void check_one_form(const ls_token *token, const uint8_t bytes[LS_TOKEN_BYTES])
{
    ls_token again = *token;
    uint8_t issued[LS_TOKEN_BYTES];
    replay r = {.parts = {token->id, token->psk, bytes + LS_TOKEN_PUBLIC_BYTES}};
    ls_entropy entropy = {.fill = fill_replay, .context = &r};
    LS_ASSERT(ls_token_issue(&key, &entropy, &again, issued) == LS_OK);
    LS_ASSERT(memcmp(issued, bytes, sizeof issued) == 0);
}

static void check_content(const uint8_t *data, size_t bytes)
{
    uint8_t sealed[LS_TOKEN_BYTES] = {0}, plain[LS_TOKEN_PLAIN_BYTES] = {0};
    size_t head = bytes < LS_TOKEN_PUBLIC_BYTES ? bytes : LS_TOKEN_PUBLIC_BYTES;
    memcpy(sealed, data, head);
    memcpy(plain, data + head, bytes - head < sizeof plain ? bytes - head : sizeof plain);
    ls_token_seal(&key, plain, sealed);
    ls_token token;
    if (open_token(sealed, &token) == LS_OK)
        check_one_form(&token, sealed);
}

static void check_text(const char *text)
{
    ls_pass pass, empty = {0};
    char again[LS_PASS_TEXT_BYTES];
    if (!ls_pass_parse(text, &pass)) {
        LS_ASSERT(memcmp(&pass, &empty, sizeof empty) == 0);
        return;
    }
    ls_pass_format(&pass, again);
    LS_ASSERT(strcmp(again, text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes == 0)
        return 0;
    int what = data[0] % KINDS;
    data++;
    bytes--;
    ls_token token;
    char text[TEXT_BYTES_MAX] = "";
    uint8_t content[PASS_BYTES] = {0};
    const ls_armor armor = {.head = "lockstep pass 1\n", .bytes = sizeof content};
    if (what == SEALED && bytes >= LS_TOKEN_BYTES) {
        if (open_token(data, &token) == LS_OK)
            check_one_form(&token, data);
    } else if (what == CONTENT) {
        check_content(data, bytes);
    } else if (what == TEXT) {
        memcpy(text, data, bytes < sizeof text ? bytes : sizeof text - 1);
        check_text(text);
    } else if (what == PASS_CONTENT) {
        memcpy(content, data, bytes < sizeof content ? bytes : sizeof content);
        ls_armor_format(&armor, content, text);
        check_text(text);
    }
    return 0;
}
