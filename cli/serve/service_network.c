#include "cli/serve/service_network.h"

#include "proto/host_name.h"
#include "proto/link_pair.h"
#include "proto/link_web.h"
#include <lockstep/link_enet.h>
#include <lockstep/server_address.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void wake(void *enet)
{
    ls_link_wake(enet);
}

static void add_web(const ls_service_options *options, uint32_t peers_max, ls_service_links *links)
{
    links->web = ls_link_web_create(
        &(ls_link_web_config){.peers_max = peers_max,
                              .port = {.channels_per_host = options->connections_per_host,
                                       .arrived = wake,
                                       .context = links->enet}});
    links->all = ls_link_pair_create(&(ls_link_pair_config){.first = links->enet,
                                                            .second = links->web,
                                                            .is_seconds = ls_link_web_has,
                                                            .peers_max = peers_max});
}

ls_status ls_service_network_listen(const ls_service_options *options, uint32_t peers_max,
                                    ls_service_links *links, ls_error *error)
{
    ls_link_enet_config config = ls_link_enet_config_default();
    config.address = options->address;
    config.port = options->port;
    config.peers_max = peers_max;
    config.connections_per_host = options->connections_per_host;
    ls_status status = ls_link_enet_listen(&config, &links->enet, error);
    links->all = links->enet;
    if (!status && options->has_web)
        add_web(options, peers_max, links);
    if (status == LS_ERROR_IO && config.address) {
        bool is_foreign_address = strstr(error->text, strerror(EADDRNOTAVAIL)) != NULL;
        ls_error_set(error, status, "--bind %s: %.512s%s", config.address, error->text,
                     is_foreign_address ? "; give an address of this machine" : "");
    }
    return status;
}

const char *ls_service_network_host(const ls_service_options *options)
{
    const char *host = options->address;
    bool is_wildcard = host && (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0);
    return is_wildcard ? NULL : host;
}

static ls_status add_address(ls_service_addresses *addresses, const ls_server_address *address,
                             ls_error *error)
{
    ls_address *added = &addresses->list[addresses->count++];
    return ls_resolve_one(address->host, address->port, added, error);
}

ls_status ls_service_network_find(const ls_service_options *options, uint16_t port,
                                  ls_service_addresses *addresses, ls_error *error)
{
    ls_server_address address = {.port = port};
    const char *host = ls_service_network_host(options);
    addresses->count = 0;
    ls_status status = LS_OK;
    for (uint32_t i = 0; !status && i < options->address_count; i++) {
        const char *text = options->addresses[i];
        ls_server_address given;
        status = strchr(text, ':') && !strchr(text, '#')
                     ? ls_server_address_parse(text, &given, error)
                     : ls_error_set(error, LS_ERROR_USAGE, "give HOST:PORT, not '%.256s'", text);
        if (!status)
            status = add_address(addresses, &given, error);
        if (status)
            ls_error_set(error, status, "--address %.900s", error->text);
    }
    if (status || options->address_count || !host)
        return status;
    snprintf(address.host, sizeof address.host, "%s", host);
    return add_address(addresses, &address, error);
}
