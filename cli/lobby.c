/* lockstep lobby: lists the rooms of many servers, opens further ones, and sends players there. */
#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/signals.h"
#include "cli/lobby/lobby_service.h"

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Addresses:"),
    LS_ARGUMENT_TEXT("redis", "HOST[:PORT]", ls_lobby_options, redis.address,
                     "Find the servers that run with `serve --lobby HOST[:PORT]` in this Redis "
                     "(default 127.0.0.1:6379)"),
    LS_ARGUMENT_TEXT("http", "[ADDR:]PORT", ls_lobby_options, http,
                     "Answer HTTP on this TCP port (default 127.0.0.1:7780): GET /lobby/rooms, GET "
                     "/lobby/rooms/NAME, POST /lobby/open, POST /lobby/join and GET /healthz"),
    LS_ARGUMENT_TITLE("Access:"),
    LS_ARGUMENT_TEXT("redis-password-file", "FILE", ls_lobby_options, redis.password_file,
                     "Give Redis the password in the first line of FILE (default: none)"),
    LS_ARGUMENT_TEXT(
        "http-token", "FILE", ls_lobby_options, token,
        "Accept POST requests that carry the token in the first line of FILE (default: "
        "refuse all)"),
    LS_ARGUMENT_TEXT("token-key", "FILE", ls_lobby_options, token_key,
                     "Give players connect tokens, sealed with the matchmaker's key in FILE "
                     "(default: none)"),
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_TEXT("log", "FILE|-", ls_lobby_options, log,
                     "Append the log to FILE, or write it to stderr for - (default -)"),
    {0},
};
static const ls_arguments argument_table = {
    .list = argument_list,
    .doc = "Answer for many servers by HTTP: list their open rooms, open a room where one is free, "
           "and tell a player the address, the key and a connect token. Servers register in Redis; "
           "a match needs neither Redis nor the lobby. SIGTERM or SIGINT ends it.\vExit codes:\n"
           "  0  ended by a signal\n"
           "  2  wrong use, a file is missing, or this build has no HTTP or no Redis\n"
           "  4  the key file is damaged or no matchmaker's key\n"
           "  5  machine: port, log\n"
           "  6  others can read a secret file\n"
           "  130, 143  a second SIGINT or SIGTERM ended it at once"};

ls_exit ls_command_lobby(int count, char **arguments)
{
    ls_lobby_options options = {
        .redis.address = "127.0.0.1:6379", .http = "127.0.0.1:7780", .log = "-"};
    ls_error error;
    ls_arguments_parse(&argument_table, count, arguments, &options);
    ls_signals_install();
    ls_status status = ls_lobby_service_run(&options, &error);
    return status ? ls_command_fail("lobby", status, &error) : LS_EXIT_GOOD;
}
