#include "cli/join/trust.h"

#include "proto/handshake_client.h"
#include <lockstep/known_servers.h>

#include <stdio.h>

void ls_trust_init(ls_trust *trust, const ls_server_address *address, const char *known_servers)
{
    *trust = (ls_trust){.address = address, .known_servers = known_servers, .out = stdout};
}

static void print_new_server(const ls_trust *trust)
{
    ls_server_address address = *trust->address;
    address.key = trust->seen;
    address.has_key = true;
    char text[LS_SERVER_ADDRESS_TEXT_BYTES];
    ls_server_address_format(&address, text);
    fprintf(trust->out, "trusting %s on first use, to be remembered in %s\n", text,
            trust->known_servers);
}

static ls_status check_first(ls_trust *trust, const ls_public_key *shown, ls_error *error)
{
    if (trust->address->has_key)
        return ls_handshake_check_pin(&trust->address->key, shown, error);
    ls_status status = ls_known_servers_check(trust->known_servers, trust->address, shown, error);
    if (status != LS_ERROR_NOT_FOUND)
        return status;
    trust->is_new = true;
    return LS_OK;
}

ls_status ls_trust_check(void *context, const ls_public_key *shown, ls_error *error)
{
    ls_trust *trust = context;
    bool is_first = !trust->has_seen;
    ls_status status = is_first ? check_first(trust, shown, error)
                                : ls_handshake_check_pin(&trust->seen, shown, error);
    if (status) {
        trust->refusal = status;
        return status;
    }
    trust->has_seen = true;
    trust->seen = *shown;
    if (is_first && trust->is_new)
        print_new_server(trust);
    return LS_OK;
}

ls_status ls_trust_remember(ls_trust *trust, ls_error *error)
{
    if (!trust->is_new)
        return LS_OK;
    trust->is_new = false; /* even if writing fails: the user is told once */
    return ls_known_servers_add(trust->known_servers, trust->address, &trust->seen, error);
}
