/* Starts the clients' process, paces its sends, and opens the sockets of both sides. */
#include "benches/net/net.h"

#include "benches/bench.h"
#include <lockstep/base.h>

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

uint32_t net_tick_rate = 60;
net_payload net_sizes = {.down_bytes = 100, .up_bytes = 40};

enum { BUFFER_BYTES = 4 << 20, REST_NS = 2000000 };

net_crowd net_crowd_begin(uint32_t peers, uint16_t port, void (*live)(net_board *board))
{
    net_crowd crowd = {.board = mmap(NULL, sizeof *crowd.board, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0)};
    LS_ASSERT(crowd.board != MAP_FAILED);
    crowd.board->peers = peers;
    crowd.board->port = port;
    crowd.process = fork();
    LS_ASSERT(crowd.process >= 0);
    /* On a busy machine both processes go before others, and the clients before the measured
     * process. Without the permission for this, packets may be lost, which the arrivals show. */
    (void)setpriority(PRIO_PROCESS, 0, crowd.process > 0 ? -10 : -15);
    if (crowd.process > 0)
        return crowd;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    live(crowd.board);
    _exit(1);
}

void net_crowd_end(net_crowd *crowd)
{
    kill(crowd->process, SIGKILL);
    waitpid(crowd->process, NULL, 0);
    munmap(crowd->board, sizeof *crowd->board);
}

static void sleep_until(uint64_t until_ns)
{
    const struct timespec moment = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                                    .tv_nsec = (long)(until_ns % NS_PER_S)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL);
}

void net_gather(const net_way *way, void *state, const uint32_t *inside)
{
    net_crowd *crowd = net_crowd_of(state);
    uint64_t begun_ns = bench_now_ns(), end_ns = begun_ns + NET_GATHER_S * NS_PER_S;
    atomic_store(&crowd->board->is_running, true);
    while (*inside < crowd->board->peers && bench_now_ns() < end_ns)
        (void)way->receive_until(state, bench_now_ns() + NS_PER_S / 1000);
    atomic_store(&crowd->board->is_running, false);
    crowd->inside = *inside;
    crowd->gathering = (double)(bench_now_ns() - begun_ns) / 1e9;
}

uint32_t net_crowd_turn(const net_board *board, uint32_t rounds_per_s)
{
    const uint64_t turn_ns = NS_PER_S / rounds_per_s / NET_TURNS;
    static uint64_t next_ns;
    static uint32_t turn;
    while (!atomic_load(&board->is_running))
        sleep_until(bench_now_ns() + REST_NS);
    uint64_t now_ns = bench_now_ns();
    /* After more than a round was missed, during a rest or because the machine is too slow, the
     * missed turns are skipped. */
    if (now_ns > next_ns + NET_TURNS * turn_ns)
        next_ns = now_ns;
    sleep_until(next_ns);
    next_ns += turn_ns;
    turn = (turn + 1) % NET_TURNS;
    return turn;
}

void net_crowd_range(const net_board *board, uint32_t turn, uint32_t *first, uint32_t *end)
{
    *first = board->peers * turn / NET_TURNS;
    *end = board->peers * (turn + 1) / NET_TURNS;
}

void net_wait(int file, uint64_t until_ns)
{
    uint64_t now_ns = bench_now_ns();
    if (now_ns >= until_ns)
        return;
    struct pollfd poll = {.fd = file, .events = POLLIN};
    const struct timespec left = {.tv_nsec = (long)(until_ns - now_ns)};
    LS_ASSERT(until_ns - now_ns < NS_PER_S);
    (void)ppoll(&poll, 1, &left, NULL);
}

void net_enlarge(int file)
{
    const int bytes = BUFFER_BYTES;
    /* Forcing the size needs root. A smaller buffer loses packets, which the arrivals show. */
    if (setsockopt(file, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes))
        (void)setsockopt(file, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    if (setsockopt(file, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes))
        (void)setsockopt(file, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

int net_socket(uint16_t *port)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof own;
    int file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    LS_ASSERT(file >= 0 && bind(file, (struct sockaddr *)&own, sizeof own) == 0);
    LS_ASSERT(getsockname(file, (struct sockaddr *)&own, &bytes) == 0);
    net_enlarge(file);
    *port = ntohs(own.sin_port);
    return file;
}

net_figure net_measure(const net_way *way, void *state, net_crowd *crowd, uint32_t ticks)
{
    enum { WARM_TICKS = 4 };
    uint8_t data[NET_PAYLOAD_MAX] = {0};
    uint64_t inputs = 0, started_ns = 0, arrived = 0;
    atomic_store(&crowd->board->is_running, true);
    uint64_t next_ns = bench_now_ns();
    for (uint32_t tick = 0; tick < WARM_TICKS + ticks; tick++) {
        if (tick == WARM_TICKS) {
            inputs = 0;
            arrived = atomic_load(&crowd->board->arrived);
            started_ns = bench_thread_ns();
        }
        next_ns += NS_PER_S / net_tick_rate;
        inputs += way->receive_until(state, next_ns);
        way->broadcast(state, data);
    }
    uint64_t spent_ns = bench_thread_ns() - started_ns;
    double all = (double)ticks * crowd->board->peers;
    sleep_until(bench_now_ns() + NS_PER_S / net_tick_rate); /* the last broadcast arrives */
    arrived = atomic_load(&crowd->board->arrived) - arrived;
    atomic_store(&crowd->board->is_running, false);
    return (net_figure){
        .ns = (double)spent_ns / all, .up = (double)inputs / all, .down = (double)arrived / all};
}
