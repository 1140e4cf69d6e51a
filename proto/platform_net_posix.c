#include "proto/platform_net.h"

#include <errno.h>
#include <string.h>

void ls_net_begin(void)
{
}

int ls_net_error(void)
{
    return -errno;
}

const char *ls_net_error_text(int code)
{
    return strerror(-code);
}
