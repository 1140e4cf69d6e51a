#include "cli/serve/http_play_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#define UNSENT_BYTES 16384

void ls_http_play_socket_prepare(int file)
{
    int unsent = UNSENT_BYTES;
    (void)setsockopt(file, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
}
