/* lockstep keygen: creates a server's identity or a matchmaker's key. */
#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/number.h"
#include <lockstep/token.h>

#include <inttypes.h>
#include <stdio.h>

typedef struct keygen_options {
    const char *path;
    bool is_token_key, is_show;
    uint32_t id; /* 0: choose at random */
} keygen_options;

static const ls_argument options[] = {
    LS_ARGUMENT_FLAG(
        "token-key", keygen_options, is_token_key,
        "Make a matchmaker's key, for `lockstep token issue` and `lockstep serve --token-key`, "
        "instead of a server's identity"),
    LS_ARGUMENT_NUMBER("id", "N", keygen_options, id, 1, UINT32_MAX,
                       "Number of the key of --token-key, 1 to 4294967295 (default: random)"),
    LS_ARGUMENT_FLAG("show", keygen_options, is_show,
                     "Print the public part of an existing FILE, and make nothing"),
    {0},
};

static void check_options(const ls_argument_state *state, void *input)
{
    const keygen_options *chosen = input;
    if (chosen->id && !chosen->is_token_key)
        ls_argument_fail(state, "--id goes with --token-key");
    if (chosen->is_show && chosen->is_token_key)
        ls_argument_fail(state,
                         "--show takes no --token-key: the file says which kind of key it is");
}

static const ls_arguments argument_table = {
    .list = options,
    .usage = "FILE",
    .file = offsetof(keygen_options, path),
    .file_missing = "FILE is missing",
    .file_twice = "one FILE",
    .check = check_options,
    .doc = "Make a secret key in a new private file and print its public part: a server's identity "
           "(`lockstep serve --identity`), which players know as the KEY in HOST:PORT#KEY, or with "
           "--token-key a matchmaker's key and its number. An existing file is never "
           "overwritten.\vExit codes:\n"
           "  0  good\n"
           "  2  wrong use, or with --show no such file\n"
           "  4  with --show: no key, or a damaged one\n"
           "  5  the file cannot be written or read\n"
           "  6  the file exists already, or with --show others can read it"};

static void print_identity(const ls_identity *identity)
{
    char text[LS_PUBLIC_KEY_TEXT_BYTES];
    ls_public_key_format(&identity->public_key, text);
    printf("identity %s\n", text);
}

static void print_token_key(const ls_token_key *key)
{
    printf("token-key %" PRIu32 "\n", key->id);
}

static ls_status make_identity(const char *path, ls_error *error)
{
    ls_identity identity;
    ls_identity_init(&identity, NULL);
    ls_status status = ls_identity_save(path, &identity, error);
    if (!status)
        print_identity(&identity);
    ls_identity_reset(&identity);
    return status;
}

static ls_status make_token_key(const keygen_options *chosen, ls_error *error)
{
    uint32_t id = chosen->id;
    while (id == 0)
        ls_entropy_fill(NULL, &id, sizeof id);
    ls_token_key key;
    ls_token_key_init(&key, id, NULL);
    ls_status status = ls_token_key_save(chosen->path, &key, error);
    if (!status)
        print_token_key(&key);
    ls_token_key_reset(&key);
    return status;
}

static ls_status show(const char *path, ls_error *error)
{
    ls_identity identity;
    ls_token_key key;
    ls_status status = ls_identity_load(path, &identity, error);
    if (!status) {
        print_identity(&identity);
        ls_identity_reset(&identity);
        return LS_OK;
    }
    if (status != LS_ERROR_CORRUPT)
        return status;
    status = ls_token_key_load(path, &key, error);
    if (status == LS_ERROR_CORRUPT)
        return ls_error_set(
            error, status, "%s is neither an identity nor a matchmaker's key, or is damaged", path);
    if (!status)
        print_token_key(&key);
    ls_token_key_reset(&key);
    return status;
}

ls_exit ls_command_keygen(int count, char **arguments)
{
    keygen_options chosen = {0};
    ls_arguments_parse(&argument_table, count, arguments, &chosen);
    ls_error error;
    ls_status status;
    if (chosen.is_show)
        status = show(chosen.path, &error);
    else if (chosen.is_token_key)
        status = make_token_key(&chosen, &error);
    else
        status = make_identity(chosen.path, &error);
    if (status == LS_ERROR_REFUSED && !chosen.is_show)
        ls_error_set(&error, status, "%.900s; `lockstep keygen --show` prints what is public of it",
                     error.text);
    return status ? ls_command_fail("keygen", status, &error) : LS_EXIT_GOOD;
}
