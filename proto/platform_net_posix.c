#include "proto/platform_net.h"

#include <errno.h>

void ls_net_begin(void)
{
}

int ls_net_error(void)
{
    return -errno;
}
