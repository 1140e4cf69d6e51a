/* Windows has no relay: its commands say so. */
#include "cli/network/relay.h"

ls_relay_config ls_relay_config_default(void)
{
    return (ls_relay_config){.flows_max = LS_RELAY_FLOWS_MAX};
}

ls_status ls_relay_create(const ls_relay_config *config, ls_relay **relay, ls_error *error)
{
    (void)config;
    *relay = NULL;
    return ls_error_set(error, LS_ERROR_USAGE,
                        "there is no relay on Windows; run `lockstep relay` on a Linux machine "
                        "and join the address that it prints");
}

void ls_relay_destroy(ls_relay *relay)
{
    LS_ASSERT(!relay);
}

uint16_t ls_relay_port(const ls_relay *relay)
{
    (void)relay;
    return 0;
}

uint64_t ls_relay_step(ls_relay *relay, uint64_t now_ns)
{
    (void)relay;
    return now_ns;
}

void ls_relay_wait(const ls_relay *relay, uint64_t wait_ns)
{
    (void)relay;
    (void)wait_ns;
}

ls_relay_stats ls_relay_get_stats(const ls_relay *relay)
{
    (void)relay;
    return (ls_relay_stats){0};
}
